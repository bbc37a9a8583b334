import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';
import type { MetadataFilter } from '../component/metadata-filter.ts';
import { natsClient } from './nats-client.ts';
import type { NatsConnection } from './nats-connection.ts';
import type { NatsValues } from './nats-fields.ts';

interface PublishOptions {
  readonly subject: Interpolated;
  readonly headers: ReadonlyMap<string, Interpolated>;
  readonly metadata: MetadataFilter;
}

type Published = readonly [
  subject: string,
  payload: Buffer,
  options: { readonly headers: readonly (readonly [string, string])[] },
];

/** Publishes each message of a batch, and knows which were not accepted. */
function publishingOutput(
  fields: NatsValues,
  { subject, headers, metadata }: PublishOptions,
  context: ComponentContext,
  publish: (connection: NatsConnection, published: Published) => Promise<void>,
): Output {
  const client = natsClient(fields, context);
  const { mappingPorts: ports } = context;
  const publishedOf = (batch: Batch, index: number): Published => {
    const { content, metadata: entries } = batch[index]!;
    const named = [...headers].map(([key, value]) => [key, value.text(batch, index, ports)] as const);
    return [
      subject.text(batch, index, ports),
      content,
      { headers: [...named, ...metadata.textsOf(entries)] },
    ];
  };
  return {
    async write(batch, stop) {
      const connection = await client.get(stop);
      const failed = new Map<number, Error>();
      await Promise.all(
        batch.map(async (_, index) => {
          try {
            await publish(connection, publishedOf(batch, index));
          } catch (error) {
            failed.set(index, error as Error);
          }
        }),
      );
      if (failed.size > 0) throw new BatchFailure(failed);
    },
    close: () => client.close(),
  };
}

/** Core NATS acknowledges nothing; that the server answers a `PING` after the message says that it has it. */
export function natsOutput(fields: NatsValues, options: PublishOptions, context: ComponentContext): Output {
  return publishingOutput(fields, options, context, (connection, published) => {
    connection.publish(...published);
    return connection.flush();
  });
}

/** A message is written when a stream has stored it. */
export function jetStreamOutput(
  fields: NatsValues,
  options: PublishOptions,
  context: ComponentContext,
): Output {
  return publishingOutput(fields, options, context, async (connection, [subject, payload, { headers }]) => {
    const { payload: answer, status } = await connection.request(subject, payload, { headers });
    if (status === 503) throw new Error(`no stream of JetStream takes the subject ${subject}`);
    const { stream, error } = answerIn(answer);
    if (error !== undefined) throw new Error(`JetStream refuses: ${reasonOf(error.description)}`);
    if (stream === undefined) throw new Error(`${subject} is answered by something else than JetStream`);
  });
}

function answerIn(payload: Buffer): { stream?: string; error?: { description?: string } } {
  try {
    return (JSON.parse(payload.toString()) as object | null) ?? {};
  } catch {
    return {};
  }
}
