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

/** A joining member waits for the slowest member, up to the largest rebalance timeout, which members choose. */
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

/** Numbers chosen by a client are validated per offset, so that one wrong value does not fail the rest of the call. */
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
 * Calls about groups. The leader of the cluster coordinates all groups, and any agent can serve any group.
 *
 * Groups and their errors are Kafka's. The agent handles differences between versions of a Kafka message, except where
 * the coordinator must decide by them; such fields are named for their meaning, not for a version. If a promise rejects
 * with `ClusterUnavailable`, the outcome is unknown: the agent answers COORDINATOR_LOAD_IN_PROGRESS and the client
 * retries.
 */
export const groupCalls = {
  /**
   * Waits for the other members for as long as a rebalance takes. A retry attaches to the waiting call; after a
   * failover it is a new join of the member.
   */
  joinGroup: leaderCall<[request: JoinGroupRequest], JoinGroupAnswer>(tuple(joinGroup), {
    onRetry: 'dedupe-in-process',
    deadlineMs: waitMsMax,
    waits: true,
  }),
  /** Waits for the assignment of the group leader. */
  syncGroup: leaderCall<[request: SyncGroupRequest], SyncGroupAnswer>(tuple(syncGroup), {
    onRetry: 'dedupe-in-process',
    deadlineMs: waitMsMax,
    waits: true,
  }),
  /**
   * Heartbeats of any groups, batched by the caller. The deadline is short because the next heartbeat carries the same
   * state.
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
   * Heartbeats of members of KIP-848 groups, batched by the caller; members join, update and leave with them. A joining
   * member may be assigned an id, so a retry must return the same answer.
   */
  consumerGroupHeartbeats: leaderCall<[heartbeats: readonly ConsumerHeartbeat[]], ConsumerHeartbeatAnswer[]>(
    tuple(list(consumerHeartbeat)),
    { onRetry: 'dedupe-in-process', deadlineMs: 10_000, splits: true },
  ),
  describeConsumerGroups: leaderCall<[groupIds: readonly string[]], ConsumerGroupDescription[]>(
    tuple(list(text)),
    { onRetry: 'reexecute', splits: true },
  ),
  /** Offset commits of any groups, as one journal entry. */
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
