import { deadFileScanKind, type FilesPort, readScanTask, type ScanTask } from '@weir/cluster';
import { type Clock, fileIdBucket, fileIdTimeMs, type Metrics } from '@weir/core';
import { clusterPrefix, type ObjectInfo, type ObjectStore, StoreError } from '@weir/storage';
import { bucketObject } from './bucket-object.ts';
import { deadFileRows } from './dead-file-metrics.ts';
import { HeldOrphans } from './held-orphans.ts';
import { abortIncompleteUploads } from './incomplete-uploads.ts';
import { type JobKind, NeedsOperator } from './job-kind.ts';
import { jobLimits } from './limits.ts';
import { replicaRepair } from './replica-repair.ts';
import type { SearchedBucket } from './searched-buckets.ts';

interface DeadFileScanOptions {
  readonly clusterId: string;
  readonly port: Pick<FilesPort, 'unknownFiles' | 'declareFilesDead'>;
  /** The buckets of the cluster, and further ones that may contain its files. */
  readonly buckets: () => readonly SearchedBucket[];
  /** Rejects if the bucket belongs to another database by now. */
  readonly checkOwner: (signal: AbortSignal) => Promise<void>;
  /** Whether a topic exists whose events may have sidecars. */
  readonly hasTopic: (topicId: string) => boolean;
  /** Whether sidecars and parts of uploads are deleted. Files are only declared dead here. */
  readonly deletes: boolean;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Where a scan is: everything up to this key of this bucket was seen. */
interface Place {
  /** Its place among the buckets that are searched. */
  readonly bucket: number;
  readonly key: string;
  readonly seen: number;
  /** Files whose commit would have happened by now, orphans included. */
  readonly files: number;
  readonly orphans: number;
}

/**
 * Looks for files that were uploaded and never committed, page by page in the order of keys, and declares them dead.
 * The cluster then refuses to commit them, and deletes them like other dead files. It also deletes sidecars of topics
 * that are gone, objects that ended sequences of files a week ago, and parts of uploads that were never finished, and
 * copies objects to buckets that lack them.
 *
 * An object is touched only if its name is that of a file or sidecar, and if it was modified long ago by the clock of
 * the store. A scan whose orphans are too many of the files stops before it declares any of them.
 */
export function deadFileScan(options: DeadFileScanOptions): JobKind {
  const { clusterId, port, deletes, metrics } = options;
  const repair = replicaRepair(options);
  const count = (outcome: string, objects: number) => {
    if (objects > 0) metrics.series(deadFileRows.scanned, { outcome }).add(objects);
  };
  /** Returns how many of the files were declared dead. */
  async function declareDead(orphans: ReturnType<HeldOrphans['take']>, signal: AbortSignal): Promise<number> {
    if (orphans.length === 0) return 0;
    signal.throwIfAborted();
    const declared = await port.declareFilesDead(orphans);
    count('orphan', declared.length);
    // Committed in the meantime.
    count('known', orphans.length - declared.length);
    return declared.length;
  }
  return {
    kind: deadFileScanKind,
    category: 'deadscanner',
    async run(bytes, { signal, checkpoint, progress }) {
      const task = readScanTask(bytes);
      const { stores, left } = await openAll(options.buckets());
      let place = readPlace(checkpoint, stores.length);
      const held = new HeldOrphans(task.orphanPercentMax, place.files, place.orphans);
      let { seen, orphans } = place;
      let repaired = 0;
      for (const [bucket, { number, store }] of stores.entries()) {
        if (bucket < place.bucket) continue;
        const startAfter = bucket === place.bucket && place.key !== '' ? { startAfter: place.key } : {};
        for await (const page of store.list(clusterPrefix(clusterId), { ...startAfter, signal })) {
          const found = await scanPage(options, task, number, store, page, signal, count);
          seen += page.length;
          held.add(found.fileCount, found.unknown);
          const problem = held.problem();
          if (problem !== undefined) throw new NeedsOperator(problem);
          orphans += await declareDead(held.take(), signal);
          repaired += await repair(store, page, task.ageMsMin, signal);
          // What is held back has to be found again by the agent that continues.
          if (held.isEmpty) place = { bucket, key: page.at(-1)!.key, seen, files: held.seen, orphans };
          progress(seen, -1, writePlace(place));
        }
      }
      orphans += await declareDead(held.takeAll(), signal);
      const uploads: string[] = [];
      for (const { store } of stores) {
        const aborted = await abortIncompleteUploads(store, { ...options, aborts: deletes }, signal);
        if (aborted instanceof StoreError)
          uploads.push(`incomplete uploads were not removed: ${aborted.message}`);
        else if (aborted > 0) uploads.push(`removed ${aborted} incomplete uploads`);
      }
      const copies = repaired === 0 ? [] : [`copied ${repaired} missing objects between buckets`];
      return [`scanned ${seen} objects, ${orphans} orphans`, ...copies, ...uploads, ...left].join('; ');
    },
  };
}

/** Opens buckets, and says which ones this agent cannot search; another may. */
async function openAll(buckets: readonly SearchedBucket[]) {
  const stores: { readonly number: number | undefined; readonly store: ObjectStore }[] = [];
  const left: string[] = [];
  for (const { number, open } of buckets) {
    try {
      stores.push({ number, store: await open() });
    } catch (error) {
      if (!(error instanceof StoreError) || number === 0) throw error;
      left.push(`not searched: ${error.message}`);
    }
  }
  return { stores, left };
}

interface ScannedPage {
  /** Files that the cluster should know. */
  readonly fileCount: number;
  readonly unknown: readonly { readonly fileId: string; readonly byteCount: number }[];
}

async function scanPage(
  { clusterId, port, checkOwner, hasTopic, deletes, clock }: DeadFileScanOptions,
  { knownFromMs, ageMsMin }: ScanTask,
  bucket: number | undefined,
  store: ObjectStore,
  page: readonly ObjectInfo[],
  signal: AbortSignal,
  count: (outcome: string, objects: number) => void,
): Promise<ScannedPage> {
  await checkOwner(signal);
  const oldBeforeMs = clock.nowMs() - ageMsMin;
  const files = new Map<string, number>();
  const sidecars: string[] = [];
  const sequenceEnds: string[] = [];
  for (const { key, bytes, modifiedMs } of page) {
    const object = bucketObject(clusterId, key);
    if (object.kind === 'foreign') count('foreign', 1);
    // A copy: the file itself is in another bucket, and would be deleted there.
    else if (object.kind === 'file' && bucket !== undefined && fileIdBucket(object.fileId) !== bucket)
      count('foreign', 1);
    else if (object.kind === 'sequenceEnd') {
      if (modifiedMs > clock.nowMs() - jobLimits.sequenceEndAgeMsMin) count('young', 1);
      else sequenceEnds.push(key);
    } else if (modifiedMs > oldBeforeMs) count('young', 1);
    else if (object.kind === 'sidecar') {
      if (hasTopic(object.topicId)) count('known', 1);
      else sidecars.push(key);
    } else if (fileIdTimeMs(object.fileId) < knownFromMs) count('older_than_cluster', 1);
    else files.set(object.fileId, bytes);
  }
  if (deletes && sidecars.length > 0) await store.deleteMany(sidecars, { signal });
  count('sidecar', sidecars.length);
  if (deletes && sequenceEnds.length > 0) await store.deleteMany(sequenceEnds, { signal });
  count('sequence_end', sequenceEnds.length);
  const unknown = files.size === 0 ? [] : await port.unknownFiles([...files.keys()]);
  count('known', files.size - unknown.length);
  return {
    fileCount: files.size,
    unknown: unknown.map((fileId) => ({ fileId, byteCount: files.get(fileId) ?? 0 })),
  };
}

function writePlace(place: Place): Uint8Array {
  return Buffer.from(JSON.stringify(place));
}

/** A scan whose checkpoint is that of an agent with other buckets begins anew. */
function readPlace(checkpoint: Uint8Array | null, buckets: number): Place {
  const start: Place = { bucket: 0, key: '', seen: 0, files: 0, orphans: 0 };
  if (checkpoint === null) return start;
  try {
    const { bucket, key, seen, files, orphans } = JSON.parse(Buffer.from(checkpoint).toString()) as Place;
    const isPlace = Number.isSafeInteger(bucket) && bucket >= 0 && typeof key === 'string';
    const isCounted = [seen, files, orphans].every(Number.isSafeInteger);
    return isPlace && isCounted && bucket < buckets ? { bucket, key, seen, files, orphans } : start;
  } catch {
    return start;
  }
}
