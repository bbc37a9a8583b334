import type { ShareOffset, ShareOffsetsAnswer, ShareOffsetsQuery, TopicPartition } from '@weir/cluster';
import type { Access } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf, zeroUuid } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import { leaderEpoch } from '../read-path/batch-list.ts';
import type { HandlerOf } from '../requests/handler.ts';

type Group = RequestOf<Apis['DescribeShareGroupOffsets']>['groups'][number];
type RequestedTopic = NonNullable<Group['topics']>[number];

/**
 * DescribeShareGroupOffsets v0 and v1: start offsets of share groups and, from v1 on, their lag.
 *
 * - The offset is -1 for partitions that a group has not started, and for a group, topic or partition that does not
 *   exist.
 * - If the control plane is unavailable or fails, every group is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires DESCRIBE on the group. Partitions of topics that the client may not DESCRIBE are
 *   TOPIC_AUTHORIZATION_FAILED; a request for all partitions omits them.
 */
export const describeShareGroupOffsetsHandler: HandlerOf<Apis['DescribeShareGroupOffsets']> = async (
  request,
  context,
) => {
  const { cluster, access } = context;
  const groups = request.groups.map((group) => checkGroup(group, cluster, access));
  const queries = groups.flatMap(({ query }) => query ?? []);
  const answers =
    queries.length === 0 ? [] : await coordinatorAnswer(cluster.port.describeShareOffsets(queries), context);
  let next = 0;
  return {
    throttleTimeMs: 0,
    groups: groups.map((group) => {
      const { groupId, query } = group;
      if (query === undefined) return failed(groupId, 'GROUP_AUTHORIZATION_FAILED');
      const answer = answers?.[next++];
      if (answer === undefined) return failed(groupId, 'COORDINATOR_LOAD_IN_PROGRESS');
      if (answer.error !== 'NONE') return failed(groupId, answer.error);
      return groupAnswer(group, answer, cluster, access);
    }),
  };
};

interface RequestedGroup {
  readonly groupId: string;
  /** `undefined` for a group that the client may not DESCRIBE. */
  readonly query: ShareOffsetsQuery | undefined;
  /** Requested topics that are answered without a call to the control plane. */
  readonly refused: readonly { readonly topic: RequestedTopic; readonly error: ErrorName }[];
}

function checkGroup({ groupId, topics }: Group, cluster: ClusterView, access: Access): RequestedGroup {
  if (!access.may('DESCRIBE', 'GROUP', groupId)) return { groupId, query: undefined, refused: [] };
  if (topics === null) return { groupId, query: { groupId, partitions: null }, refused: [] };
  const partitions: TopicPartition[] = [];
  const refused: { topic: RequestedTopic; error: ErrorName }[] = [];
  for (const topic of topics) {
    const isShown = access.may('DESCRIBE', 'TOPIC', topic.topicName);
    const topicId = isShown ? cluster.topicByName(topic.topicName)?.topicId : undefined;
    if (topicId === undefined) {
      refused.push({ topic, error: isShown ? 'NONE' : 'TOPIC_AUTHORIZATION_FAILED' });
    } else for (const partition of topic.partitions) partitions.push({ topicId, partition });
  }
  return { groupId, query: { groupId, partitions }, refused };
}

function failed(groupId: string, error: ErrorName) {
  const errorMessage = error === 'GROUP_ID_NOT_FOUND' ? `Group ${groupId} not found.` : null;
  return { groupId, topics: [], errorCode: errors[error].code, errorMessage };
}

function groupAnswer(
  { groupId, query, refused }: RequestedGroup,
  answer: ShareOffsetsAnswer,
  cluster: ClusterView,
  access: Access,
) {
  const byTopic = new Map<string, ShareOffset[]>();
  for (const offset of answer.offsets) {
    const offsets = byTopic.get(offset.topicId) ?? [];
    byTopic.set(offset.topicId, offsets);
    offsets.push(offset);
  }
  const asksForAll = query?.partitions === null;
  const shown = Array.from(byTopic, ([topicId, offsets]) => ({
    topicName: cluster.topicById(topicId)?.name ?? '',
    topicId,
    partitions: offsets.map(({ partition, startOffset, lag, error }) =>
      partitionAnswer(partition, startOffset, lag, error),
    ),
  })).filter(({ topicName }) => !asksForAll || access.mayQuietly('DESCRIBE', 'TOPIC', topicName));
  const others = refused.map(({ topic: { topicName, partitions }, error }) => ({
    topicName,
    topicId: zeroUuid,
    partitions: partitions.map((partition) => partitionAnswer(partition, -1, -1, error)),
  }));
  return { groupId, topics: [...shown, ...others], errorCode: errors.NONE.code };
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
