import { apis, errors, zeroUuid } from '@weir/wire';
import type { Broker, KafkaCluster, TopicMetadata } from './cluster.ts';
import type { KafkaConnection } from './connection.ts';
import { KafkaRequestFailed } from './request-failed.ts';

/** A topic, and the brokers that its partitions name as leaders. */
export interface FoundTopic {
  readonly topic: TopicMetadata;
  readonly brokers: readonly Broker[];
}

/** Looks a topic up once. Throws `KafkaRequestFailed` when there is none. */
export async function findTopic(cluster: KafkaCluster, name: string): Promise<FoundTopic> {
  const { topics, brokers } = await cluster.metadata([name]);
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
  /** The default of the cluster when not given. */
  readonly partitions?: number | undefined;
  readonly replicationFactor?: number | undefined;
  readonly configs: readonly { readonly name: string; readonly value: string }[];
}

/** What was made. A broker that is too old to say leaves the id zero and the numbers at -1. */
export interface CreatedTopic {
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
        // Before v4 there is no way to ask for the defaults of the cluster.
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

export function deleteTopic(cluster: KafkaCluster, name: string): Promise<void> {
  return cluster.retrying(async () => {
    const controller = await cluster.controller();
    const [deleted] = await requestDeletion(controller, name, cluster.timeoutMs);
    const code = deleted?.errorCode ?? errors.UNKNOWN_SERVER_ERROR.code;
    if (code !== errors.NONE.code) throw new KafkaRequestFailed(`topic ${name}`, code, deleted?.errorMessage);
  });
}

async function requestDeletion(controller: KafkaConnection, name: string, timeoutMs: number) {
  const { responses } = await controller.request(
    apis.DeleteTopics,
    (version) =>
      version >= 6 ? { topics: [{ name, topicId: zeroUuid }], timeoutMs } : { topicNames: [name], timeoutMs },
    { timeoutMs },
  );
  return responses;
}
