import { availableParallelism, platform } from 'node:os';
import type { FlagValues } from '../flags/catalogue.ts';
import { processCount } from './processes.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

/** More threads than this keep the main thread no busier. */
const autoMax = 8;

type Values = Pick<FlagValues, 'servingThreads'> & Partial<Pick<FlagValues, 'processes'>>;

/** The system on which several threads can share a port. */
const sharingPlatform = 'linux';

/**
 * How many threads own the connections of an agent. `processes` is absent for commands that are one process: they
 * should start fast and be small, so they have more than one only if a number asks for it.
 */
export function servingThreadCount(
  { servingThreads, processes }: Values,
  cpuCount: number = availableParallelism(),
  system: string = platform(),
): number {
  if (servingThreads !== 'auto') return servingThreads;
  if (processes !== 1 || system !== sharingPlatform) return 1;
  return Math.max(1, Math.min(cpuCount - 1, autoMax));
}

export function checkServingThreads(
  { servingThreads, processes = 1 }: Values,
  system: string = platform(),
): Violation | undefined {
  if (servingThreads === 'auto' || servingThreads === 1) return undefined;
  if (system !== sharingPlatform) {
    return forbidden(['servingThreads'], 'only Linux lets threads share a port; set it to 1').problem;
  }
  if (processCount(processes) === 1) return undefined;
  return forbidden(
    ['servingThreads', 'processes'],
    'each of several processes has one serving thread; set one of them to 1',
  ).problem;
}

export const servingThreadRule: Rule = {
  statement:
    'Each of several -processes has one serving thread. More than one of -servingThreads needs Linux and one process.',
  flags: ['servingThreads', 'processes'],
  commands: ['agent', 'local', 'playground', 'demo'],
  check: (values, command) =>
    checkServingThreads(command === 'agent' ? values : { servingThreads: values.servingThreads }),
};
