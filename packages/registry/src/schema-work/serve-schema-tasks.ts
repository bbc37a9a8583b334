import { parentPort } from 'node:worker_threads';
import { runTask, type SchemaFormats, type SchemaTask, type ThreadAnswer } from './schema-task.ts';

/** Serves the tasks of a pool, in a thread. */
export function serveSchemaTasks(formats: SchemaFormats): void {
  parentPort!.on('message', (task: SchemaTask) => {
    let answer: ThreadAnswer;
    try {
      answer = { result: runTask(formats, task) };
    } catch (error) {
      answer = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    parentPort!.postMessage(answer);
  });
}
