import type {
  GroupDescription,
  GroupError,
  GroupHeartbeat,
  GroupListing,
  GroupType,
  JoinGroupAnswer,
  JoinGroupRequest,
  LeavingMember,
  OffsetsCommitter,
  SyncGroupAnswer,
  SyncGroupRequest,
} from '@weir/cluster';
import type { Log } from '@weir/core';
import type { ByteReader, ByteWriter, EntryChange } from '@weir/machine';
import type { ClassicRules } from './classic/event.ts';
import type { MatchedTopicsView } from './consumer/consumer-group.ts';
import type { ConsumerRules } from './consumer/event.ts';
import type { ShareRules } from './share/event.ts';

/** What all types of groups have in common: what is asked of a group by somebody who does not care about its type. */
export interface Group {
  readonly groupId: string;
  readonly type: GroupType;
  /** When it is woken next; kept by the queue that wakes it. */
  wakeAtMs: number;

  /** Time has passed. Gives when it wants to be woken again; infinite when there is nothing to wait for. */
  tick(): number;

  /** Whether somebody may commit offsets now. */
  checkCommit(committer: OffsetsCommitter, isTransactional: boolean): GroupError;
  /** Whether somebody may read them; `null` and -1 for somebody who names no member. */
  checkFetch(memberId: string | null, memberEpoch: number): GroupError;
  /** Whether offsets may be deleted at all. */
  checkDeleteOffsets(): GroupError;
  isSubscribedTo(topicName: string): boolean;
  offsetExpiry(): OffsetExpiry;

  listing(): GroupListing;
  /** As DescribeGroups shows it; types with a description of their own are GROUP_ID_NOT_FOUND. */
  describe(): GroupDescription;

  /** Ends the group if it has no members. What it had durable is gone with it. */
  delete(): GroupError;
  /** Whether nothing would be lost without it: no members, nothing durable, nobody about to come. */
  readonly isForgettable: boolean;

  /** Nobody coordinates the group here any more: rejects whoever waits. */
  close(error: Error): void;

  /** What has to be durable of it. The type stands before it. */
  write(writer: ByteWriter): void;
}

/**
 * From when the retention of a group's offsets counts. `never`: the group is in use. `commit`: from each commit, for the
 * topics that nobody of the group listens to. `empty`: from when the last member left, or from the commit where that is later.
 */
export type OffsetExpiry =
  | { readonly from: 'never' }
  | { readonly from: 'commit' }
  | { readonly from: 'empty'; readonly sinceMs: number };

/** What a group gets from its coordinator. */
export interface GroupHost {
  /** For deadlines: never runs back, and means nothing to anybody else. */
  monotonicMs(): number;
  /** The time of the world. */
  nowMs(): number;
  classicRules(): ClassicRules;
  consumerRules(groupId: string): ConsumerRules;
  shareRules(groupId: string): ShareRules;
  /** Whether groups with members may move to the other protocol by themselves. */
  mayMigrate(to: 'consumer' | 'classic'): boolean;
  readonly topics: MatchedTopicsView;
  readonly log: Log;
  /** The record of a member of a group that keeps each of them by itself. */
  memberRecord(key: string): Buffer | undefined;
  /** Makes the group durable as it is, or gone; others of its records with it. Settles when it is. */
  save(group: Group, others?: readonly EntryChange[]): Promise<void>;
  erase(group: Group): Promise<void>;
  /** Makes records durable that are a part of the group. */
  put(group: Group, changes: readonly EntryChange[]): Promise<void>;
  /** Another group takes the place of this one, with the same id. */
  replace(group: Group, by: Group): void;
  /** Settles when everything that was saved until now is durable. */
  settled(): Promise<void>;
  /** The group holds so many bytes more, or less, of what its members say. */
  holds(bytes: number): void;
  /** Members left, or were not heard of any more; others may have what they had. */
  membersGone(group: Group, memberIds: readonly string[]): void;
  /** The group wants to be woken no later than this. */
  wakeBy(group: Group, atMs: number): void;
}

/** A group that serves members of the classic protocol. */
interface ClassicMembersGroup extends Group {
  join(request: JoinGroupRequest, freshMemberId: string): Promise<JoinGroupAnswer>;
  sync(request: SyncGroupRequest): Promise<SyncGroupAnswer>;
  /** These two are answered at once; whoever asks waits for what the answers rest on. */
  heartbeat(heartbeat: GroupHeartbeat): GroupError;
  leave(members: readonly LeavingMember[]): readonly GroupError[];
}

export function servesClassicMembers(group: Group | undefined): group is ClassicMembersGroup {
  return group?.type === 'classic' || group?.type === 'consumer';
}

/** How a type of group comes back from what was kept of it. */
export type ReadGroup = (groupId: string, reader: ByteReader, host: GroupHost) => Group;
