import { atLeast, atMost } from '../benchmark.ts';
import type { ResultBar } from './bench-result.ts';
import type { ResultSpec } from './versus.ts';

/** Pass conditions for results. */
export function ratioAtLeast(limit: number): ResultBar {
  return { ...atLeast(limit), text: `at least ${limit} x Kafka`, of: 'ratio' };
}

export function ratioAtMost(limit: number): ResultBar {
  return { ...atMost(limit), text: `at most ${limit} x Kafka`, of: 'ratio' };
}

export function weirAtMost(limit: number, unit: string): ResultBar {
  return { ...atMost(limit), text: `at most ${limit} ${unit}`.trimEnd(), of: 'weir' };
}

export function weirAtLeast(limit: number, unit: string): ResultBar {
  return { ...atLeast(limit), text: `at least ${limit} ${unit}`.trimEnd(), of: 'weir' };
}

export function weirUnder(limit: number, unit: string): ResultBar {
  return { text: `under ${limit} ${unit}`, isMet: (value) => value < limit, of: 'weir' };
}

export const serverMemory: ResultSpec = {
  key: 'peakMib',
  metric: 'peak memory',
  unit: 'MiB',
  of: 'largest',
  bar: weirUnder(512, 'MiB'),
};
