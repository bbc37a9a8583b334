import { Failure } from '@weir/core';
import { apis, errors, zeroUuid } from '@weir/wire';
import type { Broker, KafkaCluster, TopicMetadata } from './cluster.ts';
import { KafkaRequestFailed } from './request-failed.ts';

/** A topic, and the brokers that lead its partitions. */
export interface FoundTopic {
  readonly topic: TopicMetadata;
  readonly brokers: readonly Broker[];
}

export interface FindOptions {
  /** Lets the cluster auto-create a missing topic, as a producer does, if the cluster allows that. */
  readonly mayCreate?: boolean;
}

/** Looks up a topic once. Throws `KafkaRequestFailed` when there is none. */
export async function findTopic(
  cluster: KafkaCluster,
  name: string,
  options: FindOptions = {},
): Promise<FoundTopic> {
  const { topics, brokers } = await cluster.metadata([name], options);
  const topic = topics.find((candidate) => candidate.name === name);
  const code = topic?.errorCode ?? errors.UNKNOWN_TOPIC_OR_PARTITION.code;
  if (topic === undefined || code !== errors.NONE.code) throw new KafkaRequestFailed(`topic ${name}`, code);
  return { topic, brokers };
}

/** Every topic that the client may see, by name. */
export async function listTopics(cluster: KafkaCluster): Promise<readonly TopicMetadata[]> {
  const { topics } = await cluster.retrying(() => cluster.metadata('all'));
  return topics.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
}

export interface TopicToCreate {
  readonly name: string;
  /** Absent for the default of the cluster. */
  readonly partitions?: number | undefined;
  readonly replicationFactor?: number | undefined;
  readonly configs: readonly { readonly name: string; readonly value: string }[];
}

/** The created topic. Old brokers return neither id nor numbers: the id is zero and the numbers are -1. */
interface CreatedTopic {
  readonly topicId: string;
  readonly partitions: number;
  readonly replicationFactor: number;
}

export function createTopic(cluster: KafkaCluster, wanted: TopicToCreate): Promise<CreatedTopic> {
  const { name, partitions, replicationFactor, configs } = wanted;
  return cluster.retrying(async () => {
    const controller = await cluster.controller();
    const answer = await controller.request(
      apis.CreateTopics,
      (version) => {
        // Before v4 a request cannot ask for the defaults of the cluster.
        const unset = version >= 4 ? -1 : 1;
        const topic = {
          name,
          numPartitions: partitions ?? unset,
          replicationFactor: replicationFactor ?? unset,
          assignments: [],
          configs,
        };
        return { topics: [topic], timeoutMs: cluster.timeoutMs };
      },
      { timeoutMs: cluster.timeoutMs },
    );
    const [made] = answer.topics;
    const code = made?.errorCode ?? errors.UNKNOWN_SERVER_ERROR.code;
    if (made === undefined || code !== errors.NONE.code) {
      throw new KafkaRequestFailed(`topic ${name}`, code, made?.errorMessage);
    }
    return {
      topicId: made.topicId,
      partitions: made.numPartitions,
      replicationFactor: made.replicationFactor,
    };
  });
}

export async function deleteTopic(cluster: KafkaCluster, name: string): Promise<void> {
  await cluster.retrying(async () => {
    const failure = (await requestDeletion(cluster, [name])).get(name);
    if (failure !== undefined) throw failure;
  });
}

/**
 * Deletes topics with one request, and retries those with a retriable failure. Returns the failures of those that still
 * exist.
 */
export async function deleteTopics(
  cluster: KafkaCluster,
  names: readonly string[],
): Promise<ReadonlyMap<string, Failure>> {
  const failures = new Map<string, Failure>();
  let open = names;
  try {
    await cluster.retrying(async () => {
      const failed = await requestDeletion(cluster, open);
      for (const name of open) failures.delete(name);
      for (const [name, failure] of failed) {
        // A topic that does not exist was deleted by a request whose answer was lost, or by another client.
        if (failure.code !== errors.UNKNOWN_TOPIC_OR_PARTITION.code) failures.set(name, failure);
      }
      open = open.filter((name) => failed.get(name)?.retriable === true && failures.has(name));
      if (open.length > 0) throw failures.get(open[0]!)!;
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    for (const name of open) if (!failures.has(name)) failures.set(name, error);
  }
  return failures;
}

async function requestDeletion(
  cluster: KafkaCluster,
  names: readonly string[],
): Promise<ReadonlyMap<string, KafkaRequestFailed>> {
  const { timeoutMs } = cluster;
  const controller = await cluster.controller();
  const { responses } = await controller.request(
    apis.DeleteTopics,
    (version) =>
      version >= 6
        ? { topics: names.map((name) => ({ name, topicId: zeroUuid })), timeoutMs }
        : { topicNames: names, timeoutMs },
    { timeoutMs },
  );
  const failures = new Map<string, KafkaRequestFailed>();
  for (const name of names) {
    const deleted = responses.find((response) => response.name === name);
    const code = deleted?.errorCode ?? errors.UNKNOWN_SERVER_ERROR.code;
    if (code !== errors.NONE.code) {
      failures.set(name, new KafkaRequestFailed(`topic ${name}`, code, deleted?.errorMessage));
    }
  }
  return failures;
}
