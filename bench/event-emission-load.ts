import { parentPort } from 'node:worker_threads';
import { systemClock } from '@weir/core';
import { type BatchesToWrite, writeBatches } from './kafka/node-load.ts';

/**
 * A worker thread that produces on request, so that the agent's thread does nothing else. It replies with the elapsed
 * seconds.
 */
export interface LoadOrder {
  readonly servers: string;
  readonly work: BatchesToWrite;
}

parentPort!.on('message', ({ servers, work }: LoadOrder) => {
  void writeBatches(systemClock, servers, work).then(({ seconds }) => parentPort!.postMessage(seconds));
});
