import type { BatchesAnswer, BatchesQuery } from '@weir/cluster';
import { clusterResourceName } from '@weir/core';
import { type Apis, type ErrorName, errors, type RequestOf, type ResponseOf } from '@weir/wire';
import { callInParts } from '../cluster-calls/call-in-parts.ts';
import { leaderEpoch } from '../placement/described-agents.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { Turns } from '../requests/turns.ts';
import { refusalsByName, type TopicRefusals } from '../topics/topic-refusals.ts';

/**
 * OffsetForLeaderEpoch v2 to v4: returns the end offset of an epoch. The only epoch is 0, and it ends at the end of the
 * partition; for any other epoch the response is -1 and -1. Long lists are served in turns.
 *
 * - The end comes from the control plane and not from the cluster view: a consumer that is ahead of the view would take
 *   an older end for log truncation and reset its position.
 * - A current epoch above 0 is UNKNOWN_LEADER_EPOCH, -1 skips the check, and a lower one is FENCED_LEADER_EPOCH.
 * - UNKNOWN_TOPIC_OR_PARTITION; LEADER_NOT_AVAILABLE if the control plane is unavailable.
 * - Requires DESCRIBE on the topic (TOPIC_AUTHORIZATION_FAILED), or CLUSTER_ACTION on the cluster for all topics.
 */
export const offsetForLeaderEpochHandler: HandlerOf<Apis['OffsetForLeaderEpoch']> = async (
  request,
  context,
) => {
  const { cluster, clock } = context;
  const refusalOf = refusals(context);
  const turns = new Turns(clock);
  const checked: { readonly topic: string; readonly partitions: CheckedPartition[] }[] = [];
  const queries: BatchesQuery[] = [];
  for (const { topic, partitions } of request.topics) {
    const refusal = refusalOf(topic);
    const entries: CheckedPartition[] = [];
    checked.push({ topic, partitions: entries });
    for (const requested of partitions) {
      const entry =
        refusal === undefined
          ? check(topic, requested, cluster)
          : { partition: requested.partition, error: refusal, query: undefined };
      entries.push(entry);
      if (entry.query !== undefined) queries.push(entry.query);
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  const answers = await callInParts(queries, {
    clock,
    costOf: () => 1,
    call: (part) => cluster.port.findBatches(part),
  });
  let next = 0;
  const topics: ResponseOf<Apis['OffsetForLeaderEpoch']>['topics'][number][] = [];
  for (const { topic, partitions } of checked) {
    const entries: ReturnType<typeof failed>[] = [];
    topics.push({ topic, partitions: entries });
    for (const { partition, error, query } of partitions) {
      entries.push(query === undefined ? failed(partition, error) : entryOf(partition, answers[next++]));
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return { throttleTimeMs: 0, topics };
};

type RequestedPartition = RequestOf<Apis['OffsetForLeaderEpoch']>['topics'][number]['partitions'][number];

/** Brokers of Apache Kafka used this API, so CLUSTER_ACTION makes the checks on topics unnecessary. */
function refusals(context: RequestContext): TopicRefusals {
  const isBroker = context.access.mayQuietly('CLUSTER_ACTION', 'CLUSTER', clusterResourceName);
  return isBroker ? () => undefined : refusalsByName(context, 'DESCRIBE');
}

interface CheckedPartition {
  readonly partition: number;
  readonly error: ErrorName;
  /** Absent if none is needed: for an error, or an epoch that does not exist. */
  readonly query: BatchesQuery | undefined;
}

function check(
  topicName: string,
  requested: RequestedPartition,
  cluster: RequestContext['cluster'],
): CheckedPartition {
  const { partition, currentLeaderEpoch } = requested;
  const error = (name: ErrorName) => ({ partition, error: name, query: undefined });
  const topic = cluster.topicByName(topicName);
  const ends = topic === undefined ? undefined : cluster.ends(topic.topicId, partition);
  if (topic === undefined || ends === undefined) return error('UNKNOWN_TOPIC_OR_PARTITION');
  if (currentLeaderEpoch > leaderEpoch) return error('UNKNOWN_LEADER_EPOCH');
  if (currentLeaderEpoch < -1) return error('FENCED_LEADER_EPOCH');
  if (requested.leaderEpoch !== leaderEpoch) return error('NONE');
  const query = { topicId: topic.topicId, partition, offset: ends.nextOffset, bytesMax: 1 };
  return { partition, error: 'NONE' as const, query };
}

function entryOf(partition: number, answer: BatchesAnswer | undefined) {
  if (answer === undefined) return failed(partition, 'LEADER_NOT_AVAILABLE');
  const isGone = answer.error === 'UNKNOWN_TOPIC_ID' || answer.error === 'UNKNOWN_TOPIC_OR_PARTITION';
  if (isGone) return failed(partition, 'UNKNOWN_TOPIC_OR_PARTITION');
  return { errorCode: errors.NONE.code, partition, leaderEpoch, endOffset: BigInt(answer.nextOffset) };
}

function failed(partition: number, error: ErrorName) {
  return { errorCode: errors[error].code, partition, leaderEpoch: -1, endOffset: -1n };
}
