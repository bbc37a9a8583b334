import type { ClusterBuckets, ClusterView } from '@weir/broker';
import type { ClusterPort } from '@weir/cluster';
import { type Clock, type JobCategory, type Log, type Metrics, nextTurn, type Random } from '@weir/core';
import { isBucketOnDisk, type ObjectStore, type StoreOperation } from '@weir/storage';
import { fileCompaction, type Merge } from './compaction/file-compaction.ts';
import { compactKeys } from './compaction/keys/compact-keys.ts';
import { type CompactKeys, keyCompaction } from './compaction/keys/key-compaction.ts';
import { mergeFiles } from './compaction/merge-files.ts';
import type { MergeBucket } from './compaction/merge-messages.ts';
import type { MergePace } from './compaction/merge-pace.ts';
import { MergeThreads } from './compaction/merge-thread.ts';
import { busyDisk, quietDisk } from './compaction/quiet-disk.ts';
import { deadFileScan } from './dead-file-scan.ts';
import { fileDeletion } from './file-deletion.ts';
import { type JobKind, takesJobs } from './job-kind.ts';
import { jobMetrics } from './job-metrics.ts';
import { JobRunner } from './job-runner.ts';
import { jobLimits } from './limits.ts';
import { restoreCheck } from './restore-check.ts';
import { searchedBuckets } from './searched-buckets.ts';
import { sequenceReplay } from './sequence-replay.ts';

/** Settings of the background jobs of an agent. */
export interface JobSettings {
  /** Jobs that run at a time, per core; at least one runs. */
  readonly slotsPerCpu: number;
  /** The categories that it takes; all if absent. */
  readonly categories?: readonly JobCategory[] | undefined;
  /** Whether it deletes objects. */
  readonly deletesFiles: boolean;
  /** Further buckets that may contain files of the cluster. */
  readonly additionalStores: readonly ObjectStore[];
  /**
   * How a thread opens the bucket to merge files and to compact keys. Absent if no thread can, as for a bucket in
   * memory: then both are done between requests.
   */
  readonly mergeBucket?: MergeBucket | undefined;
}

export const usualJobSettings: JobSettings = { slotsPerCpu: 1, deletesFiles: true, additionalStores: [] };

/** Counts what merges send and write. */
interface MergeStats {
  mergeRequested(bucket: string, operation: StoreOperation, count: number): void;
  /** Bytes of files that a merge wrote. */
  merged(bytesWritten: number): void;
}

interface JobServiceOptions {
  readonly clusterId: string;
  readonly agentId: string;
  readonly roles: readonly string[];
  readonly settings: JobSettings;
  readonly cluster: ClusterPort;
  readonly view: Pick<ClusterView, 'topicById' | 'records'>;
  readonly store: ObjectStore;
  /** The buckets behind the store; one if absent. */
  readonly buckets?: ClusterBuckets | undefined;
  readonly cpuCount: number;
  /** Bytes that this agent has stored for clients since its start. */
  readonly storedBytes: () => number;
  /** Knows how much clients notice of merges. */
  readonly mergePace: MergePace;
  /** Where merges are counted, which run in threads of their own. */
  readonly mergeStats?: MergeStats | undefined;
  /** Further kinds of jobs of the agent, which wait for others more than they work. One more job runs with them. */
  readonly others?: readonly JobKind[] | undefined;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The background jobs of an agent; none without the role `jobs`. A new kind of job is one more entry of `kinds`. */
export function jobService(options: JobServiceOptions): JobRunner {
  const {
    clusterId,
    roles,
    cluster: port,
    settings,
    view,
    store,
    buckets,
    cpuCount,
    storedBytes,
    mergePace: pace,
    random,
    clock,
    metrics,
  } = options;
  const { mergeBucket } = settings;
  const searched = () => searchedBuckets(store, buckets, settings.additionalStores);
  const checkOwner = restoreCheck({
    clusterId,
    view,
    buckets: () => searched().filter(({ number }) => number !== undefined),
  });
  const stores = [store, ...settings.additionalStores];
  const isInProcess = mergeBucket === undefined;
  const isOnDisk = !isInProcess && isBucketOnDisk(mergeBucket.bucketUrl);
  const hasToWait = isOnDisk ? busyDisk({ storedBytes, clock }) : undefined;
  const threads = new MergeThreads({ clock });
  const mergeTask = (bucket: MergeBucket) => ({ ...bucket, buckets: buckets?.urls(), limits: {} });
  const onRequests: MergeStats['mergeRequested'] = (...sent) => options.mergeStats?.mergeRequested(...sent);
  const inOrder = isOnDisk ? oneAtATime() : <T>(run: () => Promise<T>) => run();
  const kinds: readonly JobKind[] = [
    ...(settings.deletesFiles ? [fileDeletion({ clusterId, port, stores, checkOwner, metrics })] : []),
    deadFileScan({
      clusterId,
      port,
      buckets: searched,
      checkOwner,
      hasTopic: (topicId) => view.topicById(topicId) !== undefined,
      deletes: settings.deletesFiles,
      clock,
      metrics,
    }),
    fileCompaction({
      clusterId,
      port,
      checkOwner,
      merge: async (filePlan, context) => {
        const plan = { ...filePlan, bucket: buckets?.compaction };
        const result =
          mergeBucket === undefined
            ? await mergeBetweenRequests(store, random, clock, pace)(plan, context)
            : await inOrder(() =>
                threads.merge(
                  { ...mergeTask(mergeBucket), plan },
                  { ...context, onRequests, hasToWait, pace },
                ),
              );
        options.mergeStats?.merged(result.bytesWritten);
        return result;
      },
      mayStart: isInProcess || isOnDisk ? quietDisk({ storedBytes, clock }) : undefined,
      clock,
      metrics,
    }),
    keyCompaction({
      clusterId,
      port,
      checkOwner,
      compact: async (plan, context) => {
        const keyPlan = { ...plan, bucket: buckets?.compaction };
        const result =
          mergeBucket === undefined
            ? await compactBetweenRequests(store, random, clock)(keyPlan, context)
            : await inOrder(() =>
                threads.compactKeys({ ...mergeTask(mergeBucket), keyPlan }, { ...context, onRequests, pace }),
              );
        options.mergeStats?.merged(result.bytesWritten);
        return result;
      },
      clock,
      metrics,
    }),
    ...(options.others ?? []),
  ];
  const taker = { roles, jobCategories: settings.categories };
  // Consumers wait for the records of these files: every agent that takes any jobs about files commits them.
  const takesFiles = takesJobs(taker, 'compaction') || takesJobs(taker, 'deadscanner');
  const replay = sequenceReplay({ clusterId, port, buckets: searched, checkOwner, clock, metrics });
  return new JobRunner({
    ...options,
    port,
    kinds: [...(takesFiles ? [replay] : []), ...kinds.filter(({ category }) => takesJobs(taker, category))],
    slots: Math.max(1, Math.floor(cpuCount * settings.slotsPerCpu)) + (options.others === undefined ? 0 : 1),
    metrics: jobMetrics(metrics),
    onStopped: () => threads.end(),
  });
}

/** How long a merge between requests works before it lets others work. */
const workMsMax = 5;

/** Merges files between requests, with less memory. Other threads do not see a bucket in memory. */
function mergeBetweenRequests(store: ObjectStore, random: Random, clock: Clock, pace: MergePace): Merge {
  const limits = { readBytesMax: jobLimits.localMergeReadBytesMax };
  return async (plan, context) => {
    const paced = pace.begin();
    let sinceMs = clock.monotonicMs();
    const pause = async () => {
      const workedMs = clock.monotonicMs() - sinceMs;
      if (workedMs < workMsMax) return;
      await new Promise<void>((resolve) => clock.after(workedMs * (1 / paced.share() - 1), resolve));
      sinceMs = clock.monotonicMs();
    };
    try {
      return await mergeFiles(plan, { ...context, store, random, pause, limits });
    } finally {
      paced.end();
    }
  };
}

/** Compacts keys in the same way. */
function compactBetweenRequests(store: ObjectStore, random: Random, clock: Clock): CompactKeys {
  const limits = {
    mapBytesMax: jobLimits.localKeyMapBytesMax,
    readBytesMax: jobLimits.localKeyReadBytesMax,
  };
  const pause = () => nextTurn(clock);
  return (plan, context) => compactKeys(plan, { ...context, store, random, pause, limits });
}

/** Two merges on one disk take no less time than one after the other. */
function oneAtATime(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run);
    last = next.catch(() => undefined);
    return next;
  };
}
