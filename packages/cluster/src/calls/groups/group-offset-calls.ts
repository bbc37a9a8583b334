import { flag, list, nullable, number, object, optional, text, tuple, whole } from '../../shapes/shape.ts';
import { leaderCall } from '../call.ts';
import type { TopicPartition } from '../topic-partition.ts';
import type { GroupError } from './group-names.ts';

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

export const commitOrigin = object<CommitOrigin>({
  connection: text,
  heard: optional(object<CommitMark>({ term: whole, count: whole })),
});

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

/** Numbers chosen by a client are validated per offset, so that one wrong value does not fail the rest of the call. */
const offsetToCommit = object<OffsetToCommit>({
  topicId: text,
  partition: number,
  offset: number,
  leaderEpoch: number,
  metadata: text,
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

const topicPartition = object<TopicPartition>({ topicId: text, partition: number });

const offsetsQuery = object<OffsetsQuery>({
  groupId: text,
  memberId: nullable(text),
  memberEpoch: number,
  requireStable: flag,
  partitions: nullable(list(topicPartition)),
  withTimes: optional(flag),
});

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

/** Calls about committed offsets of groups of any type. */
export const groupOffsetCalls = {
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
};
