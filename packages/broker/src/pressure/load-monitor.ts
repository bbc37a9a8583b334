import type { Clock, Log, Metrics, Series } from '@weir/core';
import { CpuPressure, sampleIntervalMs } from './cpu-pressure.ts';
import type { Load, LoadSource } from './load-source.ts';
import { processRows } from './pressure-metrics.ts';
import { StallStats } from './stall-stats.ts';

interface LoadMonitorOptions {
  /** From 0 to 100; 0 never slows clients down. */
  readonly thresholdPercent: number;
  readonly source: LoadSource;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Stats that influence no decision are taken with every n-th sample. */
const samplesPerReport = 20;

/**
 * Samples the load of the process at intervals, publishes it as metrics, and decides whether clients have to be slowed
 * down.
 */
export class LoadMonitor {
  readonly #options: LoadMonitorOptions;
  readonly #pressure: CpuPressure;
  readonly #stalls: StallStats;
  readonly #series: Readonly<Record<keyof typeof processRows, Series>>;
  #samples = 0;
  #last: Load = { cpu: 0, eventLoop: 0, loopCpu: 0 };
  #cancel: (() => void) | undefined;
  #hasStopped = false;

  constructor(options: LoadMonitorOptions) {
    this.#options = options;
    this.#pressure = new CpuPressure(options);
    this.#stalls = new StallStats(options.metrics);
    const series = (row: (typeof processRows)[keyof typeof processRows]) => options.metrics.series(row, {});
    this.#series = {
      cpu: series(processRows.cpu),
      eventLoop: series(processRows.eventLoop),
      heapBytes: series(processRows.heapBytes),
      bufferBytes: series(processRows.bufferBytes),
      residentBytes: series(processRows.residentBytes),
      pressing: series(processRows.pressing),
      delay: series(processRows.delay),
    };
  }

  /** How long clients should wait before their next request; 0 without pressure. */
  get delayMs(): number {
    return this.#pressure.delayMs;
  }

  /** The share of the processor time that the process used in the last sample. */
  get cpu(): number {
    return this.#last.cpu;
  }

  start(): void {
    this.#takeStats();
    this.#schedule();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel?.();
  }

  #schedule(): void {
    if (this.#hasStopped) return;
    this.#cancel = this.#options.clock.after(sampleIntervalMs, () => {
      this.#sample();
      this.#schedule();
    });
  }

  #sample(): void {
    const { source, log } = this.#options;
    const wasPressing = this.#pressure.isPressing;
    this.#last = source.sample();
    this.#pressure.sample(processorLoad(this.#last));
    const { isPressing, delayMs } = this.#pressure;
    this.#series.pressing.set(isPressing ? 1 : 0);
    this.#series.delay.set(delayMs / 1000);
    if (isPressing !== wasPressing) {
      const fields = { ...this.#last };
      if (isPressing) log.warn('started throttling Kafka clients: high CPU load', fields);
      else log.info('stopped throttling Kafka clients', fields);
    }
    if (++this.#samples % samplesPerReport === 0) this.#takeStats();
  }

  #takeStats(): void {
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    this.#series.cpu.set(this.#last.cpu);
    this.#series.eventLoop.set(this.#last.eventLoop);
    this.#series.residentBytes.set(rss);
    this.#series.heapBytes.set(heapUsed);
    this.#series.bufferBytes.set(arrayBuffers);
    void this.#stalls.update();
  }
}

/**
 * How much of the processor is used up: of all that the process may use, or of the one that its event loop can use. The
 * utilization of the loop alone is not enough: on a machine that other processes keep busy the loop is never idle,
 * although this process uses little, and slowing its clients down would give them even less.
 */
function processorLoad({ cpu, eventLoop, loopCpu }: Load): number {
  return Math.max(cpu, Math.min(eventLoop, loopCpu));
}
