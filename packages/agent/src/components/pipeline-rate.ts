import { MiB } from '@weir/core';
import type { AgentOptions } from '../agent-options.ts';

/** Bytes per second and core: beside other work, and without. */
const sharedBytesPerCpu = 5_000_000;
const aloneBytesPerCpu = 100 * MiB;

/** What all pipelines of an agent may take in together. */
export function pipelineBytesPerSecond({
  roles,
  cpuCount,
  pipelineBytesPerCpu,
}: Pick<AgentOptions, 'roles' | 'cpuCount' | 'pipelineBytesPerCpu'>): number {
  const usual = roles.length === 1 ? aloneBytesPerCpu : sharedBytesPerCpu;
  return cpuCount * (pipelineBytesPerCpu ?? usual);
}
