import { parentPort } from 'node:worker_threads';
import { systemClock } from '@weir/core';
import { type BatchesToWrite, writeBatches } from './kafka/node-load.ts';

/** A thread that produces when it is told to, so that the thread of the agent does nothing else. It answers with the seconds that it took. */
export interface LoadOrder {
  readonly servers: string;
  readonly work: BatchesToWrite;
}

parentPort!.on('message', ({ servers, work }: LoadOrder) => {
  void writeBatches(systemClock, servers, work).then(({ seconds }) => parentPort!.postMessage(seconds));
});
