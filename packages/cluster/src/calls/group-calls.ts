import type {
  CommitMark,
  CommitOrigin,
  ConsumerGroupDescription,
  ConsumerHeartbeat,
  ConsumerHeartbeatAnswer,
  GroupDescription,
  GroupError,
  GroupFilter,
  GroupHeartbeat,
  GroupListing,
  JoinGroupAnswer,
  JoinGroupRequest,
  LeaveGroupAnswer,
  LeaveGroupRequest,
  LeavingMember,
  MemberAssignment,
  NamedBytes,
  OffsetsAnswer,
  OffsetsCommit,
  OffsetsCommitAnswer,
  OffsetsQuery,
  OffsetsToDelete,
  OffsetToCommit,
  PartitionsOfTopic,
  SyncGroupAnswer,
  SyncGroupRequest,
  TopicPartition,
  TopicReader,
} from '../ports/groups-port.ts';
import {
  column,
  flag,
  list,
  nullable,
  number,
  object,
  optional,
  text,
  tuple,
  whole,
} from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

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

/**
 * The calls about groups. The leader of the cluster coordinates all of its groups, and any agent serves any of them.
 *
 * Groups and their errors are Kafka's; what differs between versions of a Kafka message is the agent's concern, except where the
 * coordinator has to decide by it. Such things are named for what they mean, not for a version.
 *
 * A promise that rejects with `ClusterUnavailable` means that the outcome is unknown: clients are answered with
 * COORDINATOR_LOAD_IN_PROGRESS and ask again.
 */
export const groupCalls = {
  /**
   * Waits for the other members of the group, for as long as a rebalance takes. The same call again finds the one that waits; after
   * a failover it is a member that joins again.
   */
  joinGroup: leaderCall<[request: JoinGroupRequest], JoinGroupAnswer>(tuple(joinGroup), {
    onRetry: 'dedupe-in-process',
    deadlineMs: waitMsMax,
    waits: true,
  }),
  /** Waits for the leader of the group to assign. */
  syncGroup: leaderCall<[request: SyncGroupRequest], SyncGroupAnswer>(tuple(syncGroup), {
    onRetry: 'dedupe-in-process',
    deadlineMs: waitMsMax,
    waits: true,
  }),
  /**
   * Heartbeats of any groups; gather those that come together. The next heartbeat says the same, so that waiting long for this one is
   * of no use.
   */
  groupHeartbeats: leaderCall<[heartbeats: readonly GroupHeartbeat[]], GroupError[]>(tuple(list(heartbeat)), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
    splits: true,
  }),
  leaveGroup: leaderCall<[request: LeaveGroupRequest], LeaveGroupAnswer>(tuple(leaveGroup), {
    onRetry: 'dedupe-in-process',
  }),
  /**
   * Heartbeats of members of KIP-848 groups: they join, stay, change and leave with it. Gather those that come together. A member
   * that joins may be given an id, so that the same call again must find the same answer.
   */
  consumerGroupHeartbeats: leaderCall<[heartbeats: readonly ConsumerHeartbeat[]], ConsumerHeartbeatAnswer[]>(
    tuple(list(consumerHeartbeat)),
    { onRetry: 'dedupe-in-process', deadlineMs: 10_000, splits: true },
  ),
  describeConsumerGroups: leaderCall<[groupIds: readonly string[]], ConsumerGroupDescription[]>(
    tuple(list(text)),
    { onRetry: 'reexecute', splits: true },
  ),
  /** Commits of any groups, as one entry of the journal. */
  commitOffsets: leaderCall<[commits: readonly OffsetsCommit[]], OffsetsCommitAnswer[]>(
    tuple(list(offsetsCommit)),
    { onRetry: 'dedupe-in-process', splits: true },
  ),
  fetchOffsets: leaderCall<[queries: readonly OffsetsQuery[]], OffsetsAnswer[]>(tuple(list(offsetsQuery)), {
    onRetry: 'reexecute',
    splits: true,
  }),
  deleteOffsets: leaderCall<[request: OffsetsToDelete], OffsetsCommitAnswer>(
    tuple(object<OffsetsToDelete>({ groupId: text, partitions: list(topicPartition) })),
    { onRetry: 'dedupe-in-process' },
  ),
  describeGroups: leaderCall<[groupIds: readonly string[]], GroupDescription[]>(tuple(list(text)), {
    onRetry: 'reexecute',
    splits: true,
  }),
  listGroups: leaderCall<[filter: GroupFilter], GroupListing[]>(
    tuple(object<GroupFilter>({ states: list(text), types: list(text) })),
    { onRetry: 'reexecute' },
  ),
  deleteGroups: leaderCall<[groupIds: readonly string[]], GroupError[]>(tuple(list(text)), {
    onRetry: 'dedupe-in-process',
    splits: true,
  }),
};

export type GroupsPort = PortOf<typeof groupCalls>;
