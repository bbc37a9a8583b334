import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '@weir/core';

/** A thread that behaves as the worst pipeline could; `yaml` says how. */
const kept: unknown[] = [];

function again(ms: number, work: () => void): void {
  systemClock.after(ms, () => {
    work();
    again(ms, work);
  });
}

switch ((workerData as { readonly yaml: string }).yaml) {
  case 'loop':
    for (;;) kept.length = 0;
  case 'heap':
    again(1, () => {
      for (let n = 0; n < 100_000; n++) kept.push({ n, text: `message ${n}` });
    });
    break;
  case 'buffers':
    again(1, () => kept.push(Buffer.alloc(1024 * 1024, 1)));
    break;
  case 'crash':
    systemClock.after(1, () => {
      throw new Error('broken\nin two lines');
    });
    break;
  case 'exit':
    process.exit(3);
    break;
  case 'never ends':
    parentPort!.on('message', () => {});
    again(10, () => parentPort!.postMessage({ kind: 'log', level: 'info', message: 'here', fields: {} }));
}
