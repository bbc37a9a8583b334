import * as s from '../../shapes/shape.ts';
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
const commitMark = s.struct({
  /** The leader's term: its lease epoch. */
  term: s.whole,
  /** Number of commits that the leader had admitted. */
  count: s.whole,
});
export type CommitMark = s.TypeOf<typeof commitMark>;

/** Distinguishes a commit that was delayed in flight from one whose client still waits for it. */
const commitOriginShape = s.struct({
  /** Unique among all connections of all agents, ever. */
  connection: s.text,
  /** The last mark that the agent knew when it received the request; `undefined` if it knew none. */
  heard: s.optional(commitMark),
});
export type CommitOrigin = s.TypeOf<typeof commitOriginShape>;

export const commitOrigin = commitOriginShape;

export interface OffsetsCommit extends OffsetsCommitter {
  /** How long the offsets are retained, for clients before v5 that send it; -1 for the cluster's retention. */
  readonly retentionMs: number;
  readonly offsets: readonly OffsetToCommit[];
}

const offsetToCommit = s.struct({
  topicId: s.text,
  partition: s.number,
  offset: s.number,
  /** -1 if unknown to the client. */
  leaderEpoch: s.number,
  metadata: s.text,
});
export type OffsetToCommit = s.TypeOf<typeof offsetToCommit>;

/** Numbers chosen by a client are validated per offset, so that one wrong value does not fail the rest of the call. */

const offsetsCommit = s.object<OffsetsCommit>({
  groupId: s.text,
  generationIdOrMemberEpoch: s.number,
  memberId: s.text,
  groupInstanceId: s.nullable(s.text),
  origin: s.optional(commitOrigin),
  retentionMs: s.number,
  offsets: s.list(offsetToCommit),
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

const topicPartition = s.object<TopicPartition>({ topicId: s.text, partition: s.number });

const offsetsQuery = s.struct({
  groupId: s.text,
  /** The requesting member, from v9 on; `null` and -1 are not checked. */
  memberId: s.nullable(s.text),
  memberEpoch: s.number,
  /** Offsets with a pending transactional commit get UNSTABLE_OFFSET_COMMIT. */
  requireStable: s.flag,
  /** `null` for all committed offsets of the group. */
  partitions: s.nullable(s.list(topicPartition)),
  /** Whether the answer includes commit times. Kafka's protocol has no field for them; only metrics need them. */
  withTimes: s.optional(s.flag),
});
export type OffsetsQuery = s.TypeOf<typeof offsetsQuery>;

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

const offsetsToDelete = s.struct({
  groupId: s.text,
  partitions: s.list(topicPartition),
});
export type OffsetsToDelete = s.TypeOf<typeof offsetsToDelete>;

/** Calls about committed offsets of groups of any type. */
export const groupOffsetCalls = {
  /** Offset commits of any groups, as one journal entry. */
  commitOffsets: leaderCall<[commits: readonly OffsetsCommit[]], OffsetsCommitAnswer[]>(
    s.tuple(s.list(offsetsCommit)),
    { onRetry: 'dedupe-in-process', splits: true },
  ),
  fetchOffsets: leaderCall<[queries: readonly OffsetsQuery[]], OffsetsAnswer[]>(
    s.tuple(s.list(offsetsQuery)),
    {
      onRetry: 'reexecute',
      splits: true,
    },
  ),
  deleteOffsets: leaderCall<[request: OffsetsToDelete], OffsetsCommitAnswer>(s.tuple(offsetsToDelete), {
    onRetry: 'dedupe-in-process',
  }),
};
