import {
  clusterConfigValue,
  replicationFactorOf,
  type TopicDescription,
  type TopicResult,
  type TopicToCreate,
} from '@weir/cluster';
import { clusterResourceName, coreLimits, internalTopicProblem, isInternalTopic } from '@weir/core';
import type { Access } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf, type ResponseOf, zeroUuid } from '@weir/wire';
import { callInParts } from '../cluster-calls/call-in-parts.ts';
import { waitForView } from '../cluster-calls/wait-for-view.ts';
import {
  type ConfigsOfAgent,
  type CreatedTopicConfig,
  DescribedTopicConfigs,
} from '../configs/described-topic-configs.ts';
import { brokerLimits } from '../limits.ts';
import { tooManyConfigsProblem, tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { mapInTurns, Turns } from '../requests/turns.ts';
import { ValidatedTopics } from '../topics/validated-topics.ts';

/**
 * CreateTopics v2 to v7, with one call to the control plane for all topics, or for parts of a long list of them, so
 * that neither side works on all at once. With `validateOnly`, too, each topic is compared with those before it.
 *
 * - Any replication factor above 0 is accepted, even above the number of agents. It is stored and displayed only,
 *   because object storage replicates. -1 is the default of 3. 0 and values below -1 are INVALID_REPLICATION_FACTOR.
 * - Assignments only determine counts: they must number the partitions from 0, each once, with the same number of
 *   distinct brokers for each, and without a partition count or replication factor (INVALID_REPLICA_ASSIGNMENT,
 *   INVALID_REQUEST). Broker ids are ignored.
 * - The name of an internal topic is INVALID_TOPIC_EXCEPTION.
 * - If the request has too many topics, all of them are INVALID_REQUEST.
 * - A topic named twice is INVALID_REQUEST, answered once. A config without a value is INVALID_CONFIG.
 * - From v5 on the response has partition count, replication factor and all configs, set or not, up to
 *   `brokerLimits.describedConfigsMax` of them; from v7 on the topic id, which is zero for `validateOnly`.
 * - The quota on mutations counts partitions. From v6 on, a topic above the quota is THROTTLING_QUOTA_EXCEEDED; before
 *   v6 it is created and the client is throttled.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 * - Requires CREATE on the cluster or on each topic (TOPIC_AUTHORIZATION_FAILED, before other checks except that for
 *   repeated names). A client without DESCRIBE_CONFIGS on a topic gets TOPIC_AUTHORIZATION_FAILED in place of its
 *   configs and counts.
 *
 * Not implemented: `timeoutMs` (the request ends when the control plane answers or the call is given up).
 */
export function createTopicsHandler(agent: ConfigsOfAgent): HandlerOf<Apis['CreateTopics']> {
  return (request, context) => createTopics(request, context, agent);
}

async function createTopics(
  request: RequestOf<Apis['CreateTopics']>,
  context: RequestContext,
  agent: ConfigsOfAgent,
): Promise<ResponseOf<Apis['CreateTopics']>> {
  const { access, cluster, clock } = context;
  const { validateOnly } = request;
  const tooMany = tooManyProblem(request.topics.length);
  if (tooMany !== undefined) {
    const topics = await mapInTurns(await distinct(request.topics, context), clock, ({ topic }) =>
      refusal(topic.name, 'INVALID_REQUEST', tooMany),
    );
    return { throttleTimeMs: 0, topics };
  }
  const mayCreate = creations(access);
  const mutations = context.quotas.mutations(context.apiVersion >= refusalFromVersion);
  const checked = await mapInTurns(
    await distinct(request.topics, context),
    clock,
    (one): Checked => {
      const found = one.count === 1 && !mayCreate(one.topic.name) ? denied(one.topic) : check(one);
      return found.topic === undefined || validateOnly || isAllowed(found.topic) ? found : throttled(found);
    },
    costOf,
  );
  const probes = checked.flatMap(({ probe }) => probe ?? []);
  const probed = await callInParts(probes, {
    clock,
    costOf: ({ configs }) => 1 + Object.keys(configs).length,
    call: (part) => cluster.port.createTopics(part, { validateOnly: true }),
  });
  const toCreate = checked.flatMap(({ topic }) => topic ?? []);
  const validated = validateOnly ? new ValidatedTopics(cluster.port) : undefined;
  const results = await callInParts(toCreate, {
    clock,
    costOf: ({ configs }) => 1 + Object.keys(configs).length,
    call: (part) => validated?.validate(part) ?? cluster.port.createTopics(part, { validateOnly }),
  });
  if (!validateOnly) await waitForView(context, () => results.every(isVisible));
  let next = 0;
  let nextProbed = 0;
  let configsLeft = brokerLimits.describedConfigsMax;
  const described = new DescribedTopicConfigs(cluster, agent);
  const configsOf = ({ configs: texts }: TopicDescription) => {
    if (context.apiVersion < configsFromVersion || configsLeft <= 0) return [];
    const configs = described.of(texts);
    configsLeft -= configs.length;
    return configs;
  };
  return {
    throttleTimeMs: mutations.throttleMs(),
    topics: await mapInTurns(
      checked,
      clock,
      ({ name, topic, probe, error, message }) => {
        if (probe !== undefined) {
          const first = probed[nextProbed++];
          if (first !== undefined && first.error !== 'NONE') return refusal(name, first.error, first.message);
        }
        if (topic === undefined) return refusal(name, error, message);
        const result = results[next++];
        if (result === undefined) return refusal(name, 'NOT_CONTROLLER', errors.NOT_CONTROLLER.message);
        const hidesConfigs = !access.mayQuietly('DESCRIBE_CONFIGS', 'TOPIC', name);
        return entryOf(name, result, { validateOnly, configsOf: hidesConfigs ? undefined : configsOf });
      },
      ({ configs }) => 1 + (configs?.length ?? 0),
    ),
  };

  function isAllowed({ partitionCount }: TopicToCreate): boolean {
    const usual = () => clusterConfigValue('num.partitions', cluster.clusterConfigs());
    return mutations.take(partitionCount === -1 ? usual() : partitionCount);
  }

  function isVisible(result: TopicResult | undefined): boolean {
    const topic = result?.topic;
    return topic === undefined || cluster.topicById(topic.topicId) !== undefined;
  }
}

/** The first version whose answers have configs. */
const configsFromVersion = 5;

/** The first version whose clients understand THROTTLING_QUOTA_EXCEEDED. */
const refusalFromVersion = 6;

type RequestedTopic = RequestOf<Apis['CreateTopics']>['topics'][number];
type Entry = ResponseOf<Apis['CreateTopics']>['topics'][number];

interface Checked {
  readonly name: string;
  /** Configs and partitions that the request has for it. */
  readonly entries: number;
  readonly topic?: TopicToCreate;
  /**
   * What is to be asked about a topic whose counts or assignments are refused: as in Apache Kafka, the problems of its
   * name and configs come first, also that the topic exists.
   */
  readonly probe?: TopicToCreate;
  readonly error: ErrorName;
  readonly message: string;
}

/** What a topic costs, in entries. */
function costOf({ entries }: { readonly entries: number }): number {
  return 1 + entries;
}

/** CREATE on the cluster makes the check on each topic unnecessary. */
function creations(access: Access): (name: string) => boolean {
  if (access.mayQuietly('CREATE', 'CLUSTER', clusterResourceName)) return () => true;
  return (name) => access.may('CREATE', 'TOPIC', name);
}

/** Returns each name once, with the number of its occurrences. */
async function distinct(
  topics: readonly RequestedTopic[],
  { clock }: RequestContext,
): Promise<{ topic: RequestedTopic; count: number }[]> {
  const turns = new Turns(clock);
  const byName = new Map<string, { topic: RequestedTopic; count: number }>();
  for (const topic of topics) {
    const known = byName.get(topic.name);
    if (known === undefined) byName.set(topic.name, { topic, count: 1 });
    else known.count++;
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return [...byName.values()];
}

function check({ topic, count }: { topic: RequestedTopic; count: number }): Checked {
  const { name, numPartitions, replicationFactor: factor, assignments, configs } = topic;
  const entries = configs.length + assignments.length;
  const refused = (error: ErrorName, message: string): Checked => ({ name, entries, error, message });
  if (count > 1) return refused('INVALID_REQUEST', `duplicate topic in the request: ${count} times`);
  if (isInternalTopic(name)) return refused('INVALID_TOPIC_EXCEPTION', internalTopicProblem(name));
  const tooMany = tooManyConfigsProblem(configs.length);
  if (tooMany !== undefined) return refused('INVALID_CONFIG', tooMany);
  const texts = Object.fromEntries(
    configs.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])),
  );
  const probe = { name, partitionCount: 1, replicationFactor: 1, configs: texts };
  const refusedLater = (error: ErrorName, message: string) => ({ ...refused(error, message), probe });
  const unset = configs.find(({ value }) => value === null);
  if (unset !== undefined) return refusedLater('INVALID_CONFIG', `config ${unset.name} has no value`);
  if (assignments.length > 0 && (numPartitions !== -1 || factor !== -1)) {
    return refusedLater(
      'INVALID_REQUEST',
      'with assignments, partition count and replication factor must be -1',
    );
  }
  if (factor === 0 || factor < -1) {
    return refusedLater(
      'INVALID_REPLICATION_FACTOR',
      'replication factor must be positive, or -1 for the default',
    );
  }
  const indexes = new Set(assignments.map(({ partitionIndex }) => partitionIndex));
  if (assignments.some((_, index) => !indexes.has(index))) {
    return refusedLater(
      'INVALID_REPLICA_ASSIGNMENT',
      'assignments must have consecutive partition numbers from 0',
    );
  }
  const replicas = assignments[0]?.brokerIds.length ?? 0;
  const isUneven = assignments.some(
    ({ brokerIds }) => brokerIds.length !== replicas || new Set(brokerIds).size < replicas,
  );
  if (assignments.length > 0 && (replicas === 0 || isUneven)) {
    return refusedLater(
      'INVALID_REPLICA_ASSIGNMENT',
      'every assignment must have the same number of brokers, at least one, without duplicates',
    );
  }
  const partitionCount = assignments.length > 0 ? assignments.length : numPartitions;
  if (partitionCount === 0 || partitionCount < -1 || partitionCount > coreLimits.partitionsPerTopicMax) {
    const range = `between 1 and ${coreLimits.partitionsPerTopicMax}, or -1 for the default`;
    return refusedLater('INVALID_PARTITIONS', `partition count must be ${range}`);
  }
  return {
    name,
    entries,
    topic: {
      name,
      partitionCount,
      replicationFactor: assignments.length > 0 ? replicas : factor,
      configs: texts,
    },
    error: 'NONE',
    message: '',
  };
}

function denied({ name }: RequestedTopic): Checked {
  const error = 'TOPIC_AUTHORIZATION_FAILED';
  return { name, entries: 0, error, message: errors[error].message };
}

function throttled({ name, entries }: Checked): Checked {
  const error = 'THROTTLING_QUOTA_EXCEEDED';
  return { name, entries, error, message: errors[error].message };
}

function refusal(name: string, error: ErrorName, message: string | null): Entry {
  return { name, errorCode: errors[error].code, errorMessage: message, configs: [] };
}

function entryOf(
  name: string,
  { error, message, topic }: TopicResult,
  {
    validateOnly,
    configsOf,
  }: {
    readonly validateOnly: boolean;
    /** Absent where the client may not see configs. */
    readonly configsOf: ((topic: TopicDescription) => readonly CreatedTopicConfig[]) | undefined;
  },
): Entry {
  if (topic === undefined) return refusal(name, error, message);
  const topicId = validateOnly ? zeroUuid : topic.topicId;
  const made = { name, topicId, errorCode: errors.NONE.code, errorMessage: null };
  if (configsOf === undefined) {
    return { ...made, topicConfigErrorCode: errors.TOPIC_AUTHORIZATION_FAILED.code, configs: [] };
  }
  return {
    ...made,
    numPartitions: topic.partitionCount,
    replicationFactor: replicationFactorOf(topic),
    configs: configsOf(topic),
  };
}
