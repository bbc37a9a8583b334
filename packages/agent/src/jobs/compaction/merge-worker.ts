import { parentPort, workerData } from 'node:worker_threads';
import { Metrics, MiB, silentLog, systemClock, systemRandom } from '@weir/core';
import {
  aroundStore,
  isBucketOnDisk,
  type ObjectStore,
  openStore,
  routedStore,
  StoreError,
  type StoreOperation,
} from '@weir/storage';
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
const {
  bucketUrl,
  retiredBucketUrls,
  buckets = [{ number: 0, url: bucketUrl }],
  environment,
  usesMetadataService,
  s3,
  limits,
} = task;

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

function postRequests(): void {
  for (const [bucket, operations] of requested) post({ kind: 'requested', bucket, operations });
}

const opened = new Map<number, Promise<ObjectStore>>();

/** Opens a bucket when it is first needed: of many buckets, a merge reads few. */
function storeOf(number: number): Promise<ObjectStore> {
  const url = buckets.find((bucket) => bucket.number === number)?.url;
  if (url === undefined)
    throw new StoreError(
      'denied',
      `bucket ${number} of the cluster`,
      'this agent may not use it, or does not know it',
    );
  let opening = opened.get(number);
  if (opening === undefined) {
    opening = openStore(url, {
      clock: systemClock,
      random: systemRandom,
      environment,
      log: silentLog,
      metrics: new Metrics(),
      usesMetadataService,
      s3,
      retiredBucketUrls,
      onRequest(bucket, { operation }) {
        const operations = requested.get(bucket) ?? new Map<StoreOperation, number>();
        requested.set(bucket, operations.set(operation, (operations.get(operation) ?? 0) + 1));
      },
    });
    opened.set(number, opening);
  }
  return opening;
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
  const routed = routedStore({ storeOf, isKnown: () => true });
  const store = aroundStore(routed, async ({ signal, run }) => {
    await allowed.promise;
    return await run(signal);
  });
  let reportedBytes = 0;
  try {
    const options = {
      store,
      random: systemRandom,
      signal: stop.signal,
      limits: { ...(buckets.some(({ url }) => isBucketOnDisk(url)) ? diskLimits : {}), ...limits },
      progress(copiedBytes: number, totalBytes: number) {
        if (copiedBytes - reportedBytes < progressBytes && copiedBytes < totalBytes) return;
        reportedBytes = copiedBytes;
        post({ kind: 'progress', copiedBytes, totalBytes });
      },
    };
    const result =
      'plan' in task ? await mergeFiles(task.plan, options) : await compactKeys(task.keyPlan, options);
    postRequests();
    post({ kind: 'done', result });
  } finally {
    for (const opening of opened.values())
      await opening.then((bucket) => bucket.close()).catch(() => undefined);
  }
} catch (error) {
  postRequests();
  post({ kind: 'failed', problem: (error as Error).message });
}
port.close();
