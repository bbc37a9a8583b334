import {
  type ClassicSubscription,
  consumerProtocolType,
  type GroupError,
  type GroupHeartbeat,
  type JoinGroupAnswer,
  type JoinGroupRequest,
  type LeavingMember,
  type NamedPartitions,
  readSubscription,
  type SyncGroupAnswer,
  type SyncGroupRequest,
  writeAssignment,
} from '@weir/cluster';
import { partitionsFrom, type TopicPartitions, without } from '../assignors/partitions.ts';
import { refusedJoin, refusedSync } from '../classic/step.ts';
import { charsOf, type TopicsView } from '../modern/modern-group.ts';
import { assignIfDue, dropUnsubscribed } from './assign.ts';
import { bytesOf, type ClassicFace, type ConsumerGroup, type ConsumerMember } from './consumer-group.ts';
import type { ConsumerStep } from './event.ts';
import { comeBack, isSameSubscription, newHolding, reconcileMember } from './heartbeat.ts';

/**
 * Serves members of the classic protocol in a consumer group (KIP-848). The epoch of the group is their generation.
 * Their heartbeats report that they must rejoin; the join then carries their owned partitions, and SyncGroup returns
 * their assignment. A member that must give up partitions gets the rest, gives them up and rejoins, as in a cooperative
 * rebalance.
 */
export function onClassicJoin(
  step: ConsumerStep,
  request: JoinGroupRequest,
  freshMemberId: string,
): JoinGroupAnswer {
  const { group } = step;
  const { memberId, groupInstanceId } = request;
  const clientSubscription = readSubscription(request.protocols[0]?.metadata ?? new Uint8Array(0));
  const problem = problemOfJoin(step, request);
  if (problem !== 'NONE') return refusedJoin(problem, memberId);
  if (clientSubscription === undefined) return refusedJoin('INCONSISTENT_GROUP_PROTOCOL', memberId);
  if (memberId === '' && groupInstanceId === null && request.requiresKnownMemberId) {
    return refusedJoin('MEMBER_ID_REQUIRED', freshMemberId);
  }
  const named = groupInstanceId === null ? undefined : group.staticMember(groupInstanceId);
  if (groupInstanceId !== null && memberId !== '' && named?.memberId !== memberId) {
    return refusedJoin(named === undefined ? 'UNKNOWN_MEMBER_ID' : 'FENCED_INSTANCE_ID', memberId);
  }
  const known = group.member(memberId);
  const before = known ?? named;
  if (before === undefined && group.members.size >= step.rules.groupSizeMax) {
    return refusedJoin('GROUP_MAX_SIZE_REACHED', memberId);
  }
  const face: ClassicFace = { sessionTimeoutMs: request.sessionTimeoutMs, protocols: request.protocols };
  if (!hasRoom(step, face, clientSubscription, before))
    return refusedJoin('GROUP_MAX_SIZE_REACHED', memberId);
  const id = memberId === '' ? freshMemberId : memberId;
  const member = joined(step, id, request, face, clientSubscription, before);
  assignIfDue(step);
  reconcileMember(step, member, ownedOf(member, clientSubscription, step.topics));
  step.keepAlive(member);
  // A member that does not sync by this deadline is removed.
  member.rebalanceDeadlineMs = step.deadline(member.rebalanceTimeoutMs);
  return {
    error: 'NONE',
    generationId: member.holding.epoch,
    protocolType: consumerProtocolType,
    protocolName: face.protocols[0]!.name,
    // No member leads: a member that sees another leader syncs without an assignment.
    leader: '',
    skipAssignment: false,
    memberId: id,
    members: [],
  };
}

function problemOfJoin({ group, rules }: ConsumerStep, request: JoinGroupRequest): GroupError {
  const { sessionTimeoutMs, rebalanceTimeoutMs, protocolType, protocols } = request;
  if (
    sessionTimeoutMs < rules.classicSessionTimeoutMsMin ||
    sessionTimeoutMs > rules.classicSessionTimeoutMsMax
  ) {
    return 'INVALID_SESSION_TIMEOUT';
  }
  if (rebalanceTimeoutMs < 0 || protocols.length > rules.memberProtocolsMax) return 'INVALID_REQUEST';
  const names = new Set(protocols.map(({ name }) => name));
  if (names.size !== protocols.length) return 'INVALID_REQUEST';
  if (protocolType !== consumerProtocolType || names.size === 0) return 'INCONSISTENT_GROUP_PROTOCOL';
  // If the group migrates back, its classic members need a common protocol.
  for (const { classic, memberId } of group.members.values()) {
    if (classic === null || memberId === request.memberId) continue;
    for (const name of names) if (!classic.protocols.some((other) => other.name === name)) names.delete(name);
  }
  return names.size === 0 ? 'INCONSISTENT_GROUP_PROTOCOL' : 'NONE';
}

function hasRoom(
  { group, rules }: ConsumerStep,
  face: ClassicFace,
  clientSubscription: ClassicSubscription,
  before: ConsumerMember | undefined,
): boolean {
  if (clientSubscription.topics.length > rules.subscribedNamesMax) return false;
  const chars = bytesOf(face) + charsOf('', clientSubscription.topics, '');
  const charsBefore =
    before === undefined
      ? 0
      : (before.classic === null ? 0 : bytesOf(before.classic)) + charsOf('', before.subscription.names, '');
  return chars <= charsBefore || group.textChars + chars - charsBefore <= rules.textCharsMax;
}

/** Returns the member after the join: new, unchanged, or the replacement of a static member. */
function joined(
  step: ConsumerStep,
  memberId: string,
  request: JoinGroupRequest,
  face: ClassicFace,
  clientSubscription: ClassicSubscription,
  before: ConsumerMember | undefined,
): ConsumerMember {
  const { group } = step;
  const wanted = { names: [...new Set(clientSubscription.topics)].sort(), pattern: '' };
  const isSame = before !== undefined && isSameSubscription(before.subscription, wanted);
  const subscription = isSame ? before.subscription : wanted;
  if (before?.memberId === memberId) {
    group.setClassic(before, face);
    if (!isSame) group.setSubscription(before, subscription, undefined, step.topics);
    if (before.holding.epoch < 0) group.setHolding(before, comeBack(before.holding));
    before.rackId = clientSubscription.rackId ?? before.rackId;
    before.clientId = request.clientId;
    before.clientHost = request.clientHost;
    before.rebalanceTimeoutMs = request.rebalanceTimeoutMs;
    step.change(before);
    if (!isSame) {
      step.bump();
      dropUnsubscribed(step, before);
    }
    return before;
  }
  const target = before === undefined ? undefined : group.targets.get(before.memberId);
  if (before !== undefined) step.remove(before);
  const member: ConsumerMember = {
    memberId,
    instanceId: request.groupInstanceId,
    rackId: clientSubscription.rackId,
    clientId: request.clientId,
    clientHost: request.clientHost,
    rebalanceTimeoutMs: request.rebalanceTimeoutMs,
    assignor: null,
    classic: face,
    subscription,
    holding: before === undefined ? newHolding : comeBack(before.holding),
    sessionDeadlineMs: 0,
    rebalanceDeadlineMs: undefined,
  };
  group.add(member, undefined);
  if (target !== undefined) group.targets.set(memberId, target);
  step.change(member);
  step.isGroupChanged = true;
  if (!isSame) {
    step.bump();
    dropUnsubscribed(step, member);
  }
  return member;
}

/**
 * Owned partitions count only if the member got them in its present generation. Eager members give up everything before
 * they join and send none; the first cooperative versions send no generation.
 */
function ownedOf(
  { holding }: ConsumerMember,
  clientSubscription: ClassicSubscription,
  topics: TopicsView,
): TopicPartitions {
  const isPresent =
    clientSubscription.generationId === holding.epoch ||
    (clientSubscription.generationId === -1 && clientSubscription.version < 2);
  return isPresent ? partitionsOf(clientSubscription.owned, topics) : partitionsFrom([]);
}

/** Omits unknown topics. */
export function partitionsOf(named: readonly NamedPartitions[], topics: TopicsView): TopicPartitions {
  return partitionsFrom(
    named.flatMap(({ topic, partitions }) => {
      const topicId = topics.byName(topic)?.topicId;
      return topicId === undefined ? [] : [{ topicId, partitions }];
    }),
  );
}

/** Encodes the assignment in the format of the member. */
export function assignmentFor(
  { classic }: ConsumerMember,
  partitions: TopicPartitions,
  topics: TopicsView,
): Uint8Array {
  const named: NamedPartitions[] = [];
  for (const [topicId, numbers] of partitions) {
    const topic = topics.nameOf(topicId);
    if (topic !== undefined) named.push({ topic, partitions: numbers });
  }
  const version = readSubscription(classic?.protocols[0]?.metadata ?? new Uint8Array(0))?.version ?? 0;
  return writeAssignment(version, named);
}

export function onClassicSync(step: ConsumerStep, request: SyncGroupRequest): SyncGroupAnswer {
  const { memberId, groupInstanceId, generationId, protocolType, protocolName } = request;
  const member = findClassic(step.group, memberId, groupInstanceId);
  if (typeof member === 'string') return refusedSync(member);
  const { holding, classic } = member;
  if (generationId !== holding.epoch) return refusedSync('ILLEGAL_GENERATION');
  const ownProtocol = classic!.protocols[0]!.name;
  const isOther =
    (protocolType !== null && protocolType !== consumerProtocolType) ||
    (protocolName !== null && protocolName !== ownProtocol);
  if (isOther) return refusedSync('INCONSISTENT_GROUP_PROTOCOL');
  step.keepAlive(member);
  assignIfDue(step);
  if (holding.state !== 'revoking' && holding.epoch < step.group.assignmentEpoch) {
    return refusedSync('REBALANCE_IN_PROGRESS');
  }
  if (holding.state !== 'revoking') member.rebalanceDeadlineMs = undefined;
  return {
    error: 'NONE',
    protocolType: consumerProtocolType,
    protocolName: ownProtocol,
    assignment: assignmentFor(member, holding.assigned, step.topics),
  };
}

export function onClassicHeartbeat(step: ConsumerStep, heartbeat: GroupHeartbeat): GroupError {
  const member = findClassic(step.group, heartbeat.memberId, heartbeat.groupInstanceId);
  if (typeof member === 'string') return member;
  if (heartbeat.generationId !== member.holding.epoch) return 'ILLEGAL_GENERATION';
  step.keepAlive(member);
  assignIfDue(step);
  if (!mustRejoin(step.group, member)) return 'NONE';
  member.rebalanceDeadlineMs ??= step.deadline(member.rebalanceTimeoutMs);
  return 'REBALANCE_IN_PROGRESS';
}

/** Returns whether there is a newer target, something to give up, or all awaited partitions are free. */
function mustRejoin(group: ConsumerGroup, { memberId, holding }: ConsumerMember): boolean {
  if (holding.epoch < group.assignmentEpoch || holding.state === 'revoking') return true;
  if (holding.state === 'stable') return false;
  for (const [topicId, numbers] of without(group.targetOf(memberId), holding.assigned)) {
    if (numbers.some((number) => group.ownerOf(topicId, number) !== undefined)) return false;
  }
  return true;
}

export function onClassicLeave(step: ConsumerStep, members: readonly LeavingMember[]): readonly GroupError[] {
  const errors = members.map(({ memberId, groupInstanceId }): GroupError => {
    const named = groupInstanceId === null ? undefined : step.group.staticMember(groupInstanceId);
    const member = findClassic(
      step.group,
      memberId === '' ? (named?.memberId ?? '') : memberId,
      groupInstanceId,
    );
    if (typeof member === 'string') return member;
    step.remove(member);
    return 'NONE';
  });
  if (errors.includes('NONE')) step.bump();
  return errors;
}

/** Members of the consumer protocol are unknown to classic requests. */
function findClassic(
  group: ConsumerGroup,
  memberId: string,
  groupInstanceId: string | null,
): ConsumerMember | GroupError {
  if (groupInstanceId !== null) {
    const named = group.staticMember(groupInstanceId);
    if (named === undefined) return 'UNKNOWN_MEMBER_ID';
    if (named.memberId !== memberId) return 'FENCED_INSTANCE_ID';
  }
  const member = group.member(memberId);
  return member === undefined || member.classic === null ? 'UNKNOWN_MEMBER_ID' : member;
}
