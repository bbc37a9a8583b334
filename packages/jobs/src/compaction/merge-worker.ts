import { parentPort } from 'node:worker_threads';
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
import { lowerPriorityOfThread } from '../query/engine.ts';
import { compactKeys, type KeyResult } from './keys/compact-keys.ts';
import { type MergeResult, mergeFiles } from './merge-files.ts';
import type {
  KeyTask,
  MergeBucket,
  MergeMessage,
  MergeOrder,
  MergeTask,
  MergeWork,
} from './merge-messages.ts';
import { WorkShare } from './work-share.ts';

/**
 * The thread of merges and compactions of keys, one after the other. It has connections of its own to the bucket, so
 * that reading, checking, copying and writing gigabytes takes no time from the thread that serves clients.
 */
const port = parentPort!;

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

/** The orders to the running work. */
interface Control {
  readonly stop: AbortController;
  /** Settles when others do not need the disk. */
  allowed: PromiseWithResolvers<void>;
  readonly work: WorkShare;
}

let running: Control | undefined;

lowerPriorityOfThread();
port.on('message', (order: MergeOrder) => {
  if (typeof order === 'object') {
    void work(order);
    return;
  }
  // The work may have ended while the order was on its way.
  if (running === undefined) return;
  if (typeof order === 'number') {
    running.work.share = order;
    return;
  }
  running.allowed.resolve();
  if (order === 'wait') running.allowed = Promise.withResolvers();
  else if (order === 'stop') running.stop.abort(new Error('merge stopped'));
});

async function work({ task, isWaiting, share }: MergeWork): Promise<void> {
  const control: Control = {
    stop: new AbortController(),
    allowed: Promise.withResolvers(),
    work: new WorkShare(systemClock),
  };
  control.work.share = share;
  if (!isWaiting) control.allowed.resolve();
  running = control;
  post({ kind: 'begun' });
  const stores = new TaskStores(task);
  let last: MergeMessage;
  try {
    last = { kind: 'done', result: await resultOf(task, stores, control) };
  } catch (error) {
    last = { kind: 'failed', problem: (error as Error).message };
  }
  await stores.close();
  running = undefined;
  for (const [bucket, operations] of stores.requested) post({ kind: 'requested', bucket, operations });
  post(last);
}

async function resultOf(
  task: MergeTask | KeyTask,
  stores: TaskStores,
  control: Control,
): Promise<MergeResult | KeyResult> {
  const routed = routedStore({ storeOf: (number) => stores.storeOf(number), isKnown: () => true });
  const store = aroundStore(routed, async ({ signal, run }) => {
    await control.allowed.promise;
    await control.work.turn();
    return await run(signal);
  });
  let reportedBytes = 0;
  const options = {
    store,
    random: systemRandom,
    signal: control.stop.signal,
    limits: { ...(stores.areOnDisk ? diskLimits : {}), ...task.limits },
    progress(copiedBytes: number, totalBytes: number) {
      if (copiedBytes - reportedBytes < progressBytes && copiedBytes < totalBytes) return;
      reportedBytes = copiedBytes;
      post({ kind: 'progress', copiedBytes, totalBytes });
    },
  };
  return 'plan' in task ? await mergeFiles(task.plan, options) : await compactKeys(task.keyPlan, options);
}

/** The buckets of one task. They are opened when they are first needed: of many buckets, a merge reads few. */
class TaskStores {
  /** Requests by bucket and operation, which the process counts and reports. */
  readonly requested = new Map<string, Map<StoreOperation, number>>();
  readonly #task: MergeBucket;
  readonly #buckets: NonNullable<MergeBucket['buckets']>;
  readonly #opened = new Map<number, Promise<ObjectStore>>();

  constructor(task: MergeBucket) {
    this.#task = task;
    this.#buckets = task.buckets ?? [{ number: 0, url: task.bucketUrl }];
  }

  get areOnDisk(): boolean {
    return this.#buckets.some(({ url }) => isBucketOnDisk(url));
  }

  storeOf(number: number): Promise<ObjectStore> {
    const url = this.#buckets.find((bucket) => bucket.number === number)?.url;
    if (url === undefined)
      throw new StoreError(
        'denied',
        `bucket ${number} of the cluster`,
        'not known to this agent, or not allowed for it',
      );
    const opening = this.#opened.get(number) ?? this.#open(url);
    this.#opened.set(number, opening);
    return opening;
  }

  async close(): Promise<void> {
    for (const opening of this.#opened.values())
      await opening.then((bucket) => bucket.close()).catch(() => undefined);
  }

  #open(url: string): Promise<ObjectStore> {
    const { environment, usesMetadataService, s3, retiredBucketUrls } = this.#task;
    const { requested } = this;
    return openStore(url, {
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
  }
}
