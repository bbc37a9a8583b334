import { controlPlaneLimits } from '../limits.ts';
import type { DiagnosticSnapshot, GroupFacts } from './diagnostic-snapshot.ts';

/**
 * What is remembered of earlier looks at a cluster, as little as the checks need. It is folded look by look, lives in
 * the process that leads the cluster, and begins anew with the next one.
 */
export interface ClusterHistory {
  readonly groups: ReadonlyMap<string, GroupHistory>;
  /** Partitions of groups that there was no room for; nothing is known of how they get on. */
  readonly unfollowedPartitions: number;
}

export interface GroupHistory {
  /**
   * The lag of the whole group at the last looks, the oldest first. They begin anew when it has been without members.
   */
  readonly lags: readonly number[];
  /** The last look that found any of its offsets moved. */
  readonly movedMs: number;
  /** The look that found it without members first, while it has none. */
  readonly emptySinceMs: number | undefined;
  readonly partitions: ReadonlyMap<string, PartitionHistory>;
}

interface PartitionHistory {
  readonly committedOffset: number;
  /** The first look from which on there were members and something to read, and nothing was committed. */
  readonly waitingSinceMs: number | undefined;
}

/** Lags that are remembered of a group: a quarter of an hour, at a look per minute. */
export const lagSamplesMax = 15;

export const noHistory: ClusterHistory = { groups: new Map(), unfollowedPartitions: 0 };

/** The history with one more look, which is the one that checks of this snapshot are given. */
export function withSnapshot(before: ClusterHistory, snapshot: DiagnosticSnapshot): ClusterHistory {
  // A look that could not see the groups says nothing about them.
  if (snapshot.groups === undefined) return before;
  const groups = new Map<string, GroupHistory>();
  let roomForPartitions: number = controlPlaneLimits.diagnosedPartitionsMax;
  let unfollowedPartitions = 0;
  for (const group of snapshot.groups) {
    const hasRoom =
      group.partitions.length <= roomForPartitions && groups.size < controlPlaneLimits.diagnosedGroupsMax;
    if (!hasRoom) {
      unfollowedPartitions += group.partitions.length;
      continue;
    }
    roomForPartitions -= group.partitions.length;
    groups.set(group.groupId, groupWithSnapshot(before.groups.get(group.groupId), group, snapshot.atMs));
  }
  return { groups, unfollowedPartitions };
}

function groupWithSnapshot(before: GroupHistory | undefined, group: GroupFacts, atMs: number): GroupHistory {
  const isEmpty = group.memberCount === 0;
  const partitions = new Map<string, PartitionHistory>();
  let hasMoved = before === undefined;
  for (const { topic, partition, committedOffset, endOffset } of group.partitions) {
    const key = `${topic}-${partition}`;
    const earlier = before?.partitions.get(key);
    const isSame = earlier?.committedOffset === committedOffset;
    hasMoved ||= !isSame;
    const hasWork = !isEmpty && lagOfPartition(committedOffset, endOffset) > 0;
    const waitingSinceMs = hasWork ? ((isSame ? earlier?.waitingSinceMs : undefined) ?? atMs) : undefined;
    partitions.set(key, { committedOffset, waitingSinceMs });
  }
  return {
    lags: isEmpty ? [] : [...(before?.lags ?? []), lagOf(group)].slice(-lagSamplesMax),
    movedMs: hasMoved ? atMs : before!.movedMs,
    emptySinceMs: isEmpty ? (before?.emptySinceMs ?? atMs) : undefined,
    partitions,
  };
}

/** Records that the group could read and has not committed yet. */
export function lagOf({ partitions }: GroupFacts): number {
  return partitions.reduce(
    (sum, { committedOffset, endOffset }) => sum + lagOfPartition(committedOffset, endOffset),
    0,
  );
}

/** An offset beyond the end is that of a topic that was created again, and no lag. */
export function lagOfPartition(committedOffset: number, endOffset: number): number {
  return Math.max(0, endOffset - committedOffset);
}
