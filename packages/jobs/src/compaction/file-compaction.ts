import {
  type ClusterPort,
  type CompactionCommit,
  type CompactionJob,
  fileCompactionKind,
  readCompactionTask,
} from '@weir/cluster';
import type { Clock, MetricRow, Metrics } from '@weir/core';
import type { JobKind } from '../job-kind.ts';
import { jobLimits } from '../limits.ts';
import { commitOf, runsOf } from './job-ranges.ts';
import type { MergePlan, MergeResult } from './merge-files.ts';
import { shareRuns, withTwins } from './shared-runs.ts';

interface FileCompactionOptions {
  readonly clusterId: string;
  readonly port: Pick<ClusterPort, 'replaceRanges'>;
  /** Rejects if the bucket belongs to another database by now. */
  readonly checkOwner: (signal: AbortSignal) => Promise<void>;
  readonly merge: Merge;
  /** Whether to merge now; always if absent. */
  readonly mayStart?: (() => boolean) | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly metrics: Metrics;
}

/** A plan that waited for longer would mostly be refused: the cluster refuses all of it after an hour. */
export const plannedMsMax = 30 * 60_000;

export type Merge = (
  plan: MergePlan,
  options: {
    readonly signal: AbortSignal;
    readonly progress: (copiedBytes: number, totalBytes: number) => void;
  },
) => Promise<MergeResult>;

export const compactionRows = {
  files: {
    name: 'agent_compaction_files_total',
    kind: 'counter',
    help: 'Files read and written by compactions of this agent.',
    labels: ['direction'],
  },
  bytes: {
    name: 'agent_compaction_bytes_total',
    kind: 'counter',
    help: 'Bytes read from and written to the bucket by compactions of this agent.',
    labels: ['direction'],
  },
  ranges: {
    name: 'agent_compaction_ranges_total',
    kind: 'counter',
    help: 'Partition ranges handled by compactions: replaced, refused (changed concurrently) or damaged (left in place).',
    labels: ['outcome'],
  },
} as const satisfies Record<string, MetricRow>;

/**
 * Merges the files of a job into files of the next level and makes the cluster refer to these. The old files are dead
 * from then on, and are deleted when no reader can use them any more.
 */
export function fileCompaction(options: FileCompactionOptions): JobKind {
  const { clusterId, port, checkOwner, merge, mayStart, clock, metrics } = options;
  const count = (row: MetricRow, labels: Readonly<Record<string, string>>, amount: number) => {
    if (amount > 0) metrics.series(row, labels).add(amount);
  };
  return {
    kind: fileCompactionKind,
    category: 'compaction',
    mayStart,
    async run(task, { signal, progress }) {
      const job = readCompactionTask(task);
      if (clock.nowMs() - job.plannedMs > plannedMsMax) return 'skipped: plan expired';
      await checkOwner(signal);
      const shared = shareRuns(job, runsOf(job));
      const plan = { clusterId, level: job.level, runs: shared.runs };
      const result = await merge(plan, { signal, progress });
      const { files, refused, bytesRead, bytesWritten } = result;
      count(compactionRows.files, { direction: 'read' }, job.inputs.length);
      count(compactionRows.files, { direction: 'written' }, files.length);
      count(compactionRows.bytes, { direction: 'read' }, bytesRead);
      count(compactionRows.bytes, { direction: 'written' }, bytesWritten);
      count(compactionRows.ranges, { outcome: 'damaged' }, refused.length);
      const ranges = withTwins(result.ranges, shared);
      for (const commit of commitsOf(job, files, ranges)) {
        const { isReplaced } = await port.replaceRanges(commit);
        const replaced = isReplaced.reduce((sum, flag) => sum + flag, 0);
        count(compactionRows.ranges, { outcome: 'replaced' }, replaced);
        count(compactionRows.ranges, { outcome: 'refused' }, isReplaced.length - replaced);
      }
      const [damaged] = refused;
      // A failure, so that the same files are not merged again at once.
      if (damaged !== undefined) throw new Error(`${refused.length} ranges stay: ${damaged.problem}`);
      return `merged ${job.inputs.length} files into ${files.length} of level ${job.level}, ${bytesWritten} bytes`;
    },
  };
}

/** Cuts the commit of a job into parts that take the leader some milliseconds each. */
function* commitsOf(
  job: CompactionJob,
  files: MergeResult['files'],
  ranges: MergeResult['ranges'],
): Generator<CompactionCommit> {
  const { compactionRangesPerCommitMax, compactionPointersPerCommitMax } = jobLimits;
  const pointersPerRange = job.pointers.file.length / job.ranges.topic.length;
  const rangesPerCommit = Math.max(
    1,
    Math.min(compactionRangesPerCommitMax, Math.floor(compactionPointersPerCommitMax / pointersPerRange)),
  );
  const filesOf = (some: MergeResult['ranges']) =>
    new Set(some.flatMap(({ pointers }) => pointers.map(({ fileId }) => fileId)));
  const used = filesOf(ranges);
  const known = new Set<string>();
  for (let first = 0; first < ranges.length; first += rangesPerCommit) {
    const part = ranges.slice(first, first + rangesPerCommit);
    const fileIds = filesOf(part);
    const outputs: CompactionCommit['outputs'] = files
      // The first part names files without pointers too, so that they are deleted.
      .filter(({ fileId }) => fileIds.has(fileId) || (first === 0 && !used.has(fileId)))
      .map((file) => (known.has(file.fileId) ? { ...file, isContinued: true } : file));
    for (const fileId of fileIds) known.add(fileId);
    yield commitOf(job, outputs, part);
  }
}
