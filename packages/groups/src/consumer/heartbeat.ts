import type { ConsumerHeartbeat, ModernHeartbeatAnswer, Pattern } from '@weir/cluster';
import type { AssignorName } from '../assignors/assignor.ts';
import {
  isPartOf,
  isSame,
  noPartitions,
  partitionsAsList,
  partitionsFrom,
  type TopicPartitions,
} from '../assignors/partitions.ts';
import {
  type Problem,
  problemOfCount,
  problemOfSize,
  refusedHeartbeat,
  unknownMember,
} from '../modern/heartbeats.ts';
import { assignIfDue, dropUnsubscribed, preferredAssignor } from './assign.ts';
import { checkHeartbeat } from './check-heartbeat.ts';
import { awayEpoch, type ConsumerMember, type Subscription } from './consumer-group.ts';
import type { ConsumerStep } from './event.ts';
import { type Holding, reconcile } from './reconcile.ts';
import { readerMark, readSeenPattern, writeSeenPattern } from './seen-pattern.ts';

/** The sender of a heartbeat: a known member, a new one, or a static one that returns with another id. */
type Sender =
  | { readonly member: ConsumerMember; readonly replaced: undefined }
  | { readonly member: undefined; readonly replaced: ConsumerMember | undefined };

export const newHolding: Holding = {
  epoch: 0,
  previousEpoch: 0,
  state: 'stable',
  assigned: noPartitions,
  revoking: noPartitions,
};

/** A member joins, stays, changes its subscription, reports its owned partitions, or leaves. */
export function onHeartbeat(
  step: ConsumerStep,
  heartbeat: ConsumerHeartbeat,
  freshMemberId: string,
): ModernHeartbeatAnswer {
  const problem = checkHeartbeat(heartbeat, step.rules);
  if (problem !== undefined) return refusedHeartbeat(problem, heartbeat.memberId);
  if (heartbeat.memberEpoch < 0) return onLeave(step, heartbeat);
  const owned = heartbeat.ownedPartitions === null ? null : partitionsFrom(heartbeat.ownedPartitions);
  const sender = findSender(step, heartbeat, owned);
  if ('error' in sender) return refusedHeartbeat(sender, heartbeat.memberId);
  const wanted = wantedSubscription(step, heartbeat, sender.member ?? sender.replaced);
  if ('error' in wanted) return refusedHeartbeat(wanted, heartbeat.memberId);
  const { member } = sender;
  if (member === undefined) {
    const memberId = heartbeat.memberId === '' ? freshMemberId : heartbeat.memberId;
    const joined = join(step, memberId, heartbeat, wanted, sender.replaced);
    return advance(step, joined, heartbeat, owned);
  }
  update(step, member, heartbeat, wanted);
  return advance(step, member, heartbeat, owned);
}

function findSender(
  { group, rules }: ConsumerStep,
  heartbeat: ConsumerHeartbeat,
  owned: TopicPartitions | null,
): Sender | Problem {
  const { memberId, instanceId, memberEpoch } = heartbeat;
  const known = group.member(memberId);
  if (instanceId === null) {
    if (known !== undefined)
      return checkEpoch(known, memberEpoch, owned) ?? { member: known, replaced: undefined };
  } else {
    const named = group.staticMember(instanceId);
    if (named !== undefined && named === known) {
      return checkEpoch(known, memberEpoch, owned) ?? { member: known, replaced: undefined };
    }
    if (memberEpoch !== 0 && named !== undefined) {
      return fencedInstance(instanceId);
    }
    if (known !== undefined) {
      return { error: 'INVALID_REQUEST', message: `The member ${memberId} has another instance id.` };
    }
    if (named !== undefined) {
      const isReleased = named.holding.epoch === awayEpoch || named.classic !== null;
      if (isReleased) return { member: undefined, replaced: named };
      return {
        error: 'UNRELEASED_INSTANCE_ID',
        message: `The instance id ${instanceId} belongs to member ${named.memberId}, which has not left.`,
      };
    }
  }
  if (memberEpoch !== 0) return unknownMember(memberId);
  return problemOfCount(group, rules) ?? { member: undefined, replaced: undefined };
}

/**
 * A rejoining member owns nothing and may use its old id. A member that did not receive the last answer sends the
 * previous epoch; that is safe as long as it owns only assigned partitions.
 */
function checkEpoch(
  { memberId, holding, classic }: ConsumerMember,
  memberEpoch: number,
  owned: TopicPartitions | null,
): Problem | undefined {
  if (memberEpoch === 0) return undefined;
  if (classic !== null) return unknownMember(memberId);
  if (memberEpoch === holding.epoch) return undefined;
  const isBehind =
    memberEpoch === holding.previousEpoch && owned !== null && isPartOf(owned, holding.assigned);
  if (isBehind) return undefined;
  return {
    error: 'FENCED_MEMBER_EPOCH',
    message: `The member epoch is ${holding.epoch}, not ${memberEpoch}; the member must give up its partitions and rejoin.`,
  };
}

function fencedInstance(instanceId: string | null): Problem {
  return { error: 'FENCED_INSTANCE_ID', message: `Another member has the instance id ${instanceId} now.` };
}

interface Wanted {
  readonly subscription: Subscription;
  readonly pattern: Pattern | undefined;
}

function wantedSubscription(
  { group, rules, topics }: ConsumerStep,
  heartbeat: ConsumerHeartbeat,
  before: ConsumerMember | undefined,
): Wanted | Problem {
  const { subscribedTopicNames: names, subscribedTopicRegex: regex } = heartbeat;
  const old = before?.subscription;
  if (old !== undefined && names === null && regex === null) return { subscription: old, pattern: undefined };
  if (regex?.startsWith(readerMark) === true) {
    return { error: 'INVALID_REGULAR_EXPRESSION', message: 'A regular expression must not begin with NUL.' };
  }
  const { reader = null } = heartbeat;
  const subscription: Subscription = {
    names: names === null ? (old?.names ?? []) : [...new Set(names)].sort(),
    pattern: regex === null ? (old?.pattern ?? '') : writeSeenPattern({ expression: regex, reader }),
  };
  if (old !== undefined && isSameSubscription(old, subscription))
    return { subscription: old, pattern: undefined };
  const tooLarge = problemOfSize(group, rules, heartbeat.memberId, subscription, old);
  if (tooLarge !== undefined) return tooLarge;
  if (subscription.pattern === '' || group.patterns.has(subscription.pattern)) {
    return { subscription, pattern: undefined };
  }
  const { expression } = readSeenPattern(subscription.pattern);
  const pattern = group.compiled(expression) ?? topics.compile(expression);
  if (pattern === 'busy') {
    const message = 'Too many subscription patterns are waiting to be matched; retry later.';
    return { error: 'COORDINATOR_LOAD_IN_PROGRESS', message };
  }
  if (pattern.problem === undefined) return { subscription, pattern };
  return { error: 'INVALID_REGULAR_EXPRESSION', message: pattern.problem };
}

function join(
  step: ConsumerStep,
  memberId: string,
  heartbeat: ConsumerHeartbeat,
  { subscription, pattern }: Wanted,
  replaced: ConsumerMember | undefined,
): ConsumerMember {
  const { group } = step;
  // The replacement of a static member inherits its target and assignment.
  const target = replaced === undefined ? undefined : group.targets.get(replaced.memberId);
  const holding = replaced === undefined ? newHolding : comeBack(replaced.holding);
  const before = replaced?.subscription;
  const member: ConsumerMember = {
    memberId,
    instanceId: heartbeat.instanceId,
    rackId: heartbeat.rackId,
    clientId: heartbeat.clientId,
    clientHost: heartbeat.clientHost,
    rebalanceTimeoutMs: heartbeat.rebalanceTimeoutMs,
    assignor: heartbeat.serverAssignor as AssignorName | null,
    classic: null,
    subscription,
    holding,
    sessionDeadlineMs: 0,
    rebalanceDeadlineMs: undefined,
  };
  group.add(member, pattern);
  // Removed after the new one is added, so that a pattern that both have is not dropped in between.
  if (replaced !== undefined) step.remove(replaced);
  group.matchPatterns(step.topics);
  if (target !== undefined) group.targets.set(memberId, target);
  step.change(member);
  step.isGroupChanged = true;
  if (before !== subscription) {
    step.bump();
    dropUnsubscribed(step, member);
  }
  return member;
}

/** A returning member has no epoch until it gets its assignment. */
export function comeBack({ assigned }: Holding): Holding {
  return { ...newHolding, assigned };
}

function update(
  step: ConsumerStep,
  member: ConsumerMember,
  heartbeat: ConsumerHeartbeat,
  { subscription, pattern }: Wanted,
): void {
  const { group } = step;
  const { rackId, rebalanceTimeoutMs, clientId, clientHost } = heartbeat;
  const assignor = heartbeat.serverAssignor as AssignorName | null;
  const isRejoin = heartbeat.memberEpoch === 0;
  if (isRejoin && member.classic !== null) {
    group.setClassic(member, null);
    if (member.holding.state !== 'revoking') member.rebalanceDeadlineMs = undefined;
    step.change(member);
  }
  if (isRejoin && member.holding.epoch === awayEpoch) {
    group.setHolding(member, comeBack(member.holding));
    step.change(member);
  }
  const isOther =
    (rackId !== null && rackId !== member.rackId) ||
    (rebalanceTimeoutMs !== -1 && rebalanceTimeoutMs !== member.rebalanceTimeoutMs) ||
    clientId !== member.clientId ||
    clientHost !== member.clientHost ||
    (assignor !== null && assignor !== member.assignor);
  if (isOther) {
    member.rackId = rackId ?? member.rackId;
    if (rebalanceTimeoutMs !== -1) member.rebalanceTimeoutMs = rebalanceTimeoutMs;
    member.clientId = clientId;
    member.clientHost = clientHost;
    member.assignor = assignor ?? member.assignor;
    step.change(member);
  }
  if (subscription !== member.subscription) {
    const { names } = member.subscription;
    group.setSubscription(member, subscription, pattern, step.topics);
    group.matchPatterns(step.topics);
    step.change(member);
    // Matching a new pattern may take time, and until then the old matches apply.
    if (!isSameList(names, subscription.names) || group.isMatched(subscription.pattern)) step.bump();
    dropUnsubscribed(step, member);
  } else if (isOther && preferredAssignor(group) !== group.assignor) {
    step.bump();
  }
}

/** Reconciles the member as far as possible and returns what is new to it. */
function advance(
  step: ConsumerStep,
  member: ConsumerMember,
  heartbeat: ConsumerHeartbeat,
  owned: TopicPartitions | null,
): ModernHeartbeatAnswer {
  const { memberEpoch, rebalanceTimeoutMs, subscribedTopicNames, subscribedTopicRegex } = heartbeat;
  const before = member.holding;
  assignIfDue(step);
  reconcileMember(step, member, owned);
  step.keepAlive(member);
  const { holding } = member;
  const isFullRequest =
    rebalanceTimeoutMs !== -1 &&
    owned !== null &&
    (subscribedTopicNames !== null || subscribedTopicRegex !== null);
  // A member that owns something else may not have received its assignment.
  const isOther = owned !== null && !isSame(owned, holding.assigned);
  const isNews =
    isFullRequest || isOther || memberEpoch !== before.epoch || !isSame(before.assigned, holding.assigned);
  return {
    error: 'NONE',
    message: null,
    memberId: member.memberId,
    memberEpoch: holding.epoch,
    heartbeatIntervalMs: step.rules.heartbeatIntervalMs,
    assignment: isNews ? partitionsAsList(holding.assigned) : null,
  };
}

export function reconcileMember(
  step: ConsumerStep,
  member: ConsumerMember,
  owned: TopicPartitions | null,
): void {
  const { group } = step;
  const { memberId, holding } = member;
  const target = { epoch: group.assignmentEpoch, partitions: group.targetOf(memberId) };
  const next = reconcile(holding, target, owned, (topicId, partition) => {
    const owner = group.ownerOf(topicId, partition);
    return owner === undefined || owner === memberId;
  });
  if (next === holding) return;
  group.setHolding(member, next);
  step.change(member);
  if (next.state !== 'revoking') member.rebalanceDeadlineMs = undefined;
  else member.rebalanceDeadlineMs = step.deadline(member.rebalanceTimeoutMs);
}

function onLeave(step: ConsumerStep, heartbeat: ConsumerHeartbeat): ModernHeartbeatAnswer {
  const { group } = step;
  const { memberId, instanceId, memberEpoch } = heartbeat;
  const member = instanceId === null ? group.member(memberId) : group.staticMember(instanceId);
  if (member === undefined || member.classic !== null)
    return refusedHeartbeat(unknownMember(memberId), memberId);
  if (member.memberId !== memberId) return refusedHeartbeat(fencedInstance(instanceId), memberId);
  if (memberEpoch === awayEpoch) {
    const { assigned } = member.holding;
    group.setHolding(member, { ...newHolding, epoch: awayEpoch, assigned });
    member.rebalanceDeadlineMs = undefined;
    step.keepAlive(member);
    step.change(member);
  } else {
    step.remove(member);
    step.bump();
  }
  return { ...refusedHeartbeat({ error: 'NONE', message: '' }, memberId), message: null, memberEpoch };
}

export function isSameSubscription(a: Subscription, b: Subscription): boolean {
  return a.pattern === b.pattern && isSameList(a.names, b.names);
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
