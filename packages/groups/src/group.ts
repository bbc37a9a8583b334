import type {
  GroupDescription,
  GroupError,
  GroupHeartbeat,
  GroupListing,
  GroupType,
  JoinGroupRequest,
  LeavingMember,
  OffsetsCommitter,
  SyncGroupRequest,
  TopicPartition,
} from '@weir/cluster';
import type { Log } from '@weir/core';
import type { ByteReader, ByteWriter, EntryChange } from '@weir/machine';
import type { ClassicAnswer, ClassicRules } from './classic/event.ts';
import type { MatchedTopicsView } from './consumer/consumer-group.ts';
import type { ConsumerRules } from './consumer/event.ts';
import type { ModernRules } from './modern/modern-step.ts';
import type { StreamsRules } from './streams/event.ts';

/** The operations that all group types have in common. */
export interface Group {
  readonly groupId: string;
  readonly type: GroupType;
  /** The time of its next wake-up; maintained by the wake queue. */
  wakeAtMs: number;

  /** Handles expired deadlines. Returns the next wake-up time; infinite if there is none. */
  tick(): number;

  /** Checks whether the committer may commit offsets now. */
  checkCommit(
    committer: OffsetsCommitter,
    isTransactional: boolean,
    partitions: readonly TopicPartition[],
  ): GroupError;
  /** Checks whether offsets may be read; `null` and -1 for a reader without a member id. */
  checkFetch(memberId: string | null, memberEpoch: number): GroupError;
  /** Checks whether offsets may be deleted at all. */
  checkDeleteOffsets(): GroupError;
  isSubscribedTo(topicName: string): boolean;
  offsetExpiry(): OffsetExpiry;

  listing(): GroupListing;
  /** The answer of DescribeGroups; types with a describe API of their own return GROUP_ID_NOT_FOUND. */
  describe(): GroupDescription;

  /** Deletes the group, with its stored entries, if it has no members. */
  delete(): GroupError;
  /** Whether the group can be dropped without loss: no members, nothing durable, no pending member ids. */
  readonly isForgettable: boolean;

  /** Rejects waiting requests: this process no longer coordinates the group. */
  close(error: Error): void;

  /** Writes the durable state. The caller has written the type before it. */
  write(writer: ByteWriter): void;
}

/**
 * The start of offset retention of a group. `never`: the group is in use. `commit`: from each commit, for topics
 * without a subscriber in the group. `empty`: from when the last member left, or from the commit if that is later.
 */
export type OffsetExpiry =
  | { readonly from: 'never' }
  | { readonly from: 'commit' }
  | { readonly from: 'empty'; readonly sinceMs: number };

/** The services that a coordinator offers to its groups. */
export interface GroupHost {
  /** Monotonic time for deadlines, meaningful only in this process. */
  monotonicMs(): number;
  /** Wall-clock time. */
  nowMs(): number;
  classicRules(): ClassicRules;
  consumerRules(groupId: string): ConsumerRules;
  shareRules(groupId: string): ModernRules;
  streamsRules(groupId: string): StreamsRules;
  /** Whether the migration policy lets groups with members change to the other protocol. */
  mayMigrate(to: 'consumer' | 'classic'): boolean;
  readonly topics: MatchedTopicsView;
  readonly log: Log;
  /** The stored entry of a member, for groups that store members separately. */
  memberRecord(key: string): Buffer | undefined;
  /** Stores the group, or its deletion, together with other entries of it. Resolves when they are durable. */
  save(group: Group, others?: readonly EntryChange[]): Promise<void>;
  erase(group: Group): Promise<void>;
  /** Stores entries that are a part of the group. */
  put(group: Group, changes: readonly EntryChange[]): Promise<void>;
  /** Replaces a group by another with the same id. */
  replace(group: Group, by: Group): void;
  /** Resolves when everything that was saved so far is durable. */
  settled(): Promise<void>;
  /** Adds to the size of the member metadata that the group holds; may be negative. */
  holds(bytes: number): void;
  /** Reports members that left or timed out; their locks can be released. */
  membersGone(group: Group, memberIds: readonly string[]): void;
  /** Requests a wake-up no later than this. */
  wakeBy(group: Group, atMs: number): void;
}

/** An answer, and the save that it depends on; `undefined` if nothing had to be saved. */
export interface PendingAnswer<Answer> {
  readonly answer: Answer;
  readonly saved: Promise<void> | undefined;
}

/** A group that serves classic members. */
interface ClassicMembersGroup extends Group {
  join(request: JoinGroupRequest, freshMemberId: string): Promise<ClassicAnswer<'join'>>;
  sync(request: SyncGroupRequest): Promise<ClassicAnswer<'sync'>>;
  /** These two answer at once; the caller waits until the state that the answers depend on is durable. */
  heartbeat(heartbeat: GroupHeartbeat): GroupError;
  leave(members: readonly LeavingMember[]): readonly GroupError[];
}

export function servesClassicMembers(group: Group | undefined): group is ClassicMembersGroup {
  return group?.type === 'classic' || group?.type === 'consumer';
}

/** Restores a group of one type from its stored entry. */
export type ReadGroup = (groupId: string, reader: ByteReader, host: GroupHost) => Group;
