import type { GroupError, JoinGroupRequest, NamedBytes } from '@weir/cluster';
import { type ClassicGroup, type Member, noBytes } from './classic-group.ts';
import type { ClassicEventOf } from './event.ts';
import { completeJoinIfAllJoined, prepareRebalance } from './rebalance.ts';
import { currentMembers, refusedJoin, type Step } from './step.ts';
import { subscribedTopics } from './subscription.ts';

type Join = ClassicEventOf<'join'>;

/** How a state handles a JoinGroup of a known member. */
interface JoinOfKnown {
  /** The member rejoins with its id. */
  readonly rejoin: (step: Step, member: Member, join: Join) => void;
  /** A static member rejoins without its id and has a new one. `before` is its previous state. */
  readonly comeBack: (step: Step, member: Member, join: Join, before: Readonly<Member>) => void;
}

export const joinInPreparingRebalance: JoinOfKnown = {
  rejoin: (step, member, join) => {
    update(step, member, join);
    wait(step, member, join);
    completeJoinIfAllJoined(step);
  },
  comeBack: (step, member, join) => {
    wait(step, member, join);
    completeJoinIfAllJoined(step);
  },
};

export const joinInCompletingRebalance: JoinOfKnown = {
  rejoin: (step, member, join) => {
    // The member may not have received the previous answer.
    if (isSame(member.protocols, join.request.protocols)) repeatAnswer(step, member, join);
    else updateAndRebalance(step, member, join);
  },
  // The leader may have received the old id of the member.
  comeBack: (step, member, join) => {
    wait(step, member, join);
    prepareRebalance(step);
  },
};

export const joinInStable: JoinOfKnown = {
  rejoin: (step, member, join) => {
    // A leader rejoins because of a change that only it can see, such as the number of partitions.
    const isLeader = member.memberId === step.group.leaderId;
    if (!isLeader && isSame(member.protocols, join.request.protocols)) repeatAnswer(step, member, join);
    else updateAndRebalance(step, member, join);
  },
  comeBack: (step, member, join, before) => {
    const { group } = step;
    if (group.selectProtocol() === group.protocolName && !hasOtherTopics(group, before, member)) {
      sendUnchanged(step, member, join, before);
      return;
    }
    wait(step, member, join);
    prepareRebalance(step);
  },
};

/** The group has no members; only pending member ids are known. */
export const joinInEmpty: JoinOfKnown = {
  rejoin: (step, _member, { token, request }) =>
    step.answer(token, refusedJoin('UNKNOWN_MEMBER_ID', request.memberId)),
  comeBack: (step, _member, { token, request }) =>
    step.answer(token, refusedJoin('UNKNOWN_MEMBER_ID', request.memberId)),
};

export function joining(known: JoinOfKnown): (step: Step, event: Join) => void {
  return (step, event) => {
    const { group } = step;
    const { token, request, freshMemberId } = event;
    const { memberId, groupInstanceId } = request;
    const problem = problemOf(step, request);
    if (problem !== 'NONE') {
      step.answer(token, refusedJoin(problem, memberId));
      return;
    }
    if (memberId !== '' && !group.pending.has(memberId)) {
      const error = validateMember(group, memberId, groupInstanceId);
      if (error === 'NONE') known.rejoin(step, group.member(memberId)!, event);
      else step.answer(token, refusedJoin(error, memberId));
      return;
    }
    if (memberId === '' && groupInstanceId !== null) {
      const before = group.member(group.staticMemberId(groupInstanceId) ?? '');
      if (before !== undefined) {
        known.comeBack(step, takePlace(step, before, event), event, before);
        return;
      }
    }
    if (memberId === '' && groupInstanceId === null && request.requiresKnownMemberId) {
      const deadlineMs = step.deadline(request.sessionTimeoutMs);
      group.pending.set(freshMemberId, { deadlineMs, agentId: request.agentId });
      step.answer(token, refusedJoin('MEMBER_ID_REQUIRED', freshMemberId));
      return;
    }
    group.pending.delete(memberId);
    addMember(step, memberId === '' ? freshMemberId : memberId, event);
  };
}

/** Checks the identity that a member claims. */
export function validateMember(
  group: ClassicGroup,
  memberId: string,
  groupInstanceId: string | null,
): GroupError {
  if (groupInstanceId !== null) {
    const known = group.staticMemberId(groupInstanceId);
    if (known === undefined) return 'UNKNOWN_MEMBER_ID';
    if (known !== memberId) return 'FENCED_INSTANCE_ID';
  }
  return group.member(memberId) === undefined ? 'UNKNOWN_MEMBER_ID' : 'NONE';
}

function problemOf({ group, rules }: Step, request: JoinGroupRequest): GroupError {
  const { memberId, groupInstanceId, sessionTimeoutMs, rebalanceTimeoutMs, protocolType, protocols } =
    request;
  if (sessionTimeoutMs < rules.sessionTimeoutMsMin || sessionTimeoutMs > rules.sessionTimeoutMsMax) {
    return 'INVALID_SESSION_TIMEOUT';
  }
  if (rebalanceTimeoutMs < 0 || protocols.length > rules.memberProtocolsMax) return 'INVALID_REQUEST';
  if (new Set(protocols.map(({ name }) => name)).size !== protocols.length) return 'INVALID_REQUEST';
  if (protocolType === '' || protocols.length === 0) return 'INCONSISTENT_GROUP_PROTOCOL';
  const isPending = group.pending.has(memberId);
  // Only dynamic members get an id before they join.
  if (isPending && groupInstanceId !== null) return 'UNKNOWN_MEMBER_ID';
  if (!hasRoom(group, request, rules.groupSizeMax)) return 'GROUP_MAX_SIZE_REACHED';
  if (!isPending && memberId === '' && group.pending.size >= rules.pendingMembersMax) {
    return 'GROUP_MAX_SIZE_REACHED';
  }
  if (group.members.size > 0) {
    if (protocolType !== group.protocolType || !group.knowsOneOf(protocols)) {
      return 'INCONSISTENT_GROUP_PROTOCOL';
    }
  }
  const staticId = groupInstanceId === null ? undefined : group.staticMemberId(groupInstanceId);
  const before = group.member(memberId === '' ? (staticId ?? '') : memberId);
  const bytes = bytesOf(protocols) - (before === undefined ? 0 : bytesOf(before.protocols));
  return bytes > 0 && group.metadataBytes + bytes > rules.metadataBytesMax
    ? 'GROUP_MAX_SIZE_REACHED'
    : 'NONE';
}

/** During a rebalance the members that have joined count against the limit; otherwise all members do. */
function hasRoom(group: ClassicGroup, request: JoinGroupRequest, sizeMax: number): boolean {
  const { memberId, groupInstanceId } = request;
  const staticId = groupInstanceId === null ? undefined : group.staticMemberId(groupInstanceId);
  const member = group.member(memberId === '' ? (staticId ?? '') : memberId);
  if (group.state === 'PreparingRebalance') return member?.join !== undefined || group.joinedCount < sizeMax;
  return member !== undefined || group.members.size < sizeMax;
}

function addMember(step: Step, memberId: string, { token, request }: Join): void {
  const { group, rules } = step;
  if (group.members.size === 0) group.protocolType = request.protocolType;
  group.add({
    memberId,
    groupInstanceId: request.groupInstanceId,
    clientId: request.clientId,
    clientHost: request.clientHost,
    sessionTimeoutMs: request.sessionTimeoutMs,
    rebalanceTimeoutMs: request.rebalanceTimeoutMs,
    protocols: request.protocols,
    assignment: noBytes,
    join: token,
    sync: undefined,
    isNew: true,
    agentId: request.agentId,
    deadlineMs: step.deadline(rules.newMemberJoinMs),
  });
  if (group.state !== 'PreparingRebalance') {
    prepareRebalance(step);
    return;
  }
  if (group.rebalance?.initial !== undefined) group.rebalance.initial.hasNewMember = true;
  completeJoinIfAllJoined(step);
}

/** Gives a static member a new id; waiting requests with the old id get FENCED_INSTANCE_ID. */
function takePlace(step: Step, before: Member, join: Join): Member {
  step.refuseWaiting(before, 'FENCED_INSTANCE_ID');
  const member = step.group.replace(before, join.freshMemberId);
  update(step, member, join);
  return member;
}

function update(step: Step, member: Member, { request }: Join): void {
  step.group.setProtocols(member, request.protocols);
  member.clientId = request.clientId;
  member.clientHost = request.clientHost;
  member.agentId = request.agentId;
  member.sessionTimeoutMs = request.sessionTimeoutMs;
  member.rebalanceTimeoutMs = request.rebalanceTimeoutMs;
  if (!member.isNew) step.keepAlive(member);
}

/** An older request of the same member comes from a connection that its client has closed. */
function wait(step: Step, member: Member, { token }: Join): void {
  if (member.join !== undefined) {
    step.answer(member.join, refusedJoin('REBALANCE_IN_PROGRESS', member.memberId));
  }
  step.group.setJoin(member, token);
}

function updateAndRebalance(step: Step, member: Member, join: Join): void {
  update(step, member, join);
  wait(step, member, join);
  prepareRebalance(step);
}

function repeatAnswer(step: Step, member: Member, { token }: Join): void {
  step.keepAlive(member);
  step.answer(token, step.joined(member));
}

/**
 * Lets a static member rejoin without a rebalance. Its new id must be durable. A leader that does not support
 * `skipAssignment` gets its old id as the leader id, so that it does not assign again.
 */
function sendUnchanged(step: Step, member: Member, { token, request }: Join, before: Readonly<Member>): void {
  const { group } = step;
  step.isChanged = true;
  const isLeader = member.memberId === group.leaderId;
  const { supportsSkipAssignment } = request;
  step.answer(token, {
    ...step.joined(member),
    leader: (isLeader && !supportsSkipAssignment ? before.memberId : group.leaderId) ?? '',
    skipAssignment: isLeader && supportsSkipAssignment,
    members: isLeader && supportsSkipAssignment ? currentMembers(group) : [],
  });
}

/**
 * Consumers include their owned partitions in every join, so their metadata differs even when the subscription is the
 * same. For other protocol types the topics are unknown.
 */
function hasOtherTopics(group: ClassicGroup, before: Readonly<Member>, now: Readonly<Member>): boolean {
  const old = subscribedTopics(group, [before]);
  const wanted = subscribedTopics(group, [now]);
  if (old === undefined || wanted === undefined) return false;
  return old.size !== wanted.size || [...wanted].some((topic) => !old.has(topic));
}

function isSame(a: readonly NamedBytes[], b: readonly NamedBytes[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ name, metadata }, index) => {
      const other = b[index]!;
      return name === other.name && Buffer.compare(metadata, other.metadata) === 0;
    })
  );
}

function bytesOf(protocols: readonly NamedBytes[]): number {
  return protocols.reduce((sum, { metadata }) => sum + metadata.length, 0);
}
