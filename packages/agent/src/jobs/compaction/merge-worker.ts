import { parentPort, workerData } from 'node:worker_threads';
import { Metrics, MiB, silentLog, systemClock, systemRandom } from '@weir/core';
import { aroundStore, isBucketOnDisk, openStore, type StoreOperation } from '@weir/storage';
import { lowerPriorityOfThread } from '../../query/engine.ts';
import { compactKeys } from './keys/compact-keys.ts';
import { mergeFiles } from './merge-files.ts';
import type { MergeMessage, MergeOrder, MergeWorkerData } from './merge-messages.ts';

/**
 * The thread of one merge, or of one compaction of keys. It has connections of its own to the bucket, so that reading,
 * checking, copying and writing gigabytes takes no time from the thread that serves clients.
 */
const port = parentPort!;
const { task, isWaiting } = workerData as MergeWorkerData;
const { bucketUrl, retiredBucketUrls, environment, usesMetadataService, limits } = task;

/**
 * Threads of a process share four threads for calls of the file system, which the write path of a bucket on disk needs
 * too.
 */
const diskLimits = { requestsMax: 1, partsInFlightMax: 1, readBytesMax: 16 * MiB };

/** Progress is reported in steps of this size. */
const progressBytes = 16 * MiB;

function post(message: MergeMessage): void {
  port.postMessage(message);
}

/** Requests by bucket and operation, which the process counts and reports. */
const requested = new Map<string, Map<StoreOperation, number>>();

function postRequested(): void {
  for (const [bucket, operations] of requested) post({ kind: 'requested', bucket, operations });
}

lowerPriorityOfThread();
const stop = new AbortController();
let allowed = Promise.withResolvers<void>();
if (!isWaiting) allowed.resolve();
port.on('message', (order: MergeOrder) => {
  allowed.resolve();
  if (order === 'wait') allowed = Promise.withResolvers();
  else if (order === 'stop') stop.abort(new Error('the merge was stopped'));
});
try {
  const bucket = await openStore(bucketUrl, {
    clock: systemClock,
    random: systemRandom,
    environment,
    log: silentLog,
    metrics: new Metrics(),
    usesMetadataService,
    retiredBucketUrls,
    onRequest(bucket, { operation }) {
      const operations = requested.get(bucket) ?? new Map<StoreOperation, number>();
      requested.set(bucket, operations.set(operation, (operations.get(operation) ?? 0) + 1));
    },
  });
  const store = aroundStore(bucket, async ({ signal, run }) => {
    await allowed.promise;
    return await run(signal);
  });
  let reportedBytes = 0;
  try {
    const options = {
      store,
      random: systemRandom,
      signal: stop.signal,
      limits: { ...(isBucketOnDisk(bucketUrl) ? diskLimits : {}), ...limits },
      progress(copiedBytes: number, totalBytes: number) {
        if (copiedBytes - reportedBytes < progressBytes && copiedBytes < totalBytes) return;
        reportedBytes = copiedBytes;
        post({ kind: 'progress', copiedBytes, totalBytes });
      },
    };
    const result =
      'plan' in task ? await mergeFiles(task.plan, options) : await compactKeys(task.keyPlan, options);
    postRequested();
    post({ kind: 'done', result });
  } finally {
    await bucket.close();
  }
} catch (error) {
  postRequested();
  post({ kind: 'failed', problem: (error as Error).message });
}
port.close();
