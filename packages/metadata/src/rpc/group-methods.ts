import type {
  CommitMark,
  CommitOrigin,
  ConsumerHeartbeat,
  GroupFilter,
  GroupHeartbeat,
  GroupsPort,
  JoinGroupRequest,
  LeaveGroupRequest,
  LeavingMember,
  MemberAssignment,
  NamedBytes,
  OffsetsCommit,
  OffsetsQuery,
  OffsetsToDelete,
  OffsetToCommit,
  PartitionsOfTopic,
  SyncGroupRequest,
  TopicPartition,
  TopicReader,
} from '../cluster/groups-port.ts';
import type { Method } from './methods.ts';
import { column, flag, list, nullable, number, object, optional, text, tuple, whole } from './shape.ts';

/** A member that joins waits for as long as the slowest member may take, which is for members to say. */
const waitMsMax = 24 * 3_600_000;

const joinGroup = object<JoinGroupRequest>({
  groupId: text,
  memberId: text,
  groupInstanceId: nullable(text),
  clientId: text,
  clientHost: text,
  sessionTimeoutMs: whole,
  rebalanceTimeoutMs: whole,
  protocolType: text,
  protocols: list(object<NamedBytes>({ name: text, metadata: column(Uint8Array) })),
  requiresKnownMemberId: flag,
  supportsSkipAssignment: flag,
  reason: nullable(text),
  agentId: optional(text),
});

const syncGroup = object<SyncGroupRequest>({
  groupId: text,
  generationId: number,
  memberId: text,
  groupInstanceId: nullable(text),
  protocolType: nullable(text),
  protocolName: nullable(text),
  assignments: list(object<MemberAssignment>({ memberId: text, assignment: column(Uint8Array) })),
});

const heartbeat = object<GroupHeartbeat>({
  groupId: text,
  generationId: number,
  memberId: text,
  groupInstanceId: nullable(text),
});

const leaveGroup = object<LeaveGroupRequest>({
  groupId: text,
  members: list(object<LeavingMember>({ memberId: text, groupInstanceId: nullable(text) })),
});

/** Numbers that a client chose are judged one by one, so that one that is wrong does not spoil the call for the others. */
const offsetToCommit = object<OffsetToCommit>({
  topicId: text,
  partition: number,
  offset: number,
  leaderEpoch: number,
  metadata: text,
});

export const commitOrigin = object<CommitOrigin>({
  connection: text,
  heard: optional(object<CommitMark>({ term: whole, count: whole })),
});

const offsetsCommit = object<OffsetsCommit>({
  groupId: text,
  generationIdOrMemberEpoch: number,
  memberId: text,
  groupInstanceId: nullable(text),
  origin: optional(commitOrigin),
  retentionMs: number,
  offsets: list(offsetToCommit),
});

const topicPartition = object<TopicPartition>({ topicId: text, partition: number });

const offsetsQuery = object<OffsetsQuery>({
  groupId: text,
  memberId: nullable(text),
  memberEpoch: number,
  requireStable: flag,
  partitions: nullable(list(topicPartition)),
  withTimes: optional(flag),
});

const consumerHeartbeat = object<ConsumerHeartbeat>({
  groupId: text,
  memberId: text,
  memberEpoch: number,
  instanceId: nullable(text),
  rackId: nullable(text),
  clientId: text,
  clientHost: text,
  rebalanceTimeoutMs: number,
  subscribedTopicNames: nullable(list(text)),
  subscribedTopicRegex: nullable(text),
  reader: optional(object<TopicReader>({ principals: list(text), host: text })),
  serverAssignor: nullable(text),
  ownedPartitions: nullable(list(object<PartitionsOfTopic>({ topicId: text, partitions: list(number) }))),
  requiresMemberId: flag,
});

/** The calls about groups. */
export const groupMethods = {
  // The same call again finds the one that waits; after a failover it is a member that joins again.
  joinGroup: { again: 'remembered', deadlineMs: waitMsMax, waits: true, args: tuple(joinGroup) },
  syncGroup: { again: 'remembered', deadlineMs: waitMsMax, waits: true, args: tuple(syncGroup) },
  // The next heartbeat says the same, so that waiting long for this one is of no use.
  groupHeartbeats: { again: 'repeated', deadlineMs: 6_000, args: tuple(list(heartbeat)) },
  // A member that joins may be given an id, so that the same call again must find the same answer.
  consumerGroupHeartbeats: {
    again: 'remembered',
    deadlineMs: 10_000,
    args: tuple(list(consumerHeartbeat)),
  },
  describeConsumerGroups: { again: 'repeated', deadlineMs: 30_000, args: tuple(list(text)) },
  leaveGroup: { again: 'remembered', deadlineMs: 30_000, args: tuple(leaveGroup) },
  commitOffsets: { again: 'remembered', deadlineMs: 30_000, args: tuple(list(offsetsCommit)) },
  fetchOffsets: { again: 'repeated', deadlineMs: 30_000, args: tuple(list(offsetsQuery)) },
  deleteOffsets: {
    again: 'remembered',
    deadlineMs: 30_000,
    args: tuple(object<OffsetsToDelete>({ groupId: text, partitions: list(topicPartition) })),
  },
  describeGroups: { again: 'repeated', deadlineMs: 30_000, args: tuple(list(text)) },
  listGroups: {
    again: 'repeated',
    deadlineMs: 30_000,
    args: tuple(object<GroupFilter>({ states: list(text), types: list(text) })),
  },
  deleteGroups: { again: 'remembered', deadlineMs: 30_000, args: tuple(list(text)) },
} as const satisfies { readonly [M in keyof GroupsPort]: Method<Parameters<GroupsPort[M]>> };
