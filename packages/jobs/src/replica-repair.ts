import type { FilesPort } from '@weir/cluster';
import type { Clock, Metrics } from '@weir/core';
import { type ObjectInfo, type ObjectStore, StoreError } from '@weir/storage';
import { bucketObject } from './bucket-object.ts';
import { deadFileRows } from './dead-file-metrics.ts';

interface ReplicaRepairOptions {
  readonly clusterId: string;
  readonly port: Pick<FilesPort, 'unknownFiles'>;
  /** Whether a topic exists whose events may have sidecars. */
  readonly hasTopic: (topicId: string) => boolean;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

type RepairPage = (
  store: ObjectStore,
  page: readonly ObjectInfo[],
  ageMsMin: number,
  signal: AbortSignal,
) => Promise<number>;

/**
 * Returns a function that copies objects of a page to the buckets of `service_multi://` that lack them, and returns how
 * many it copied. Agents copy what their own puts missed; this finds what they forgot when they ended.
 *
 * A deletion that one bucket missed must not be undone. So a file is copied if the cluster knows it, and not otherwise;
 * it is deleted no earlier than the grace period after that. Sidecars are copied while their topic exists. Any other
 * object, such as the backup of metadata, is copied when it is old: no deletion of it is under way then.
 */
export function replicaRepair({
  clusterId,
  port,
  hasTopic,
  clock,
  metrics,
}: ReplicaRepairOptions): RepairPage {
  const count = (outcome: string) => metrics.series(deadFileRows.replicas, { outcome }).add(1);
  return async (store, page, ageMsMin, signal) => {
    const { replicas } = store;
    const behind = page.filter(({ missingIn }) => missingIn !== undefined);
    if (replicas === undefined || behind.length === 0) return 0;
    const fileIds = behind.flatMap(({ key }) => {
      const object = bucketObject(clusterId, key);
      return object.kind === 'file' ? [object.fileId] : [];
    });
    const unknown = new Set(fileIds.length === 0 ? [] : await port.unknownFiles(fileIds));
    const oldBeforeMs = clock.nowMs() - ageMsMin;
    const isNeeded = ({ key, modifiedMs }: ObjectInfo) => {
      const object = bucketObject(clusterId, key);
      if (object.kind === 'file') return !unknown.has(object.fileId);
      return object.kind === 'sidecar' ? hasTopic(object.topicId) : modifiedMs <= oldBeforeMs;
    };
    let copied = 0;
    for (const info of behind) {
      signal.throwIfAborted();
      if (!isNeeded(info)) count('unneeded');
      else {
        try {
          const isThere = await replicas.repair(info, { signal });
          if (isThere) copied++;
          count(isThere ? 'copied' : 'gone');
        } catch (error) {
          // The bucket is out again. The next scan finds what is left.
          if (!(error instanceof StoreError)) throw error;
          count('failed');
          break;
        }
      }
    }
    return copied;
  };
}
