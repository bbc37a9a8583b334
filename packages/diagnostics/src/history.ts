import type { DiagnosticSnapshot, GroupFacts } from './diagnostic-snapshot.ts';
import { diagnosticLimits } from './limits.ts';

/**
 * The history of a cluster, as little as the checks need. It is folded run by run, lives in the process that leads the
 * cluster, and begins anew with the next leader.
 */
export interface ClusterHistory {
  readonly groups: ReadonlyMap<string, GroupHistory>;
  /** By job: how far instances of pipelines came. */
  readonly instances: ReadonlyMap<string, InstanceHistory>;
  /** What the copies of a migration lack together in the last runs, the oldest first. */
  readonly migrationLags: readonly number[];
  /** By table. */
  readonly tables: ReadonlyMap<string, TableHistory>;
  /** Partitions of groups beyond the limit, whose progress is not followed. */
  readonly unfollowedPartitions: number;
}

interface TableHistory {
  /** Records that were kept or dropped by then, in the last runs, the oldest first; counted from an earlier run. */
  readonly failed: readonly number[];
  /** As agents last counted them. */
  readonly keptCount: number;
  readonly droppedCount: number;
}

interface InstanceHistory {
  readonly doneCount: number;
  /** The last run that found messages written since the run before, and the errors until then. */
  readonly movedMs: number;
  readonly errorCountThen: number;
}

export interface GroupHistory {
  /** The lag of the whole group in the last runs, the oldest first. It restarts after the group has been empty. */
  readonly lags: readonly number[];
  /** For each of these lags, the records that had been written by then, counted from an earlier run. */
  readonly written: readonly number[];
  /** The last run that found any of its offsets moved. */
  readonly movedMs: number;
  /** The first run that found it empty, while it is empty. */
  readonly emptySinceMs: number | undefined;
  readonly partitions: ReadonlyMap<string, PartitionHistory>;
}

interface PartitionHistory {
  readonly committedOffset: number;
  readonly endOffset: number;
  /** The first run since which there were members and unread records, and no commits. */
  readonly waitingSinceMs: number | undefined;
}

/** Lag samples per group: 15 minutes, at one run per minute. */
export const lagSamplesMax = 15;

export const noHistory: ClusterHistory = {
  groups: new Map(),
  instances: new Map(),
  migrationLags: [],
  tables: new Map(),
  unfollowedPartitions: 0,
};

/** Returns the history with one more run; checks of this snapshot get this one. */
export function withSnapshot(before: ClusterHistory, snapshot: DiagnosticSnapshot): ClusterHistory {
  const instances = instancesWithSnapshot(before.instances, snapshot);
  const tables = tablesWithSnapshot(before.tables, snapshot);
  const migrationLags = lagsWithSnapshot(before.migrationLags, snapshot);
  // A run that could not read the groups says nothing about them.
  if (snapshot.groups === undefined) return { ...before, instances, tables, migrationLags };
  const groups = new Map<string, GroupHistory>();
  let roomForPartitions: number = diagnosticLimits.diagnosedPartitionsMax;
  let unfollowedPartitions = 0;
  for (const group of snapshot.groups) {
    const hasRoom =
      group.partitions.length <= roomForPartitions && groups.size < diagnosticLimits.diagnosedGroupsMax;
    if (!hasRoom) {
      unfollowedPartitions += group.partitions.length;
      continue;
    }
    roomForPartitions -= group.partitions.length;
    groups.set(group.groupId, groupWithSnapshot(before.groups.get(group.groupId), group, snapshot.atMs));
  }
  return { groups, instances, tables, migrationLags, unfollowedPartitions };
}

function instancesWithSnapshot(
  before: ClusterHistory['instances'],
  { pipelines, atMs }: DiagnosticSnapshot,
): ClusterHistory['instances'] {
  if (pipelines === undefined) return before;
  const rows = pipelines.flatMap(({ instances }) => instances);
  return new Map(
    rows.map(({ jobId, doneCount, errorCount }) => {
      const known = before.get(jobId);
      if (known?.doneCount === doneCount) return [jobId, known];
      // A first run sees an instance as it was started: none of its errors is older.
      const errorCountThen = known === undefined && doneCount === 0 ? 0 : errorCount;
      return [jobId, { doneCount, movedMs: atMs, errorCountThen }];
    }),
  );
}

function tablesWithSnapshot(
  before: ClusterHistory['tables'],
  { tables }: DiagnosticSnapshot,
): ClusterHistory['tables'] {
  if (tables === undefined) return before;
  return new Map(
    tables.flatMap(({ tableUuid, report }) => {
      const known = before.get(tableUuid);
      if (report === undefined) return known === undefined ? [] : [[tableUuid, known]];
      const { keptRecordCount: keptCount, droppedRecordCount: droppedCount } = report;
      if (known === undefined) return [[tableUuid, { failed: [0], keptCount, droppedCount }]];
      // A replay takes from what is kept, and another agent counts from 0 what it drops.
      const dropped = droppedCount >= known.droppedCount ? droppedCount - known.droppedCount : droppedCount;
      const grown = Math.max(0, keptCount - known.keptCount) + dropped;
      const failed = [...known.failed, known.failed.at(-1)! + grown].slice(-lagSamplesMax);
      return [[tableUuid, { failed, keptCount, droppedCount }]];
    }),
  );
}

/** A source that does not say where one of its topics ends says nothing of the whole. */
function lagsWithSnapshot(before: readonly number[], { migration }: DiagnosticSnapshot): readonly number[] {
  if (migration === undefined) return before;
  if (migration === null) return [];
  let lag = 0;
  for (const { state, lagOffsets } of migration.topics) {
    if (state === undefined) continue;
    if (lagOffsets === undefined) return before;
    lag += lagOffsets;
  }
  return [...before, lag].slice(-lagSamplesMax);
}

function groupWithSnapshot(before: GroupHistory | undefined, group: GroupFacts, atMs: number): GroupHistory {
  const isEmpty = group.memberCount === 0;
  const partitions = new Map<string, PartitionHistory>();
  let hasMoved = before === undefined;
  let written = before?.written.at(-1) ?? 0;
  for (const { topic, partition, committedOffset, endOffset } of group.partitions) {
    const key = `${topic}-${partition}`;
    const earlier = before?.partitions.get(key);
    const isSame = earlier?.committedOffset === committedOffset;
    hasMoved ||= !isSame;
    const hasWork = !isEmpty && lagOfPartition(committedOffset, endOffset) > 0;
    const waitingSinceMs = hasWork ? ((isSame ? earlier?.waitingSinceMs : undefined) ?? atMs) : undefined;
    // What a partition held when the group first committed in it was not written meanwhile.
    written += Math.max(0, endOffset - (earlier?.endOffset ?? endOffset));
    partitions.set(key, { committedOffset, endOffset, waitingSinceMs });
  }
  return {
    lags: isEmpty ? [] : [...(before?.lags ?? []), lagOf(group)].slice(-lagSamplesMax),
    written: isEmpty ? [] : [...(before?.written ?? []), written].slice(-lagSamplesMax),
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

/** An offset beyond the end belongs to an earlier topic of the same name, and is not lag. */
export function lagOfPartition(committedOffset: number, endOffset: number): number {
  return Math.max(0, endOffset - committedOffset);
}
