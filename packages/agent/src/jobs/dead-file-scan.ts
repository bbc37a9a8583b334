import { deadFileScanKind, type FilesPort, readScanTask, type ScanTask } from '@weir/cluster';
import { type Clock, fileIdTimeMs, type Metrics } from '@weir/core';
import { clusterPrefix, type ObjectInfo, type ObjectStore } from '@weir/storage';
import { bucketObject } from './bucket-object.ts';
import { deadFileRows } from './dead-file-metrics.ts';
import type { JobKind } from './job-kind.ts';

interface DeadFileScanOptions {
  readonly clusterId: string;
  readonly port: Pick<FilesPort, 'unknownFiles' | 'declareFilesDead'>;
  /** The bucket of the cluster, and further ones that may contain its files. */
  readonly stores: readonly ObjectStore[];
  /** Rejects if the bucket belongs to another database by now. */
  readonly checkOwner: (signal: AbortSignal) => Promise<void>;
  /** Whether a topic exists whose events may have sidecars. */
  readonly hasTopic: (topicId: string) => boolean;
  /** Whether sidecars are deleted. Files are only declared dead here. */
  readonly deletesSidecars: boolean;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Where a scan is: everything up to this key of this bucket was seen. */
interface Place {
  readonly bucket: number;
  readonly key: string;
  readonly seen: number;
  readonly orphans: number;
}

/**
 * Looks for files that were uploaded and never committed, page by page in the order of keys, and declares them dead.
 * The cluster then refuses to commit them, and deletes them like other dead files. It also deletes sidecars of topics
 * that are gone.
 *
 * An object is touched only if its name is that of a file or sidecar, and if it was modified long ago by the clock of
 * the store.
 */
export function deadFileScan(options: DeadFileScanOptions): JobKind {
  const { clusterId, stores } = options;
  return {
    kind: deadFileScanKind,
    category: 'deadscanner',
    async run(bytes, { signal, checkpoint, progress }) {
      const task = readScanTask(bytes);
      let place = readPlace(checkpoint, stores.length);
      for (const [bucket, store] of stores.entries()) {
        if (bucket < place.bucket) continue;
        const startAfter = bucket === place.bucket && place.key !== '' ? { startAfter: place.key } : {};
        for await (const page of store.list(clusterPrefix(clusterId), { ...startAfter, signal })) {
          const orphans = await scanPage(options, task, store, page, signal);
          place = {
            bucket,
            key: page.at(-1)!.key,
            seen: place.seen + page.length,
            orphans: place.orphans + orphans,
          };
          progress(place.seen, -1, writePlace(place));
        }
      }
      return `saw ${place.seen} objects, ${place.orphans} of them orphans`;
    },
  };
}

/** Returns the number of files that it declared dead. */
async function scanPage(
  { clusterId, port, checkOwner, hasTopic, deletesSidecars, clock, metrics }: DeadFileScanOptions,
  { knownFromMs, ageMsMin }: ScanTask,
  store: ObjectStore,
  page: readonly ObjectInfo[],
  signal: AbortSignal,
): Promise<number> {
  const count = (outcome: string, objects = 1) => {
    if (objects > 0) metrics.series(deadFileRows.scanned, { outcome }).add(objects);
  };
  await checkOwner(signal);
  const oldBeforeMs = clock.nowMs() - ageMsMin;
  const files = new Map<string, number>();
  const sidecars: string[] = [];
  for (const { key, bytes, modifiedMs } of page) {
    const object = bucketObject(clusterId, key);
    if (object.kind === 'foreign') count('foreign');
    else if (modifiedMs > oldBeforeMs) count('young');
    else if (object.kind === 'sidecar') {
      if (hasTopic(object.topicId)) count('known');
      else sidecars.push(key);
    } else if (fileIdTimeMs(object.fileId) < knownFromMs) count('older_than_cluster');
    else files.set(object.fileId, bytes);
  }
  if (deletesSidecars && sidecars.length > 0) await store.deleteMany(sidecars, { signal });
  count('sidecar', sidecars.length);
  const unknown = files.size === 0 ? [] : await port.unknownFiles([...files.keys()]);
  count('known', files.size - unknown.length);
  if (unknown.length === 0) return 0;
  signal.throwIfAborted();
  const declared = await port.declareFilesDead(
    unknown.map((fileId) => ({ fileId, byteCount: files.get(fileId) ?? 0 })),
  );
  count('orphan', declared.length);
  // Committed in the meantime.
  count('known', unknown.length - declared.length);
  return declared.length;
}

function writePlace(place: Place): Uint8Array {
  return Buffer.from(JSON.stringify(place));
}

/** A scan whose checkpoint is that of an agent with other buckets begins anew. */
function readPlace(checkpoint: Uint8Array | null, buckets: number): Place {
  const start: Place = { bucket: 0, key: '', seen: 0, orphans: 0 };
  if (checkpoint === null) return start;
  try {
    const { bucket, key, seen, orphans } = JSON.parse(Buffer.from(checkpoint).toString()) as Place;
    const isPlace = Number.isSafeInteger(bucket) && bucket >= 0 && typeof key === 'string';
    const isCounted = Number.isSafeInteger(seen) && Number.isSafeInteger(orphans);
    return isPlace && isCounted && bucket < buckets ? { bucket, key, seen, orphans } : start;
  } catch {
    return start;
  }
}
