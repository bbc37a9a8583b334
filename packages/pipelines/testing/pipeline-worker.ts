import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { catalogue } from '../src/catalogue.ts';
import { readConfiguration } from '../src/config/read-configuration.ts';
import { Stream } from '../src/engine/stream.ts';
import { testServices } from './run-pipeline.ts';

/** Runs a configuration in a thread of its own, so that a test can end it at any moment. */
export function startWorker(yaml: string): Worker {
  return new Worker(new URL(import.meta.url), { workerData: yaml });
}

if (!isMainThread) {
  const { config, problems } = readConfiguration(workerData as string, { catalogue, isLocal: true });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  await new Stream(config, testServices(), catalogue).run(new AbortController().signal);
}
