import type { GroupError, ShareHeartbeat, ShareHeartbeatAnswer } from '@weir/cluster';
import { isSame, partitionsAsList } from '../assignors/partitions.ts';
import type { ShareRules, ShareStep } from './event.ts';
import { charsOf, type ShareMember } from './share-group.ts';

export interface Problem {
  readonly error: GroupError;
  readonly message: string;
}

/** A member joins, stays, changes its subscription, or leaves. */
export function onHeartbeat(step: ShareStep, heartbeat: ShareHeartbeat): ShareHeartbeatAnswer {
  const { group } = step;
  const { memberId, memberEpoch } = heartbeat;
  const known = group.members.get(memberId);
  const problem =
    checkHeartbeat(heartbeat, step.rules) ??
    (known === undefined ? problemOfNew(step, heartbeat) : problemOfEpoch(step, known, memberEpoch)) ??
    problemOfSize(step, heartbeat, known);
  if (problem !== undefined) return refusedHeartbeat(problem, memberId);
  if (memberEpoch === leavingEpoch) {
    step.remove(known!, { keepsLocks: true });
    return { ...answerOf(step, memberId), memberEpoch, heartbeatIntervalMs: 0 };
  }
  const member = known ?? join(step, heartbeat);
  if (known !== undefined) update(step, known, heartbeat);
  step.keepAlive(member);
  return sendAssignment(step, member, heartbeat);
}

const leavingEpoch = -1;

export function refusedHeartbeat({ error, message }: Problem, memberId: string): ShareHeartbeatAnswer {
  return { error, message, memberId, memberEpoch: 0, heartbeatIntervalMs: 0, assignment: null };
}

/** Validates a heartbeat independently of the group. */
export function checkHeartbeat(
  { groupId, memberId, memberEpoch, rackId, clientId, subscribedTopicNames }: ShareHeartbeat,
  rules: ShareRules,
): Problem | undefined {
  if (groupId.trim() === '') return invalid('The group id is empty.');
  if (memberId.trim() === '') return invalid('The member id is empty.');
  if ([groupId, memberId, rackId ?? '', clientId].some((text) => text.length > rules.nameCharsMax)) {
    return invalid(`An id has more than ${rules.nameCharsMax} characters.`);
  }
  if (rackId === '') return invalid('The rack id is empty.');
  if (memberEpoch < leavingEpoch) return invalid(`${memberEpoch} is no member epoch.`);
  const nameCount = subscribedTopicNames?.length ?? 0;
  if (nameCount > rules.subscribedNamesMax) {
    return invalid(`${nameCount} topic names; at most ${rules.subscribedNamesMax} can be subscribed to.`);
  }
  if (memberEpoch === 0 && nameCount === 0)
    return invalid('A member that joins has to say what it subscribes to.');
  return undefined;
}

function invalid(message: string): Problem {
  return { error: 'INVALID_REQUEST', message };
}

function problemOfNew(
  { group, rules }: ShareStep,
  { memberId, memberEpoch }: ShareHeartbeat,
): Problem | undefined {
  if (memberEpoch !== 0)
    return { error: 'UNKNOWN_MEMBER_ID', message: `The group has no member ${memberId}.` };
  if (group.members.size < rules.groupSizeMax) return undefined;
  return {
    error: 'GROUP_MAX_SIZE_REACHED',
    message: `The group has ${group.members.size} members and takes no more.`,
  };
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
    message: `The member is at epoch ${epoch ?? group.epoch} and came with ${memberEpoch}; it has to join again.`,
  };
}

function problemOfSize(
  { group, rules }: ShareStep,
  { memberId, subscribedTopicNames }: ShareHeartbeat,
  known: ShareMember | undefined,
): Problem | undefined {
  if (subscribedTopicNames === null) return undefined;
  const chars = charsOf(memberId, subscribedTopicNames);
  const charsBefore = known === undefined ? 0 : charsOf(memberId, known.names);
  if (chars <= charsBefore || group.textChars + chars - charsBefore <= rules.textCharsMax) return undefined;
  return { error: 'GROUP_MAX_SIZE_REACHED', message: 'The members of the group subscribe to too much.' };
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
}

/** Returns the assignment, unless the member already has it. */
function sendAssignment(
  step: ShareStep,
  member: ShareMember,
  { memberEpoch, subscribedTopicNames }: ShareHeartbeat,
): ShareHeartbeatAnswer {
  const { group } = step;
  const target = group.targetOf(member.memberId);
  const isFullRequest = memberEpoch === 0 || subscribedTopicNames !== null;
  const isNews =
    isFullRequest ||
    memberEpoch !== member.epoch ||
    member.sentAssignment === undefined ||
    !isSame(member.sentAssignment, target);
  if (member.epoch !== group.epoch) {
    member.previousEpoch = member.epoch ?? memberEpoch;
    member.epoch = group.epoch;
  }
  member.sentAssignment = target;
  return {
    ...answerOf(step, member.memberId),
    memberEpoch: group.epoch,
    assignment: isNews ? partitionsAsList(target) : null,
  };
}

function answerOf({ rules, group }: ShareStep, memberId: string): ShareHeartbeatAnswer {
  return {
    error: 'NONE',
    message: null,
    memberId,
    memberEpoch: group.epoch,
    heartbeatIntervalMs: rules.heartbeatIntervalMs,
    assignment: null,
  };
}

function namesOf(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
