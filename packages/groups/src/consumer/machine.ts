import type { GroupError, GroupStateName, OffsetsCommitter } from '@weir/cluster';
import { type Decisions, stepBy } from '../modern/modern-step.ts';
import { assignIfDue, nextAssignmentMs } from './assign.ts';
import { onClassicHeartbeat, onClassicJoin, onClassicLeave, onClassicSync } from './classic-members.ts';
import type { ConsumerGroup, ConsumerMember, MatchedTopicsView } from './consumer-group.ts';
import { type ConsumerEvents, type ConsumerRules, ConsumerStep } from './event.ts';
import { onHeartbeat } from './heartbeat.ts';

const table: Decisions<ConsumerStep, ConsumerEvents> = {
  heartbeat: (current, { heartbeat, freshMemberId }) => onHeartbeat(current, heartbeat, freshMemberId),
  classicJoin: (current, { request, freshMemberId }) => onClassicJoin(current, request, freshMemberId),
  classicSync: (current, { request }) => onClassicSync(current, request),
  classicHeartbeat: (current, { heartbeat }) => onClassicHeartbeat(current, heartbeat),
  classicLeave: (current, { members }) => onClassicLeave(current, members),
  topics: (current, { names }) => {
    const { group, topics } = current;
    let isNews = false;
    if (names === undefined) group.matchPatterns(topics);
    else isNews = group.matchTopics(topics, names);
    if (isNews || hasOtherTopics(current)) current.bump();
    return undefined;
  },
  matched: (current, { expression, names }) => {
    const { group, topics } = current;
    const isNews = group.setMatched(expression, names);
    // The topics of a member may change although those of the group do not.
    if (group.matchPatterns(topics) || isNews || hasOtherTopics(current)) current.bump();
    assignIfDue(current);
    return undefined;
  },
  rules: (current) => {
    const { group, topics } = current;
    group.invalidateMatches(topics);
    if (group.matchPatterns(topics)) current.bump();
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
 * The state machine of a consumer group (KIP-848), without I/O, clock or randomness; it changes the group in place.
 * Every request is answered at once; members learn later changes by their next heartbeat.
 */
export const step = stepBy<ConsumerGroup, ConsumerRules, MatchedTopicsView, ConsumerStep, ConsumerEvents>(
  ConsumerStep,
  table,
);

function deadlineMsOf({ sessionDeadlineMs, rebalanceDeadlineMs }: ConsumerMember): number {
  return Math.min(sessionDeadlineMs, rebalanceDeadlineMs ?? Number.POSITIVE_INFINITY);
}

/** Returns the earliest deadline of the group, when it must be woken. */
export function nextDeadlineMs(group: ConsumerGroup, rules: ConsumerRules): number {
  const soonestMs = group.soonestDeadlineMs(deadlineMsOf);
  const isAssigning = group.epoch !== group.assignmentEpoch && group.members.size > 0 && !group.isHeld;
  return isAssigning ? Math.min(soonestMs, nextAssignmentMs(group, rules)) : soonestMs;
}

/** The state as Kafka reports it. */
export function stateOf(group: ConsumerGroup): GroupStateName {
  if (group.isDead) return 'Dead';
  if (group.members.size === 0) return 'Empty';
  if (group.epoch > group.assignmentEpoch) return 'Assigning';
  for (const { holding } of group.members.values()) {
    if (holding.state !== 'stable' || holding.epoch !== group.assignmentEpoch) return 'Reconciling';
  }
  return 'Stable';
}

/** Checks whether a committer may commit offsets. Without members any client may; members need the current epoch. */
export function checkCommit(
  group: ConsumerGroup,
  { memberId, groupInstanceId, generationIdOrMemberEpoch: epoch }: OffsetsCommitter,
  isTransactional: boolean,
): GroupError {
  if (epoch < 0 && group.members.size === 0) return 'NONE';
  // Producers of older clients commit in a transaction without a member id.
  if (isTransactional && epoch < 0 && memberId === '' && groupInstanceId === null) return 'NONE';
  const member = group.member(memberId);
  if (member === undefined) return 'UNKNOWN_MEMBER_ID';
  if (groupInstanceId !== null && member.instanceId !== groupInstanceId) return 'UNKNOWN_MEMBER_ID';
  if (epoch === member.holding.epoch) return 'NONE';
  return member.classic === null ? 'STALE_MEMBER_EPOCH' : 'ILLEGAL_GENERATION';
}

export function checkFetch(group: ConsumerGroup, memberId: string | null, memberEpoch: number): GroupError {
  if (memberId === null && memberEpoch < 0) return 'NONE';
  const member = group.member(memberId ?? '');
  if (member === undefined) return 'UNKNOWN_MEMBER_ID';
  return memberEpoch === member.holding.epoch ? 'NONE' : 'STALE_MEMBER_EPOCH';
}

function hasOtherTopics({ group, topics }: ConsumerStep): boolean {
  return !group.isHeld && group.hasOtherTopics(topics);
}
