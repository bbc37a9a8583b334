import type { GroupError, GroupStateName, OffsetsCommitter, TopicPartition } from '@weir/cluster';
import type { TopicsView } from '../modern/modern-group.ts';
import { type Decisions, stepBy } from '../modern/modern-step.ts';
import { assignIfDue, nextAssignmentMs } from './assign.ts';
import { configureTopology } from './configure-topology.ts';
import { type StreamsEvents, type StreamsRules, StreamsStep } from './event.ts';
import { onHeartbeat } from './heartbeat.ts';
import type { StreamsGroup, StreamsMember } from './streams-group.ts';

const table: Decisions<StreamsStep, StreamsEvents> = {
  heartbeat: (current, { heartbeat }) => onHeartbeat(current, heartbeat),
  topics: (current) => {
    const { group, topics } = current;
    if (group.topology === undefined) return undefined;
    if (group.hasOtherTopics(topics)) current.bump();
    else group.configured ??= configureTopology(group.topology, topics);
    assignIfDue(current);
    return undefined;
  },
  delete: ({ group }) => group.delete(),
  tick: (current) => {
    const late = current.group.expired(current.nowMs, deadlineMsOf);
    for (const member of late) current.remove(member);
    if (late.length > 0) current.bump();
    assignIfDue(current);
    return undefined;
  },
};

/**
 * The state machine of a streams group (KIP-1071), without I/O, clock or randomness; it changes the group in place.
 * Every request is answered at once; members learn later changes by their next heartbeat.
 */
export const step = stepBy<StreamsGroup, StreamsRules, TopicsView, StreamsStep, StreamsEvents>(
  StreamsStep,
  table,
);

function deadlineMsOf({ sessionDeadlineMs, rebalanceDeadlineMs }: StreamsMember): number {
  return Math.min(sessionDeadlineMs, rebalanceDeadlineMs ?? Number.POSITIVE_INFINITY);
}

/** Returns the earliest deadline of the group, when it must be woken. */
export function nextDeadlineMs(group: StreamsGroup, rules: StreamsRules): number {
  const soonestMs = group.soonestDeadlineMs(deadlineMsOf);
  const isAssigning = group.epoch !== group.assignmentEpoch && group.members.size > 0;
  return isAssigning ? Math.min(soonestMs, nextAssignmentMs(group, rules)) : soonestMs;
}

/** The state as Kafka reports it. */
export function stateOf(group: StreamsGroup): GroupStateName {
  if (group.isDead) return 'Dead';
  if (group.members.size === 0) return 'Empty';
  if (!group.isReady) return 'NotReady';
  if (group.epoch > group.assignmentEpoch) return 'Assigning';
  for (const { holding } of group.members.values()) {
    if (holding.state !== 'stable' || holding.epoch !== group.assignmentEpoch) return 'Reconciling';
  }
  return 'Stable';
}

/**
 * Checks whether a committer may commit offsets. Without members any client may. A member that has not learned its
 * present epoch may commit for tasks that it has had since then (KIP-1251): it does so when it gives tasks up.
 */
export function checkCommit(
  group: StreamsGroup,
  { memberId, groupInstanceId, generationIdOrMemberEpoch: epoch }: OffsetsCommitter,
  isTransactional: boolean,
  partitions: readonly TopicPartition[],
  topics: Pick<TopicsView, 'nameOf'>,
): GroupError {
  if (epoch < 0 && group.members.size === 0) return 'NONE';
  // Producers of older clients commit in a transaction without a member id.
  if (isTransactional && epoch < 0 && memberId === '' && groupInstanceId === null) return 'NONE';
  const member = group.member(memberId);
  if (member === undefined) return 'UNKNOWN_MEMBER_ID';
  if (groupInstanceId !== null && member.instanceId !== groupInstanceId) return 'UNKNOWN_MEMBER_ID';
  if (epoch === member.holding.epoch) return 'NONE';
  if (epoch > member.holding.epoch) return 'STALE_MEMBER_EPOCH';
  const { since } = member.holding;
  const isOwn = partitions.every(({ topicId, partition }) => {
    const name = topics.nameOf(topicId);
    const subtopologyId = name === undefined ? undefined : group.subtopologyOf(name);
    const sinceEpoch = subtopologyId === undefined ? undefined : since.get(subtopologyId)?.get(partition);
    return sinceEpoch !== undefined && epoch >= sinceEpoch;
  });
  return isOwn ? 'NONE' : 'STALE_MEMBER_EPOCH';
}

export function checkFetch(group: StreamsGroup, memberId: string | null, memberEpoch: number): GroupError {
  if (memberId === null && memberEpoch < 0) return 'NONE';
  const member = group.member(memberId ?? '');
  if (member === undefined) return 'UNKNOWN_MEMBER_ID';
  return memberEpoch === member.holding.epoch ? 'NONE' : 'STALE_MEMBER_EPOCH';
}
