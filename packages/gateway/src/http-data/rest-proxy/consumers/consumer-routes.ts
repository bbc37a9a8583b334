import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../../../limits.ts';
import type { DataDeps, DataInput, DataRoute } from '../../data-route.ts';
import { overloaded } from '../../request-body.ts';
import { formatInType, proxyTypes } from '../media-types.ts';
import { proxyErrorCodes } from '../proxy-problems.ts';
import { describeTopic } from '../proxy-topics.ts';
import { baseUri } from './base-uri.ts';
import { readCommitBody, readPartitions, readSeekBody, readSubscriptionBody } from './consumer-bodies.ts';
import { readConsumerConfig } from './consumer-config.ts';
import {
  assignDefinition,
  assignmentsDefinition,
  commitDefinition,
  committedDefinition,
  createDefinition,
  deleteDefinition,
  recordsDefinition,
  seekDefinition,
  seekToBeginningDefinition,
  seekToEndDefinition,
  subscribeDefinition,
  subscriptionDefinition,
  topicRecordsDefinition,
  unsubscribeDefinition,
} from './consumer-definitions.ts';
import type { ConsumerInstance } from './consumer-instance.ts';
import { formatMismatch } from './consumer-problems.ts';
import { textsOf } from './record-texts.ts';

const errorTypes = proxyTypes;
const errorCodes = proxyErrorCodes;
/** What a change answers. */
const done = { status: 204, body: '' } as const;
const integerText = /^-?\d{1,15}$/;
/** Text of the answer that is sent at a time. */
const pieceChars = 64 * 1024;

type Row = Omit<DataRoute, 'serve'>;

const rows: readonly DataRoute[] = [
  {
    ...createDefinition,
    async serve({ path, body, client, headers }, { consumers }) {
      const group = String(path.group);
      const name = consumers.create(client, group, readConsumerConfig(body));
      const base_uri = baseUri(consumers.ownUrl, headers.host, group, name);
      return JSON.stringify({ instance_id: name, base_uri });
    },
  },
  change(subscribeDefinition, readSubscriptionBody, (instance, wanted) => instance.subscribe(wanted)),
  answer(subscriptionDefinition, nothing, async ({ subscription }) => ({ topics: subscription })),
  change(unsubscribeDefinition, nothing, (instance) => instance.unsubscribe()),
  change(assignDefinition, readPartitions, (instance, places) => instance.assign(places)),
  answer(assignmentsDefinition, nothing, async ({ assignment }) => ({ partitions: assignment })),
  change(seekDefinition, readSeekBody, (instance, seek) => instance.seek(seek)),
  change(seekToBeginningDefinition, readPartitions, (instance, places) =>
    instance.seekToEnd('beginning', places),
  ),
  change(seekToEndDefinition, readPartitions, (instance, places) => instance.seekToEnd('end', places)),
  { ...recordsDefinition, serve: records },
  answer(commitDefinition, readCommitBody, async (instance, offsets) => {
    await instance.commit(offsets);
    return [];
  }),
  answer(committedDefinition, readNamedPartitions, async (instance, places) => {
    const offsets = await instance.committed(places);
    return {
      offsets: offsets.map(({ topic, partition, offset, metadata }) => ({
        topic,
        partition,
        offset,
        metadata,
      })),
    };
  }),
  {
    ...topicRecordsDefinition,
    async *serve(input, deps) {
      const topic = String(input.path.topic);
      await instanceOf(input, deps).subscribeTo(topic, () => describeTopic(input.client, topic));
      yield* records(input, deps);
    },
  },
  {
    ...deleteDefinition,
    async serve({ path, client }, { consumers }) {
      await consumers.remove(client, String(path.group), String(path.instance));
      return done;
    },
  },
];

/** Consumer instances of the API v2 of Confluent's REST proxy. */
export const consumerRoutes: readonly DataRoute[] = rows.map((row) => ({
  ...row,
  errorCodes,
  ...(row.answer.types.length === 0 ? { errorTypes } : {}),
}));

/** A call that changes an instance and has no answer. */
function change<Body>(
  row: Row,
  read: (body: unknown) => Body,
  run: (instance: ConsumerInstance, body: Body) => Promise<void>,
): DataRoute {
  return {
    ...row,
    async serve(input, deps) {
      const body = read(input.body);
      await run(instanceOf(input, deps), body);
      return done;
    },
  };
}

function answer<Body>(
  row: Row,
  read: (body: unknown) => Body,
  run: (instance: ConsumerInstance, body: Body) => Promise<object>,
): DataRoute {
  return {
    ...row,
    async serve(input, deps) {
      const body = read(input.body);
      return JSON.stringify(await run(instanceOf(input, deps), body));
    },
  };
}

function nothing(): void {}

/** As in the original, a request without a body is about a partition that does not exist. */
function readNamedPartitions(body: unknown): ReturnType<typeof readPartitions> {
  if (typeof body === 'object' && body !== null && Object.keys(body).length === 0)
    throw new HttpProblem(404, 'Partition not found.', { errorCode: 40402 });
  return readPartitions(body);
}

async function* records(input: DataInput, deps: DataDeps): AsyncGenerator<string, void, undefined> {
  const instance = instanceOf(input, deps);
  const { format, timeoutMs } = instance.config;
  const asked = formatInType.exec(input.answerType ?? '')?.[1];
  if (asked !== undefined && asked !== format) throw formatMismatch(format);
  if (deps.consumers.memory.isFull || deps.answers.isFull) throw overloaded();
  const texts = await instance.read({
    client: input.client,
    answers: deps.answers,
    inflated: deps.inflated,
    texts: await textsOf(format, deps.schemas, input.registryAccess),
    timeoutMs: Math.min(timeoutMs, positiveIn(input.query, 'timeout') ?? timeoutMs),
    bytesMax: Math.min(
      gatewayLimits.httpConsumerAnswerBytesMax,
      positiveIn(input.query, 'max_bytes') ?? gatewayLimits.httpConsumerAnswerBytesMax,
    ),
  });
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  deps.consumers.memory.change(chars);
  deps.answers.change(chars);
  try {
    let piece = '[';
    for (const [at, text] of texts.entries()) {
      piece += at === 0 ? text : `,${text}`;
      if (piece.length < pieceChars) continue;
      yield piece;
      piece = '';
    }
    yield `${piece}]`;
  } finally {
    deps.consumers.memory.change(-chars);
    deps.answers.change(-chars);
  }
}

function instanceOf({ client, path }: DataInput, { consumers }: DataDeps): ConsumerInstance {
  return consumers.find(client, String(path.group), String(path.instance));
}

/** A number above 0; `undefined` if it is absent or not above 0. */
function positiveIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!integerText.test(text)) throw new HttpProblem(404, 'HTTP 404 Not Found');
  return Number(text) > 0 ? Number(text) : undefined;
}
