import type { Metrics } from '@weir/core';
import { agentLimits } from '../limits.ts';
import { backpressure } from '../write-path/write-metrics.ts';
import type { AnswerMemory } from './answer-memory.ts';
import { FairQueue } from './fair-queue.ts';
import { metadataRows } from './pressure-metrics.ts';

interface MetadataQueueOptions {
  /** How many Metadata requests are worked on at a time; 0 is no limit. */
  readonly requestsMax: number;
  readonly answers: AnswerMemory;
  readonly metrics: Metrics;
}

/**
 * The turns of Metadata requests. An answer about a large cluster has megabytes, so that none is begun while the answers that wait
 * to be sent have no room, whatever the limit on requests is.
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
    waitingMax: agentLimits.metadataRequestsWaitingMax,
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
