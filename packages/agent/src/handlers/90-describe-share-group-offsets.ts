import type { ShareOffset, ShareOffsetsAnswer, TopicPartition } from '@weir/metadata';
import { type Apis, type ErrorName, errors, type RequestOf, zeroUuid } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { leaderEpoch } from '../read-path/batch-list.ts';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';

type Group = RequestOf<Apis['DescribeShareGroupOffsets']>['groups'][number];

/**
 * DescribeShareGroupOffsets v0 and v1: where share groups stand and, from v1 on, how much is left.
 *
 * - Partitions that a group has not begun with are at -1.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS for every group.
 *
 * Missing: ACLs.
 */
export const describeShareGroupOffsetsHandler: HandlerOf<Apis['DescribeShareGroupOffsets']> = async (
  request,
  { cluster },
) => {
  const queries = request.groups.map((group) => ({
    groupId: group.groupId,
    partitions: group.topics === null ? null : placesOf(group.topics, cluster),
  }));
  const answers = await ifAvailable(cluster.port.describeShareOffsets(queries));
  return {
    throttleTimeMs: 0,
    groups: request.groups.map((group, index) => groupAnswer(group, answers?.[index], cluster)),
  };
};

function placesOf(topics: NonNullable<Group['topics']>, cluster: ClusterView): TopicPartition[] {
  return topics.flatMap(({ topicName, partitions }) => {
    const topicId = cluster.topicByName(topicName)?.topicId;
    return topicId === undefined ? [] : partitions.map((partition) => ({ topicId, partition }));
  });
}

function groupAnswer(
  { groupId, topics }: Group,
  answer: ShareOffsetsAnswer | undefined,
  cluster: ClusterView,
) {
  const error = answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS';
  if (answer === undefined || error !== 'NONE') {
    const errorMessage = error === 'GROUP_ID_NOT_FOUND' ? `Group ${groupId} not found.` : null;
    return { groupId, topics: [], errorCode: errors[error].code, errorMessage };
  }
  const byTopic = new Map<string, ShareOffset[]>();
  for (const offset of answer.offsets) {
    const offsets = byTopic.get(offset.topicId) ?? [];
    byTopic.set(offset.topicId, offsets);
    offsets.push(offset);
  }
  const known = Array.from(byTopic, ([topicId, offsets]) => ({
    topicName: cluster.topicById(topicId)?.name ?? '',
    topicId,
    partitions: offsets.map(({ partition, startOffset, lag, error: problem }) =>
      partitionAnswer(partition, startOffset, lag, problem),
    ),
  }));
  const unknown = (topics ?? [])
    .filter(({ topicName }) => cluster.topicByName(topicName) === undefined)
    .map(({ topicName, partitions }) => ({
      topicName,
      topicId: zeroUuid,
      partitions: partitions.map((partition) =>
        partitionAnswer(partition, -1, -1, 'UNKNOWN_TOPIC_OR_PARTITION'),
      ),
    }));
  return { groupId, topics: [...known, ...unknown], errorCode: errors.NONE.code };
}

function partitionAnswer(partitionIndex: number, startOffset: number, lag: number, error: ErrorName) {
  return {
    partitionIndex,
    startOffset: BigInt(startOffset),
    leaderEpoch,
    lag: BigInt(lag),
    errorCode: errors[error].code,
  };
}
