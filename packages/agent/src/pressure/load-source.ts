import { performance } from 'node:perf_hooks';
import type { Clock } from '@weir/core';

/** How busy this process was since it was asked last, each from 0 to 1. */
export interface Load {
  /** Of all the processor time that it may use. */
  readonly cpu: number;
  /** Of the time of its event loop. A loop that is never idle is the limit of an agent, however many cores are free. */
  readonly eventLoop: number;
}

/** The door of load: everything else receives this port, so that tests say how busy the process is. */
export interface LoadSource {
  sample(): Load;
}

/** Asked again sooner than this, the answer is the one before: over so short a time it would say nothing. */
const sampleMsMin = 50;

export function systemLoad(clock: Clock, cpuCount: number): LoadSource {
  let lastMs = clock.monotonicMs();
  let lastCpu = process.cpuUsage();
  let lastLoop = performance.eventLoopUtilization();
  let load: Load = { cpu: 0, eventLoop: 0 };
  return {
    sample() {
      const nowMs = clock.monotonicMs();
      if (nowMs - lastMs < sampleMsMin) return load;
      const { user, system } = process.cpuUsage(lastCpu);
      const usedMs = (user + system) / 1000;
      load = {
        cpu: Math.min(1, usedMs / (nowMs - lastMs) / cpuCount),
        eventLoop: performance.eventLoopUtilization(lastLoop).utilization,
      };
      lastMs = nowMs;
      lastCpu = process.cpuUsage();
      lastLoop = performance.eventLoopUtilization();
      return load;
    },
  };
}
