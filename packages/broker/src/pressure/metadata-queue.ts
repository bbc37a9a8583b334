import type { Metrics } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import { backpressure } from '../write-path/write-metrics.ts';
import type { AnswerMemory } from './answer-memory.ts';
import { FairQueue } from './fair-queue.ts';
import { metadataRows } from './pressure-metrics.ts';

interface MetadataQueueOptions {
  /** How many Metadata requests run at a time; 0 is no limit. */
  readonly requestsMax: number;
  readonly answers: AnswerMemory;
  readonly metrics: Metrics;
}

/**
 * Creates the queue of Metadata requests. An answer about a large cluster has megabytes, so none is begun while the
 * memory for answers is full, independent of the limit on requests.
 */
export function metadataQueue({ requestsMax, answers, metrics }: MetadataQueueOptions): FairQueue {
  const running = metrics.series(metadataRows.running, {});
  const waiting = metrics.series(metadataRows.waiting, {});
  const held = metrics.series(backpressure, {
    kafka_method: 'metadata',
    backpressure_source: 'metadata_requests',
  });
  const pump = () => gate.pump();
  const gate = new FairQueue({
    runningMax: requestsMax,
    waitingMax: brokerLimits.metadataRequestsWaitingMax,
    mayBegin() {
      if (!answers.isFull) return true;
      answers.whenFree(pump);
      return false;
    },
    onHeld: () => held.add(1),
    onChange(runningCount, waitingCount) {
      running.set(runningCount);
      waiting.set(waitingCount);
    },
  });
  return gate;
}
