import { Worker } from 'node:worker_threads';
import { jobLimits } from '../limits.ts';
import type { RawPage } from './engine.ts';
import type { BuiltRange, SidecarMessage, SidecarTask } from './sidecar-messages.ts';

interface BuiltSidecar {
  readonly range: BuiltRange;
  readonly pieces: readonly Uint8Array[];
}

/** Builds a sidecar in a thread of its own. Returns `undefined` if there are no events in the range. */
export async function buildSidecarOffThread(
  pages: AsyncIterable<RawPage>,
  task: SidecarTask,
  signal: AbortSignal,
): Promise<BuiltSidecar | undefined> {
  signal.throwIfAborted();
  const iterator = pages[Symbol.asyncIterator]();
  const worker = new Worker(new URL(import.meta.resolve('./sidecar-worker.ts')), { workerData: task });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const { promise, resolve, reject } = Promise.withResolvers<BuiltRange | undefined>();
  const end = () => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('sidecar thread exited')));
  worker.on('message', (message: SidecarMessage) => {
    switch (message.kind) {
      case 'next':
        sendNext(iterator, worker).catch(reject);
        return;
      case 'piece':
        pieces.push(message.piece);
        bytes += message.piece.length;
        if (bytes > jobLimits.eventSidecarBytesMax)
          reject(new Error(`sidecar exceeds ${jobLimits.eventSidecarBytesMax} bytes`));
        return;
      case 'done':
        resolve(message.built);
        return;
      case 'failed':
        reject(new Error(message.problem));
    }
  });
  try {
    const range = await promise;
    return range && { range, pieces };
  } finally {
    signal.removeEventListener('abort', end);
    await iterator.return?.();
    await worker.terminate();
  }
}

/** Pages do not share their memory, so they are transferred and not copied. */
async function sendNext(pages: AsyncIterator<RawPage>, worker: Worker): Promise<void> {
  const next = await pages.next();
  if (next.done === true) {
    worker.postMessage(null);
    return;
  }
  const { bytes, timesMs, valueStarts, valueEnds } = next.value;
  const columns = [bytes, timesMs, valueStarts, valueEnds].map(({ buffer }) => buffer);
  worker.postMessage(next.value, columns);
}
