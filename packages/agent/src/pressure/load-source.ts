import { performance } from 'node:perf_hooks';
import type { Clock } from '@weir/core';
import { cpuQuota } from './cpu-quota.ts';

/** How busy this process was since it was asked last, each from 0 to 1. */
export interface Load {
  /** Of all the processor time that it may use. */
  readonly cpu: number;
  /** Of the time of its event loop. It says nothing about the processor: a loop that waits for one counts as busy. */
  readonly eventLoop: number;
  /** The processor time of the thread of the event loop, of what one thread may use. */
  readonly loopCpu: number;
}

/** The door of load: everything else receives this port, so that tests say how busy the process is. */
export interface LoadSource {
  sample(): Load;
}

/** What has been used up since the process began. */
interface UsageCounters {
  /** Processor time of all threads. */
  processCpuMs(): number;
  /** Processor time of the thread that asks. */
  threadCpuMs(): number;
  /** Time in which the event loop did not wait for events. */
  loopBusyMs(): number;
}

/** Asked again sooner than this, the answer is the one before: over so short a time it would say nothing. */
const sampleMsMin = 50;

export function systemLoad(clock: Clock, cpuCount: number): LoadSource {
  return measuredLoad(systemCounters, clock, Math.min(cpuCount, cpuQuota() ?? cpuCount));
}

/** `cpus` are the processors that the process may use, which a container may give in parts. */
export function measuredLoad(counters: UsageCounters, clock: Clock, cpus: number): LoadSource {
  const look = () => ({
    nowMs: clock.monotonicMs(),
    processCpuMs: counters.processCpuMs(),
    threadCpuMs: counters.threadCpuMs(),
    loopBusyMs: counters.loopBusyMs(),
  });
  let last = look();
  let load: Load = { cpu: 0, eventLoop: 0, loopCpu: 0 };
  return {
    sample() {
      if (clock.monotonicMs() - last.nowMs < sampleMsMin) return load;
      const now = look();
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
