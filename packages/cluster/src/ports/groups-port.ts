/** What can go wrong with a group, by Kafka's name. */
const groupErrors = [
  'NONE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'OFFSET_METADATA_TOO_LARGE',
  'ILLEGAL_GENERATION',
  'INCONSISTENT_GROUP_PROTOCOL',
  'INVALID_GROUP_ID',
  'UNKNOWN_MEMBER_ID',
  'INVALID_SESSION_TIMEOUT',
  'REBALANCE_IN_PROGRESS',
  'INVALID_COMMIT_OFFSET_SIZE',
  'INVALID_REQUEST',
  'POLICY_VIOLATION',
  'NON_EMPTY_GROUP',
  'GROUP_ID_NOT_FOUND',
  'MEMBER_ID_REQUIRED',
  'GROUP_MAX_SIZE_REACHED',
  'FENCED_INSTANCE_ID',
  'GROUP_SUBSCRIBED_TO_TOPIC',
  'UNSTABLE_OFFSET_COMMIT',
  'UNKNOWN_TOPIC_ID',
  'FENCED_MEMBER_EPOCH',
  'UNRELEASED_INSTANCE_ID',
  'UNSUPPORTED_ASSIGNOR',
  'STALE_MEMBER_EPOCH',
  'INVALID_REGULAR_EXPRESSION',
] as const;

export type GroupError = (typeof groupErrors)[number];

/** A group id has one type at a time. */
export const groupTypes = ['classic', 'consumer', 'share'] as const;

export type GroupType = (typeof groupTypes)[number];

/** Something that a member says of itself and others pass on unread. */
export interface NamedBytes {
  readonly name: string;
  readonly metadata: Uint8Array;
}

export interface JoinGroupRequest {
  readonly groupId: string;
  /** Empty for a new member. */
  readonly memberId: string;
  /** The name of a static member. */
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  /** Where the client connects from, as Kafka shows it: `/10.0.0.1`. */
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  /** How long the others wait for this member in a rebalance; the session timeout for clients that do not say. */
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  /** The preferred one first. */
  readonly protocols: readonly NamedBytes[];
  /** JoinGroup v4 and later: a new dynamic member is given an id first, and joins when it comes back with it. */
  readonly requiresKnownMemberId: boolean;
  /** JoinGroup v9 and later: a static leader that comes back may be told to keep the assignment. */
  readonly supportsSkipAssignment: boolean;
  /** Why it joins, for logs. */
  readonly reason: string | null;
  /** The agent at which the client waits. When it is gone, so is the request. */
  readonly agentId?: string | undefined;
}

export interface JoinGroupAnswer {
  readonly error: GroupError;
  /** -1 on error. */
  readonly generationId: number;
  readonly protocolType: string | null;
  /** `null` on error; answers before v7 have an empty name in its place. */
  readonly protocolName: string | null;
  /** The member id of the leader; empty on error. */
  readonly leader: string;
  readonly skipAssignment: boolean;
  /** The one it joined with, or the one it was given. */
  readonly memberId: string;
  /** All members with what they said for the chosen protocol, for the leader; empty for everybody else. */
  readonly members: readonly JoinedMember[];
}

interface JoinedMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly metadata: Uint8Array;
}

export interface SyncGroupRequest {
  readonly groupId: string;
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  /** What the member believes, from v5 on; `null` is not checked. */
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  /** What each member is to do, from the leader; empty from everybody else. */
  readonly assignments: readonly MemberAssignment[];
}

export interface MemberAssignment {
  readonly memberId: string;
  readonly assignment: Uint8Array;
}

export interface SyncGroupAnswer {
  readonly error: GroupError;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignment: Uint8Array;
}

export interface GroupHeartbeat {
  readonly groupId: string;
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

export interface LeaveGroupRequest {
  readonly groupId: string;
  readonly members: readonly LeavingMember[];
}

export interface LeavingMember {
  /** May be empty for a static member, which anybody may remove by its name. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

/** An error of the group as a whole leaves `members` empty; before v3 the one member's error is the answer's. */
export interface LeaveGroupAnswer {
  readonly error: GroupError;
  /** In the order of the request. */
  readonly members: readonly GroupError[];
}

/** Who commits offsets or, in a transaction, wants to. */
export interface OffsetsCommitter {
  readonly groupId: string;
  /** The generation or, for groups whose members have epochs, the epoch; -1 for somebody who is no member. */
  readonly generationIdOrMemberEpoch: number;
  /** Empty for somebody who is no member. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  /** Where the client's request came from. Commits without it are taken in whatever order they arrive. */
  readonly origin?: CommitOrigin | undefined;
}

/** A point in the sequence of commits that one leader has decided. */
export interface CommitMark {
  /** The leader's term: its lease epoch. */
  readonly term: number;
  /** How many commits it had admitted. */
  readonly count: number;
}

/** What tells a commit that was under way for too long from one whose client still waits for it. */
export interface CommitOrigin {
  /** A text that no other connection of any agent ever had. */
  readonly connection: string;
  /** The last mark that the agent had heard of when it received the request; `undefined` when it had heard of none. */
  readonly heard?: CommitMark | undefined;
}

export interface OffsetsCommit extends OffsetsCommitter {
  /** How long the offsets are kept, for clients before v5 that say so; -1 for as long as the cluster keeps them. */
  readonly retentionMs: number;
  readonly offsets: readonly OffsetToCommit[];
}

export interface OffsetToCommit {
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  /** -1 when the client does not know. */
  readonly leaderEpoch: number;
  readonly metadata: string;
}

export interface OffsetsCommitAnswer {
  /**
   * What is wrong with the commit as a whole: no offset was committed then, and `offsets` is empty. GROUP_ID_NOT_FOUND and
   * STALE_MEMBER_EPOCH are told to clients before v9 as ILLEGAL_GENERATION.
   */
  readonly error: GroupError;
  /** In the order of the request: NONE, UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION, OFFSET_METADATA_TOO_LARGE … */
  readonly offsets: readonly GroupError[];
  /** Behind all commits of the call; in its first answer, when its first commit says where it came from. */
  readonly mark?: CommitMark | undefined;
}

export interface OffsetsQuery {
  readonly groupId: string;
  /** The member that asks, from v9 on; `null` and -1 are not checked. */
  readonly memberId: string | null;
  readonly memberEpoch: number;
  /** Offsets that a running transaction may change are answered UNSTABLE_OFFSET_COMMIT. */
  readonly requireStable: boolean;
  /** `null` for all that the group has committed. */
  readonly partitions: readonly TopicPartition[] | null;
  /** Whether the answer says when offsets were committed. Clients are not told, so that only those who measure ask. */
  readonly withTimes?: boolean | undefined;
}

export interface TopicPartition {
  readonly topicId: string;
  readonly partition: number;
}

export interface OffsetsAnswer {
  /** What is wrong with the question as a whole; `offsets` is empty then. A group that is not there is no error. */
  readonly error: GroupError;
  /** In the order of the question; for all of them, partitions of one topic are neighbours. */
  readonly offsets: readonly CommittedOffset[];
}

export interface CommittedOffset {
  readonly topicId: string;
  readonly partition: number;
  /** -1 when there is none. */
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
  /** When it was committed, by the clock of the leader; for those who asked for it. */
  readonly committedMs?: number | undefined;
  readonly error: GroupError;
}

export interface OffsetsToDelete {
  readonly groupId: string;
  readonly partitions: readonly TopicPartition[];
}

/** As Kafka shows them. The classic ones are states of `groups/classic`; other types have their own. */
export type GroupStateName =
  | 'Empty'
  | 'PreparingRebalance'
  | 'CompletingRebalance'
  | 'Stable'
  | 'Dead'
  | 'Assigning'
  | 'Reconciling';

/** A group that is not there is GROUP_ID_NOT_FOUND, with state Dead; so is one of a type that has a description of its own. */
export interface GroupDescription {
  readonly error: GroupError;
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly protocolType: string;
  /** The name of the chosen protocol while the group is stable, and empty otherwise. */
  readonly protocolData: string;
  /** Of a classic group that has a coordinator; others have none. */
  readonly generationId?: number | undefined;
  readonly members: readonly GroupMemberDescription[];
}

export interface GroupMemberDescription {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly metadata: Uint8Array;
  readonly assignment: Uint8Array;
}

export interface GroupFilter {
  /** In any case; empty for all. */
  readonly states: readonly string[];
  readonly types: readonly string[];
}

export interface GroupListing {
  readonly groupId: string;
  readonly protocolType: string;
  readonly state: GroupStateName;
  readonly type: GroupType;
}

/** Partitions of one topic. */
export interface PartitionsOfTopic {
  readonly topicId: string;
  readonly partitions: readonly number[];
}

/** Somebody whom rules bind: all names by which they may speak of him, as `User:name`, and the address that he comes from. */
export interface TopicReader {
  readonly principals: readonly string[];
  readonly host: string;
}

/** What has not changed since the last heartbeat is `null` or -1; a member that joins says all of it. */
export interface ConsumerHeartbeat {
  readonly groupId: string;
  /** Empty for a new member whose client leaves the choice to the coordinator. */
  readonly memberId: string;
  /** 0 joins, -1 leaves, -2 leaves for a while; otherwise what the member was told last. */
  readonly memberEpoch: number;
  readonly instanceId: string | null;
  readonly rackId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly rebalanceTimeoutMs: number;
  readonly subscribedTopicNames: readonly string[] | null;
  readonly subscribedTopicRegex: string | null;
  /** Who brings the pattern: of what it matches the member is given what he may see. Absent for somebody whom rules do not bind. */
  readonly reader?: TopicReader | undefined;
  readonly serverAssignor: string | null;
  readonly ownedPartitions: readonly PartitionsOfTopic[] | null;
  /** ConsumerGroupHeartbeat v1 and later: the client makes up the id of its member. */
  readonly requiresMemberId: boolean;
}

export interface ConsumerHeartbeatAnswer {
  /** COORDINATOR_LOAD_IN_PROGRESS: what the heartbeat led to could not be kept just now; the member asks again. */
  readonly error: GroupError;
  readonly message: string | null;
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly heartbeatIntervalMs: number;
  /** `null` when it is the one that the member was told last. */
  readonly assignment: readonly PartitionsOfTopic[] | null;
}

/** A group that is not there or has another type is GROUP_ID_NOT_FOUND, with state Dead. */
export interface ConsumerGroupDescription {
  readonly error: GroupError;
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly epoch: number;
  readonly assignmentEpoch: number;
  readonly assignor: string;
  readonly members: readonly ConsumerMemberDescription[];
}

interface ConsumerMemberDescription {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly rackId: string | null;
  readonly epoch: number;
  readonly clientId: string;
  readonly clientHost: string;
  readonly subscribedTopicNames: readonly string[];
  /** Empty for none. */
  readonly subscribedTopicRegex: string;
  /** What it may read now, and what it is to have in the end. */
  readonly assigned: readonly PartitionsOfTopic[];
  readonly target: readonly PartitionsOfTopic[];
  /** Whether it speaks the classic protocol. */
  readonly isClassic: boolean;
}
