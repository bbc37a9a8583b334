import {
  type ClusterPort,
  type CompactedKeys,
  type KeyCompactionJob,
  keyCompactionKind,
  readKeyCompactionTask,
} from '@weir/cluster';
import type { Clock, MetricRow, Metrics } from '@weir/core';
import type { JobKind } from '../../job-kind.ts';
import { plannedMsMax } from '../file-compaction.ts';
import { commitOf, runsOf } from '../job-ranges.ts';
import type { KeyPlan, KeyResult, KeyRun } from './compact-keys.ts';

interface KeyCompactionOptions {
  readonly clusterId: string;
  readonly port: Pick<ClusterPort, 'replaceRanges'>;
  /** Rejects if the bucket belongs to another database by now. */
  readonly checkOwner: (signal: AbortSignal) => Promise<void>;
  readonly compact: CompactKeys;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly metrics: Metrics;
}

export type CompactKeys = (
  plan: KeyPlan,
  options: {
    readonly signal: AbortSignal;
    readonly progress: (doneBytes: number, totalBytes: number) => void;
  },
) => Promise<KeyResult>;

export const keyCompactionRows = {
  bytes: {
    name: 'agent_key_compaction_bytes_total',
    kind: 'counter',
    help: 'Bytes of partitions before and after log compaction on this agent.',
    labels: ['state'],
  },
  records: {
    name: 'agent_key_compaction_records_total',
    kind: 'counter',
    help: 'Records processed by log compaction on this agent: kept, or removed (superseded, deleted or aborted).',
    labels: ['outcome'],
  },
  partitions: {
    name: 'agent_key_compaction_partitions_total',
    kind: 'counter',
    help: 'Partitions handled by log compaction on this agent: compacted, refused (changed concurrently) or damaged (left as they are).',
    labels: ['outcome'],
  },
} as const satisfies Record<string, MetricRow>;

/**
 * Compacts the keys of partitions: of the records with one key only the latest stays, in new files. The cluster then
 * refers to these, and remembers up to where the partitions are compacted.
 */
export function keyCompaction(options: KeyCompactionOptions): JobKind {
  const { clusterId, port, checkOwner, compact, clock, metrics } = options;
  const count = (row: MetricRow, labels: Readonly<Record<string, string>>, amount: number) => {
    if (amount > 0) metrics.series(row, labels).add(amount);
  };
  return {
    kind: keyCompactionKind,
    category: 'compaction',
    async run(task, { signal, progress }) {
      const job = readKeyCompactionTask(task);
      if (clock.nowMs() - job.plannedMs > plannedMsMax) return 'skipped: plan expired';
      await checkOwner(signal);
      const plan = { clusterId, level: job.level, nowMs: job.plannedMs, runs: keyRunsOf(job) };
      const result = await compact(plan, { signal, progress });
      const { refused, ranges } = result;
      let outcome = { done: 0, bytesBefore: 0, bytesAfter: 0, recordsRead: 0, recordsKept: 0 };
      if (ranges.length > 0) {
        const commit = commitOf(job, result.files, ranges);
        const keys = compactedKeys(result, commit.topicIds);
        const { isReplaced } = await port.replaceRanges({ ...commit, keys });
        outcome = totalsOf(result, isReplaced);
      }
      const { done, bytesBefore, bytesAfter, recordsRead, recordsKept } = outcome;
      const damagedCount = new Set(refused.map(({ topicId, partition }) => `${partition} ${topicId}`)).size;
      count(keyCompactionRows.bytes, { state: 'before' }, bytesBefore);
      count(keyCompactionRows.bytes, { state: 'after' }, bytesAfter);
      count(keyCompactionRows.records, { outcome: 'kept' }, recordsKept);
      count(keyCompactionRows.records, { outcome: 'removed' }, recordsRead - recordsKept);
      count(keyCompactionRows.partitions, { outcome: 'compacted' }, done);
      count(keyCompactionRows.partitions, { outcome: 'refused' }, result.compacted.length - done);
      count(keyCompactionRows.partitions, { outcome: 'damaged' }, damagedCount);
      const [damaged] = refused;
      // A failure, so that the same ranges are not read again at once.
      if (damaged !== undefined) throw new Error(`${refused.length} ranges stay: ${damaged.problem}`);
      return `compacted ${done} of ${plan.runs.length} partitions: kept ${recordsKept} of ${recordsRead} records, ${bytesAfter} of ${bytesBefore} bytes`;
    },
  };
}

function keyRunsOf(job: KeyCompactionJob): KeyRun[] {
  const { keys, aborted } = job;
  let firstAborted = 0;
  return runsOf(job).map((run, range) => {
    const endAborted = firstAborted + keys.abortedCount[range]!;
    const own = {
      producerId: aborted.producerId.slice(firstAborted, endAborted),
      firstOffset: aborted.firstOffset.slice(firstAborted, endAborted),
      lastOffset: aborted.lastOffset.slice(firstAborted, endAborted),
    };
    firstAborted = endAborted;
    return {
      ...run,
      dirtyOffset: keys.dirtyOffset[range]!,
      deleteRetentionMs: keys.deleteRetentionMs[range]!,
      aborted: own,
    };
  });
}

function compactedKeys({ compacted, ranges }: KeyResult, topicIds: readonly string[]): CompactedKeys {
  const topicOf = new Map(topicIds.map((topicId, index) => [topicId, index]));
  const written = new Set(ranges.map(({ topicId, partition }) => `${partition} ${topicId}`));
  // A partition of which every range is damaged has none to replace.
  const runs = compacted.filter(({ topicId, partition }) => written.has(`${partition} ${topicId}`));
  return {
    partitions: {
      topic: Uint32Array.from(runs, ({ topicId }) => topicOf.get(topicId)!),
      partition: Uint32Array.from(runs, ({ partition }) => partition),
      cleanOffset: Float64Array.from(runs, ({ cleanOffset }) => cleanOffset),
      droppedAbortCount: Uint32Array.from(runs, ({ droppedAborts }) => droppedAborts.length),
    },
    droppedAborts: Float64Array.from(runs.flatMap(({ droppedAborts }) => droppedAborts)),
  };
}

/** Sums of the partitions whose ranges were replaced. */
function totalsOf({ compacted, ranges }: KeyResult, isReplaced: Uint8Array) {
  const replaced = new Set(
    ranges
      .filter((_, range) => isReplaced[range] === 1)
      .map(({ topicId, partition }) => `${partition} ${topicId}`),
  );
  const totals = { done: 0, bytesBefore: 0, bytesAfter: 0, recordsRead: 0, recordsKept: 0 };
  for (const run of compacted) {
    if (!replaced.has(`${run.partition} ${run.topicId}`)) continue;
    totals.done++;
    totals.bytesBefore += run.bytesBefore;
    totals.bytesAfter += run.bytesAfter;
    totals.recordsRead += run.recordsRead;
    totals.recordsKept += run.recordsKept;
  }
  return totals;
}
