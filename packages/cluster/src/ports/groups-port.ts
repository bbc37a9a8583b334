/** Errors of group calls, by Kafka's names. */
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

/** Opaque metadata of a member for one protocol; the coordinator forwards it unread. */
export interface NamedBytes {
  readonly name: string;
  readonly metadata: Uint8Array;
}

export interface JoinGroupRequest {
  readonly groupId: string;
  /** Empty for a new member. */
  readonly memberId: string;
  /** `group.instance.id` of a static member. */
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  /** The client's address as Kafka shows it: `/10.0.0.1`. */
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  /** How long a rebalance waits for this member; the session timeout for clients that do not send one. */
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  /** In order of preference. */
  readonly protocols: readonly NamedBytes[];
  /** JoinGroup v4 and later: a new dynamic member first receives a member id and joins with a second request. */
  readonly requiresKnownMemberId: boolean;
  /** JoinGroup v9 and later: the answer may instruct a returning static leader to skip the assignment. */
  readonly supportsSkipAssignment: boolean;
  /** Reason for joining, for logs. */
  readonly reason: string | null;
  /** The agent that the client is connected to. When the agent is gone, the request is dropped. */
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
  /** The id of the request, or the one that the coordinator assigned. */
  readonly memberId: string;
  /** For the leader: all members with their metadata for the chosen protocol. Empty for other members. */
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
  /** The values that the member expects, from v5 on; `null` is not checked. */
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  /** The assignment of each member, from the leader; empty from other members. */
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
  /** May be empty for a static member, which any client may remove by its instance id. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

/**
 * On an error of the whole group `members` is empty. Before v3 the error of the single member is the error of the
 * answer.
 */
export interface LeaveGroupAnswer {
  readonly error: GroupError;
  /** In the order of the request. */
  readonly members: readonly GroupError[];
}

/** The sender of an offset commit, transactional or not. */
export interface OffsetsCommitter {
  readonly groupId: string;
  /** The generation or, for groups with member epochs, the epoch; -1 for a client that is not a member. */
  readonly generationIdOrMemberEpoch: number;
  /** Empty for a client that is not a member. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  /** Origin of the client's request. Commits without an origin are accepted in order of arrival. */
  readonly origin?: CommitOrigin | undefined;
}

/** A position in the sequence of commits that one leader has decided. */
export interface CommitMark {
  /** The leader's term: its lease epoch. */
  readonly term: number;
  /** Number of commits that the leader had admitted. */
  readonly count: number;
}

/** Distinguishes a commit that was delayed in flight from one whose client still waits for it. */
export interface CommitOrigin {
  /** Unique among all connections of all agents, ever. */
  readonly connection: string;
  /** The last mark that the agent knew when it received the request; `undefined` if it knew none. */
  readonly heard?: CommitMark | undefined;
}

export interface OffsetsCommit extends OffsetsCommitter {
  /** How long the offsets are retained, for clients before v5 that send it; -1 for the cluster's retention. */
  readonly retentionMs: number;
  readonly offsets: readonly OffsetToCommit[];
}

export interface OffsetToCommit {
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  /** -1 if unknown to the client. */
  readonly leaderEpoch: number;
  readonly metadata: string;
}

export interface OffsetsCommitAnswer {
  /**
   * Error of the commit as a whole; then no offset was committed and `offsets` is empty. Clients before v9 receive
   * GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH as ILLEGAL_GENERATION.
   */
  readonly error: GroupError;
  /** In the order of the request: NONE, UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION, OFFSET_METADATA_TOO_LARGE … */
  readonly offsets: readonly GroupError[];
  /** The mark after all commits of the call. Set in the first answer of the call, if its first commit has an origin. */
  readonly mark?: CommitMark | undefined;
}

export interface OffsetsQuery {
  readonly groupId: string;
  /** The requesting member, from v9 on; `null` and -1 are not checked. */
  readonly memberId: string | null;
  readonly memberEpoch: number;
  /** Offsets with a pending transactional commit get UNSTABLE_OFFSET_COMMIT. */
  readonly requireStable: boolean;
  /** `null` for all committed offsets of the group. */
  readonly partitions: readonly TopicPartition[] | null;
  /** Whether the answer includes commit times. Kafka's protocol has no field for them; only metrics need them. */
  readonly withTimes?: boolean | undefined;
}

export interface TopicPartition {
  readonly topicId: string;
  readonly partition: number;
}

export interface OffsetsAnswer {
  /** Error of the query as a whole; then `offsets` is empty. A group that does not exist is no error. */
  readonly error: GroupError;
  /** In the order of the query. If the query was for all offsets, partitions of one topic are adjacent. */
  readonly offsets: readonly CommittedOffset[];
}

export interface CommittedOffset {
  readonly topicId: string;
  readonly partition: number;
  /** -1 when there is none. */
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
  /** Commit time by the leader's clock, if the query asked for it. */
  readonly committedMs?: number | undefined;
  readonly error: GroupError;
}

export interface OffsetsToDelete {
  readonly groupId: string;
  readonly partitions: readonly TopicPartition[];
}

/** Kafka's names. The classic ones are states of `groups/classic`; other types have their own. */
export type GroupStateName =
  | 'Empty'
  | 'PreparingRebalance'
  | 'CompletingRebalance'
  | 'Stable'
  | 'Dead'
  | 'Assigning'
  | 'Reconciling';

/** A group that does not exist, or whose type has its own describe call, is GROUP_ID_NOT_FOUND with state Dead. */
export interface GroupDescription {
  readonly error: GroupError;
  readonly groupId: string;
  readonly state: GroupStateName;
  readonly protocolType: string;
  /** The chosen protocol while the group is stable; otherwise empty. */
  readonly protocolData: string;
  /** Only for a classic group that has a coordinator. */
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
  /** Case-insensitive; empty for all. */
  readonly states: readonly string[];
  readonly types: readonly string[];
}

export interface GroupListing {
  readonly groupId: string;
  readonly protocolType: string;
  readonly state: GroupStateName;
  readonly type: GroupType;
}

export interface PartitionsOfTopic {
  readonly topicId: string;
  readonly partitions: readonly number[];
}

/** A principal that ACLs apply to: all names that ACLs may use for it, as `User:name`, and its address. */
export interface TopicReader {
  readonly principals: readonly string[];
  readonly host: string;
}

/** A field that is unchanged since the last heartbeat is `null` or -1. A joining member sends all fields. */
export interface ConsumerHeartbeat {
  readonly groupId: string;
  /** Empty for a new member whose client lets the coordinator choose the id. */
  readonly memberId: string;
  /** 0 joins, -1 leaves, -2 leaves temporarily (static member); otherwise the epoch of the last answer. */
  readonly memberEpoch: number;
  readonly instanceId: string | null;
  readonly rackId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly rebalanceTimeoutMs: number;
  readonly subscribedTopicNames: readonly string[] | null;
  readonly subscribedTopicRegex: string | null;
  /**
   * The principal that subscribes by regular expression: of the matching topics, the member gets those that the
   * principal may DESCRIBE. Absent for a client that ACLs do not apply to.
   */
  readonly reader?: TopicReader | undefined;
  readonly serverAssignor: string | null;
  readonly ownedPartitions: readonly PartitionsOfTopic[] | null;
  /** ConsumerGroupHeartbeat v1 and later: the client generates the member id. */
  readonly requiresMemberId: boolean;
}

export interface ConsumerHeartbeatAnswer {
  /** COORDINATOR_LOAD_IN_PROGRESS: the result of the heartbeat could not be made durable; the member retries. */
  readonly error: GroupError;
  readonly message: string | null;
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly heartbeatIntervalMs: number;
  /** `null` if unchanged since the last answer to the member. */
  readonly assignment: readonly PartitionsOfTopic[] | null;
}

/** A group that does not exist or has another type is GROUP_ID_NOT_FOUND, with state Dead. */
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
  /** The current assignment and the target assignment. */
  readonly assigned: readonly PartitionsOfTopic[];
  readonly target: readonly PartitionsOfTopic[];
  /** Whether the member uses the classic protocol. */
  readonly isClassic: boolean;
}
