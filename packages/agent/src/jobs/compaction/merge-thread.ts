import { Worker } from 'node:worker_threads';
import type { StoreOperation } from '@weir/storage';
import type { KeyResult } from './keys/compact-keys.ts';
import type { MergeResult } from './merge-files.ts';
import type { KeyTask, MergeMessage, MergeTask } from './merge-messages.ts';

interface MergeThreadOptions {
  readonly signal: AbortSignal;
  readonly progress?: (copiedBytes: number, totalBytes: number) => void;
  /** Called with the requests to the bucket, before the merge ends. */
  readonly onRequests?: (bucket: string, operation: StoreOperation, count: number) => void;
}

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
  { signal, progress, onRequests }: MergeThreadOptions,
): Promise<MergeResult | KeyResult> {
  signal.throwIfAborted();
  const worker = new Worker(new URL(import.meta.resolve('./merge-worker.ts')), { workerData: task });
  const { promise, resolve, reject } = Promise.withResolvers<MergeResult | KeyResult>();
  const stop = () => worker.postMessage('stop');
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
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
