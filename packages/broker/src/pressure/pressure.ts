import type { Clock, Log, Metrics } from '@weir/core';
import { type SlowDown, slowingDown } from '../requests/slow-down.ts';
import { AnswerMemory } from './answer-memory.ts';
import type { FairQueue } from './fair-queue.ts';
import { LoadMonitor } from './load-monitor.ts';
import { type LoadSource, systemLoad } from './load-source.ts';
import { metadataQueue } from './metadata-queue.ts';
import { answerBytesRow } from './pressure-metrics.ts';

interface PressureOptions {
  /** The load at which clients are slowed down, from 0 to 100; 0 never slows clients down. */
  readonly highCpuPercent: number;
  /** Metadata requests that run at a time, per processor; 0 is no limit. */
  readonly metadataRequestsPerCpu: number;
  /** Memory limit for the answers of all connections. */
  readonly responseBytesMax: number;
  readonly cpuCount: number;
  /** Load source for tests. */
  readonly load?: LoadSource;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The back-pressure mechanisms of an agent. */
export interface Pressure {
  readonly answers: AnswerMemory;
  readonly metadataQueue: FairQueue;
  readonly slowDown: SlowDown;
  readonly monitor: LoadMonitor;
}

export function createPressure(options: PressureOptions): Pressure {
  const { clock, log, metrics, cpuCount } = options;
  const answerBytes = metrics.series(answerBytesRow, {});
  const answers = new AnswerMemory(options.responseBytesMax, clock, (bytes) => answerBytes.set(bytes));
  const monitor = new LoadMonitor({
    thresholdPercent: options.highCpuPercent,
    source: options.load ?? systemLoad(clock, cpuCount),
    clock,
    log,
    metrics,
  });
  return {
    answers,
    metadataQueue: metadataQueue({
      requestsMax: options.metadataRequestsPerCpu * cpuCount,
      answers,
      metrics,
    }),
    slowDown: slowingDown({ delayMs: () => monitor.delayMs, clock, metrics }),
    monitor,
  };
}
