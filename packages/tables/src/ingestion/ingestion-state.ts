import { defaultSpec, type LoadedTable, snapshotOfRef } from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import type { ErrorCause, TableCounts, TableProgress, TableStatus } from './progress.ts';

/** A partition of the topic, as far as it is read. */
export interface PartitionState {
  readonly partition: number;
  /** What the table has of it: the next offset. Absent before the first commit. */
  committed: bigint | undefined;
  /** Where reading began. */
  readonly begun: bigint;
  /** The next record to read. */
  position: bigint;
  endOffset: bigint;
  /** When the oldest record was written that is read and not committed. */
  oldestMs: number | undefined;
  /** When the record was written that was read last. */
  lastMs: number | undefined;
  /** It is not read any more. */
  stopped: StoppedPartition | undefined;
}

interface StoppedPartition {
  readonly offset: bigint;
  readonly error: string;
}

type Mutable<Counts> = { -readonly [Key in keyof Counts]: Counts[Key] };

/** What is known of a table while it is written, over all attempts to do so. */
export class IngestionState {
  partitions = new Map<number, PartitionState>();
  readonly counts: Mutable<TableCounts> = {
    rows: 0,
    rowBytes: 0,
    filtered: 0,
    skipped: 0,
    kept: 0,
    missed: 0n,
    commits: 0,
  };
  table: TableStatus | undefined;
  hasDefinition = false;
  keptRecords = 0;
  lastCommitMs: number | undefined;
  isFailing = false;
  lastError: TableProgress['lastError'];

  fail(message: string, cause: ErrorCause, atMs: number, isDenied = false): void {
    this.isFailing = true;
    this.lastError = { message, cause, isDenied, atMs };
  }

  setTable(
    { metadata, metadataPath }: LoadedTable,
    {
      partitionCount,
      partitionsMax,
      filesMax,
    }: Pick<TableStatus, 'partitionCount' | 'partitionsMax' | 'filesMax'>,
  ): void {
    const summary = snapshotOfRef(metadata)?.summary ?? {};
    const total = (name: string) => {
      const text = metadata.snapshots.length === 0 ? '0' : summary[name];
      return text === undefined ? undefined : Number(text);
    };
    const version = /\/v(\d+)\.metadata\.json$/.exec(metadataPath)?.[1];
    this.table = {
      tableUuid: metadata.uuid,
      location: metadata.location,
      metadataLocation: metadataPath,
      metadataVersion: version === undefined ? undefined : Number(version),
      schemaId: metadata.currentSchemaId,
      snapshotCount: metadata.snapshots.length,
      rowCount: total('total-records'),
      byteCount: total('total-files-size'),
      fileCount: total('total-data-files'),
      partitionCount: defaultSpec(metadata).fields.length === 0 ? 1 : partitionCount,
      partitionsMax,
      filesMax,
      snapshotsMax: tableLimits.tableSnapshotsMax,
    };
  }

  progress(nowMs: number): TableProgress {
    const partitions = [...this.partitions.values()];
    return {
      partitions: partitions.map(({ partition, committed, begun, position, endOffset, stopped }) => ({
        partition,
        nextOffset: committed ?? begun,
        readOffset: position,
        endOffset,
        isStopped: stopped !== undefined,
        error: stopped?.error,
      })),
      ingestionLagMs: lagMs(partitions, nowMs),
      hasDefinition: this.hasDefinition,
      counts: { ...this.counts },
      table: this.table,
      keptRecords: this.keptRecords,
      lastCommitMs: this.lastCommitMs,
      isFailing: this.isFailing,
      lastError: this.lastError,
    };
  }
}

/** Absent if a partition has records that were never looked at. */
function lagMs(partitions: readonly PartitionState[], nowMs: number): number | undefined {
  if (partitions.length === 0) return undefined;
  let lag = 0;
  for (const { position, endOffset, oldestMs, lastMs } of partitions) {
    const hasMore = position < endOffset;
    // The next record is not older than the last one, as a rule.
    const sinceMs = oldestMs ?? (hasMore ? lastMs : nowMs);
    if (sinceMs === undefined) return undefined;
    lag = Math.max(lag, nowMs - sinceMs);
  }
  return lag;
}
