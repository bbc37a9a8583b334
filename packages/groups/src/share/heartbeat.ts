import type { ModernHeartbeatAnswer, ShareHeartbeat } from '@weir/cluster';
import { isSame, partitionsAsList } from '../assignors/partitions.ts';
import {
  invalidity,
  type Problem,
  problemOfCount,
  problemOfSize,
  refusedHeartbeat,
  unknownMember,
} from '../modern/heartbeats.ts';
import type { ModernRules } from '../modern/modern-step.ts';
import { assignIfDue, dropUnsubscribed } from './assign.ts';
import type { ShareStep } from './event.ts';
import type { ShareMember } from './share-group.ts';

/** A member joins, stays, changes its subscription, or leaves. */
export function onHeartbeat(step: ShareStep, heartbeat: ShareHeartbeat): ModernHeartbeatAnswer {
  const { group, rules } = step;
  const { memberId, memberEpoch, subscribedTopicNames: names } = heartbeat;
  const known = group.members.get(memberId);
  const problem =
    checkHeartbeat(heartbeat, rules) ??
    (known === undefined ? problemOfNew(step, heartbeat) : problemOfEpoch(step, known, memberEpoch)) ??
    (names === null ? undefined : problemOfSize(group, rules, memberId, { names }, known));
  if (problem !== undefined) return refusedHeartbeat(problem, memberId);
  if (memberEpoch === leavingEpoch) {
    step.remove(known!, { keepsLocks: true });
    assignIfDue(step);
    return { ...answerOf(step, memberId), memberEpoch, heartbeatIntervalMs: 0 };
  }
  const member = known ?? join(step, heartbeat);
  if (known !== undefined) update(step, known, heartbeat);
  step.keepAlive(member);
  assignIfDue(step);
  return sendAssignment(step, member, heartbeat);
}

const leavingEpoch = -1;

/** Validates a heartbeat independently of the group. */
export function checkHeartbeat(heartbeat: ShareHeartbeat, rules: ModernRules): Problem | undefined {
  const message = invalidity(heartbeat, rules) ?? inconsistency(heartbeat);
  return message === undefined ? undefined : { error: 'INVALID_REQUEST', message };
}

function inconsistency(heartbeat: ShareHeartbeat): string | undefined {
  const { memberId, memberEpoch, subscribedTopicNames: names } = heartbeat;
  if (memberId.trim() === '') return 'The member id is empty.';
  if (memberEpoch < leavingEpoch) return `Member epoch ${memberEpoch} is invalid.`;
  if (memberEpoch === 0 && (names === null || names.length === 0))
    return 'A joining member must send its subscription.';
  return undefined;
}

function problemOfNew(
  { group, rules }: ShareStep,
  { memberId, memberEpoch }: ShareHeartbeat,
): Problem | undefined {
  return memberEpoch === 0 ? problemOfCount(group, rules) : unknownMember(memberId);
}

/** A member that did not receive the last answer sends the previous epoch. */
function problemOfEpoch({ group }: ShareStep, member: ShareMember, memberEpoch: number): Problem | undefined {
  const { epoch, previousEpoch } = member;
  if (memberEpoch <= 0) return undefined;
  if (
    epoch === undefined ? memberEpoch <= group.epoch : memberEpoch === epoch || memberEpoch === previousEpoch
  ) {
    return undefined;
  }
  return {
    error: 'FENCED_MEMBER_EPOCH',
    message: `The member epoch is ${epoch ?? group.epoch}, not ${memberEpoch}; the member must rejoin.`,
  };
}

function join(step: ShareStep, heartbeat: ShareHeartbeat): ShareMember {
  const { memberId, rackId, clientId, clientHost } = heartbeat;
  const member: ShareMember = {
    memberId,
    rackId,
    clientId,
    clientHost,
    names: namesOf(heartbeat.subscribedTopicNames!),
    epoch: 0,
    previousEpoch: 0,
    sentAssignment: undefined,
    sessionDeadlineMs: 0,
  };
  step.group.add(member);
  step.bump();
  return member;
}

function update(step: ShareStep, member: ShareMember, heartbeat: ShareHeartbeat): void {
  const { rackId, clientId, clientHost, subscribedTopicNames } = heartbeat;
  if (
    (rackId ?? member.rackId) !== member.rackId ||
    clientId !== member.clientId ||
    clientHost !== member.clientHost
  ) {
    member.rackId = rackId ?? member.rackId;
    member.clientId = clientId;
    member.clientHost = clientHost;
    step.isChanged = true;
  }
  if (subscribedTopicNames === null) return;
  const names = namesOf(subscribedTopicNames);
  if (names.length === member.names.length && names.every((name, index) => name === member.names[index]))
    return;
  step.group.setNames(member, names);
  step.bump();
  dropUnsubscribed(step, member);
}

/** Returns the assignment, unless the member already has it. */
function sendAssignment(
  step: ShareStep,
  member: ShareMember,
  { memberEpoch, subscribedTopicNames }: ShareHeartbeat,
): ModernHeartbeatAnswer {
  const { group } = step;
  const target = group.targetOf(member.memberId);
  const isFullRequest = memberEpoch === 0 || subscribedTopicNames !== null;
  const isNews =
    isFullRequest ||
    memberEpoch !== member.epoch ||
    member.sentAssignment === undefined ||
    !isSame(member.sentAssignment, target);
  if (member.epoch !== group.assignmentEpoch) {
    member.previousEpoch = member.epoch ?? memberEpoch;
    member.epoch = group.assignmentEpoch;
  }
  member.sentAssignment = target;
  return {
    ...answerOf(step, member.memberId),
    memberEpoch: group.assignmentEpoch,
    assignment: isNews ? partitionsAsList(target) : null,
  };
}

function answerOf({ rules, group }: ShareStep, memberId: string): ModernHeartbeatAnswer {
  return {
    error: 'NONE',
    message: null,
    memberId,
    memberEpoch: group.assignmentEpoch,
    heartbeatIntervalMs: rules.heartbeatIntervalMs,
    assignment: null,
  };
}

function namesOf(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
