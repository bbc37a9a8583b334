import { parentPort } from 'node:worker_threads';
import type { SchemaAnswer } from './schema-pool.ts';
import { runTask, type SchemaFormats, type SchemaTask } from './schema-task.ts';

/** Serves the tasks of a pool, in a thread. */
export function serveSchemaTasks(formats: SchemaFormats): void {
  parentPort!.on('message', (task: SchemaTask) => {
    let answer: SchemaAnswer;
    try {
      answer = { result: runTask(formats, task) };
    } catch (error) {
      answer = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    parentPort!.postMessage(answer);
  });
}
