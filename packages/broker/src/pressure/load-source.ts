import { performance } from 'node:perf_hooks';
import type { Clock } from '@weir/core';
import { cpuQuota } from './cpu-quota.ts';

/** How busy this process was since the last sample, each from 0 to 1. */
export interface Load {
  /** Share of all the processor time that it may use. */
  readonly cpu: number;
  /**
   * Share of the time of its event loop. This is not processor time: a loop that waits for a processor counts as busy.
   */
  readonly eventLoop: number;
  /** Processor time of the event-loop thread, as a share of what one thread may use. */
  readonly loopCpu: number;
}

/** Port for load, so that tests can set how busy the process is. */
export interface LoadSource {
  sample(): Load;
}

/** Totals since the start of the process. */
interface UsageCounters {
  /** Processor time of all threads. */
  processCpuMs(): number;
  /** Processor time of the calling thread. */
  threadCpuMs(): number;
  /** Time in which the event loop did not wait for events. */
  loopBusyMs(): number;
}

/** Within this time the last load is returned again: a shorter interval would not be meaningful. */
const sampleMsMin = 50;

export function systemLoad(clock: Clock, cpuCount: number): LoadSource {
  return measuredLoad(systemCounters, clock, Math.min(cpuCount, cpuQuota() ?? cpuCount));
}

/** `cpus` is the number of processors that the process may use, which may be fractional in a container. */
export function measuredLoad(counters: UsageCounters, clock: Clock, cpus: number): LoadSource {
  const readCounters = () => ({
    nowMs: clock.monotonicMs(),
    processCpuMs: counters.processCpuMs(),
    threadCpuMs: counters.threadCpuMs(),
    loopBusyMs: counters.loopBusyMs(),
  });
  let last = readCounters();
  let load: Load = { cpu: 0, eventLoop: 0, loopCpu: 0 };
  return {
    sample() {
      if (clock.monotonicMs() - last.nowMs < sampleMsMin) return load;
      const now = readCounters();
      const passedMs = now.nowMs - last.nowMs;
      load = {
        cpu: share(now.processCpuMs - last.processCpuMs, passedMs * cpus),
        eventLoop: share(now.loopBusyMs - last.loopBusyMs, passedMs),
        loopCpu: share(now.threadCpuMs - last.threadCpuMs, passedMs * Math.min(1, cpus)),
      };
      last = now;
      return load;
    },
  };
}

function share(usedMs: number, ofMs: number): number {
  return Math.min(1, Math.max(0, usedMs / ofMs));
}

const systemCounters: UsageCounters = {
  processCpuMs: () => milliseconds(process.cpuUsage()),
  threadCpuMs: () => milliseconds(process.threadCpuUsage()),
  loopBusyMs: () => performance.eventLoopUtilization().active,
};

function milliseconds({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1000;
}
