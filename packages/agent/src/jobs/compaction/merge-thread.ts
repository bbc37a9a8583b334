import { Worker } from 'node:worker_threads';
import type { Clock } from '@weir/core';
import type { StoreOperation } from '@weir/storage';
import type { KeyResult } from './keys/compact-keys.ts';
import type { MergeResult } from './merge-files.ts';
import type { KeyTask, MergeMessage, MergeOrder, MergeTask, MergeWorkerData } from './merge-messages.ts';

interface MergeThreadOptions {
  readonly signal: AbortSignal;
  readonly progress?: (copiedBytes: number, totalBytes: number) => void;
  /** Called with the requests to the bucket, before the merge ends. */
  readonly onRequests?: (bucket: string, operation: StoreOperation, count: number) => void;
  /** Whether the thread has to wait before it reads or writes on. */
  readonly wait?: MergeWait | undefined;
}

interface MergeWait {
  readonly clock: Clock;
  /** Called twice a second. */
  hasToWait(): boolean;
}

const askEveryMs = 500;
/** After this much waiting a merge goes on in any case: its result is refused if it takes longer than an hour. */
const waitMsMax = 30 * 60_000;

/**
 * Merges files in a thread of its own, of low priority. An abort waits until the thread has removed what it wrote. Not
 * for a bucket in memory, which other threads do not see: `mergeFiles` merges it, with pauses.
 */
export function mergeOffThread(task: MergeTask, options: MergeThreadOptions): Promise<MergeResult> {
  return runOffThread(task, options) as Promise<MergeResult>;
}

/** Compacts keys in the same way. */
export function compactKeysOffThread(task: KeyTask, options: MergeThreadOptions): Promise<KeyResult> {
  return runOffThread(task, options) as Promise<KeyResult>;
}

async function runOffThread(
  task: MergeTask | KeyTask,
  { signal, progress, onRequests, wait }: MergeThreadOptions,
): Promise<MergeResult | KeyResult> {
  signal.throwIfAborted();
  let isWaiting = wait?.hasToWait() === true;
  const workerData: MergeWorkerData = { task, isWaiting };
  const worker = new Worker(new URL(import.meta.resolve('./merge-worker.ts')), { workerData });
  const { promise, resolve, reject } = Promise.withResolvers<MergeResult | KeyResult>();
  const tell = (order: MergeOrder) => worker.postMessage(order);
  const stop = () => tell('stop');
  let waitedMs = 0;
  const ask = () => {
    if (isWaiting) waitedMs += askEveryMs;
    const wasWaiting = isWaiting;
    isWaiting = waitedMs < waitMsMax && wait?.hasToWait() === true;
    if (isWaiting !== wasWaiting) tell(isWaiting ? 'wait' : 'go on');
    endAsking = wait?.clock.after(askEveryMs, ask);
  };
  let endAsking = wait?.clock.after(askEveryMs, ask);
  signal.addEventListener('abort', stop, { once: true });
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the thread of a merge ended')));
  worker.on('message', (message: MergeMessage) => {
    if (message.kind === 'progress') progress?.(message.copiedBytes, message.totalBytes);
    else if (message.kind === 'requested')
      for (const [operation, count] of message.operations) onRequests?.(message.bucket, operation, count);
    else if (message.kind === 'done') resolve(message.result);
    else reject(signal.aborted ? signal.reason : new Error(message.problem));
  });
  try {
    return await promise;
  } finally {
    endAsking?.();
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
