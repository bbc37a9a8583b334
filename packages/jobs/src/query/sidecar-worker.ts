import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { buildSidecar, lowerPriorityOfThread, type RawPage } from './engine.ts';
import type { SidecarMessage, SidecarTask } from './sidecar-messages.ts';

/**
 * The thread that builds one sidecar: parsing every event takes far longer than clients should wait. It requests each
 * page.
 */
const port = parentPort!;
const { fromOffset, toOffset } = workerData as SidecarTask;

function post(message: SidecarMessage): void {
  port.postMessage(message);
}

async function* pages(): AsyncGenerator<RawPage, void, undefined> {
  for (;;) {
    post({ kind: 'next' });
    const [page] = (await once(port, 'message')) as [RawPage | null];
    if (page === null) return;
    yield page;
  }
}

lowerPriorityOfThread();
try {
  const built = await buildSidecar(pages(), {
    fromOffset,
    toOffset,
    // The parent terminates the thread if the sidecar is no longer wanted.
    signal: new AbortController().signal,
    write: (piece) => post({ kind: 'piece', piece }),
  });
  post({ kind: 'done', built });
} catch (error) {
  post({ kind: 'failed', problem: (error as Error).message });
}
port.close();
