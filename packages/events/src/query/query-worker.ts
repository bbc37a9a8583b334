import { parentPort } from 'node:worker_threads';
import { createScanner } from './evaluator.ts';
import { lowerPriorityOfThread } from './low-priority.ts';
import type { WorkerAnswer, WorkerQuestion } from './worker-message.ts';

/** The worker thread: scans parts of the log, one after the other. */
const port = parentPort!;
const scanPart = createScanner();
lowerPriorityOfThread();

port.on('message', ({ scan, part }: WorkerQuestion) => {
  let answer: WorkerAnswer;
  try {
    answer = { result: scanPart(scan, part) };
  } catch (error) {
    answer = { problem: error instanceof Error ? error.message : String(error) };
  }
  port.postMessage(answer);
});
