import { Failure } from '@weir/core';
import { errors } from '@weir/wire';
import type { KafkaCluster, TopicMetadata } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { type FoundTopic, findTopic } from '../topics.ts';
import type { RememberedTopic } from './remembered-topic.ts';

/** The result of each requested partition. Every one of them is in exactly one of the two. */
export interface LeaderAnswers<Answer> {
  readonly answers: ReadonlyMap<number, Answer>;
  readonly failures: ReadonlyMap<number, Failure>;
}

/** One request to one leader about some of its partitions. Returns an answer or a failure for each. */
export type LeaderRequest<Answer> = (
  leader: KafkaConnection,
  topic: TopicMetadata,
  partitions: readonly number[],
) => Promise<ReadonlyMap<number, Answer | Failure>>;

/**
 * Asks the leaders of partitions, with one concurrent request per leader. Partitions with a retriable failure are asked
 * again, after their leaders have been looked up again. A topic that is given by its name is looked up before the first
 * attempt too.
 */
export async function requestFromLeaders<Answer>(
  cluster: KafkaCluster,
  topic: string | RememberedTopic,
  partitions: readonly number[],
  request: LeaderRequest<Answer>,
): Promise<LeaderAnswers<Answer>> {
  const topicName = typeof topic === 'string' ? topic : topic.name;
  const lookUp = typeof topic === 'string' ? () => findTopic(cluster, topic) : () => topic.find();
  const answers = new Map<number, Answer>();
  const failures = new Map<number, Failure>();
  let open = partitions;
  try {
    await cluster.retrying(async () => {
      const results = await requestOnce(cluster, await lookUp(), open, request);
      for (const partition of open) {
        const result = results.get(partition) ?? new Failure(`${subject(topicName, partition)}: no response`);
        if (result instanceof Failure) failures.set(partition, result);
        else {
          failures.delete(partition);
          answers.set(partition, result);
        }
      }
      if (failures.size > 0 && typeof topic !== 'string') topic.forget();
      open = open.filter((partition) => cluster.patienceMs(failures.get(partition)) > 0);
      if (open.length > 0) throw failures.get(open[0]!)!;
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // A failure before any leader was asked, such as that of the topic lookup, is a failure of all partitions.
    for (const partition of open) if (!failures.has(partition)) failures.set(partition, error);
  }
  return { answers, failures };
}

async function requestOnce<Answer>(
  cluster: KafkaCluster,
  { topic, brokers }: FoundTopic,
  partitions: readonly number[],
  request: LeaderRequest<Answer>,
): Promise<ReadonlyMap<number, Answer | Failure>> {
  const results = new Map<number, Answer | Failure>();
  const byLeader = new Map<number, number[]>();
  for (const partition of partitions) {
    const leaderId = topic.partitions.find((found) => found.partitionIndex === partition)?.leaderId;
    if (leaderId === undefined) results.set(partition, noSuchPartition(topic, partition));
    else byLeader.set(leaderId, [...(byLeader.get(leaderId) ?? []), partition]);
  }
  await Promise.all(
    [...byLeader].map(async ([leaderId, led]) => {
      const broker = brokers.find(({ nodeId }) => nodeId === leaderId);
      try {
        if (broker === undefined) {
          throw new KafkaRequestFailed(subject(topic.name!, led[0]!), errors.LEADER_NOT_AVAILABLE.code);
        }
        const leader = await cluster.connectionTo(broker);
        for (const [partition, result] of await request(leader, topic, led)) results.set(partition, result);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        for (const partition of led) results.set(partition, error);
      }
    }),
  );
  return results;
}

function noSuchPartition({ name, partitions }: TopicMetadata, partition: number): Failure {
  const indexes = partitions.map(({ partitionIndex }) => partitionIndex);
  const known =
    indexes.length === 1
      ? 'its only partition is 0'
      : `its partitions are ${Math.min(...indexes)} to ${Math.max(...indexes)}`;
  return new Failure(`topic ${name} has no partition ${partition}; ${known}`);
}

/** How errors name a partition. */
export function subject(topicName: string, partition: number): string {
  return `topic ${topicName}, partition ${partition}`;
}

/** The answers; throws the failure of the first partition that has one. */
export function allAnswers<Answer>({
  answers,
  failures,
}: LeaderAnswers<Answer>): ReadonlyMap<number, Answer> {
  const [failure] = failures.values();
  if (failure !== undefined) throw failure;
  return answers;
}
