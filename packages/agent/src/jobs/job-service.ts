import type { ClusterPort } from '@weir/cluster';
import type { Clock, JobCategory, Log, Metrics } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { AgentStats } from '../stats/agent-stats.ts';
import { fileCompaction, type Merge } from './compaction/file-compaction.ts';
import type { MergeTask } from './compaction/merge-messages.ts';
import { mergeOffThread } from './compaction/merge-thread.ts';
import { quietDisk } from './compaction/quiet-disk.ts';
import { deadFileScan } from './dead-file-scan.ts';
import { fileDeletion } from './file-deletion.ts';
import { type JobKind, takesJobs } from './job-kind.ts';
import { jobMetrics } from './job-metrics.ts';
import { JobRunner } from './job-runner.ts';
import { restoreCheck } from './restore-check.ts';

type MergeBucket = Pick<MergeTask, 'bucketUrl' | 'environment' | 'usesMetadataService'>;

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
  /** How a thread opens the bucket to merge files; absent if no thread can, and then files are not merged. */
  readonly mergeBucket?: MergeBucket | undefined;
}

export const usualJobSettings: JobSettings = { slotsPerCpu: 1, deletesFiles: true, additionalStores: [] };

interface JobServiceOptions {
  readonly clusterId: string;
  readonly agentId: string;
  readonly roles: readonly string[];
  readonly settings: JobSettings;
  readonly cluster: ClusterPort;
  readonly view: Pick<ClusterView, 'topicById' | 'records'>;
  readonly store: ObjectStore;
  readonly cpuCount: number;
  /** Bytes that this agent has stored for clients since its start. */
  readonly storedBytes: () => number;
  /** Where merges are counted, which run in threads of their own. */
  readonly mergeStats?: Pick<AgentStats, 'merged' | 'mergeRequested'> | undefined;
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
    cpuCount,
    storedBytes,
    clock,
    metrics,
  } = options;
  const { mergeBucket } = settings;
  const checkOwner = restoreCheck({ clusterId, view, store });
  const stores = [store, ...settings.additionalStores];
  const kinds: readonly JobKind[] = [
    ...(settings.deletesFiles ? [fileDeletion({ clusterId, port, stores, checkOwner, metrics })] : []),
    deadFileScan({
      clusterId,
      port,
      stores,
      checkOwner,
      hasTopic: (topicId) => view.topicById(topicId) !== undefined,
      deletes: settings.deletesFiles,
      clock,
      metrics,
    }),
    ...(mergeBucket === undefined
      ? []
      : [
          fileCompaction({
            clusterId,
            port,
            checkOwner,
            merge: mergeThread(mergeBucket, options.mergeStats),
            mayStart: mergeBucket.bucketUrl.startsWith('file:')
              ? quietDisk({ storedBytes, clock })
              : undefined,
            clock,
            metrics,
          }),
        ]),
  ];
  return new JobRunner({
    ...options,
    port,
    kinds: kinds.filter(({ category }) => takesJobs({ roles, jobCategories: settings.categories }, category)),
    slots: Math.max(1, Math.floor(cpuCount * settings.slotsPerCpu)),
    metrics: jobMetrics(metrics),
  });
}

function mergeThread(bucket: MergeBucket, stats: JobServiceOptions['mergeStats']): Merge {
  const merge: Merge = async (plan, options) => {
    const task = { ...bucket, plan, limits: {} };
    const onRequests: AgentStats['mergeRequested'] = (...sent) => stats?.mergeRequested(...sent);
    const result = await mergeOffThread(task, { ...options, onRequests });
    stats?.merged(result.bytesWritten);
    return result;
  };
  return bucket.bucketUrl.startsWith('file:') ? oneAtATime(merge) : merge;
}

/** Two merges on one disk take no less time than one after the other. */
function oneAtATime(merge: Merge): Merge {
  let last: Promise<unknown> = Promise.resolve();
  return (plan, options) => {
    const next = last.then(() => merge(plan, options));
    last = next.catch(() => undefined);
    return next;
  };
}
