import type { Random } from '@weir/core';

/** Latency of a store. */
export type StoreLatency =
  | { readonly kind: 'constant'; readonly ms: number }
  /** The distribution of real stores: most latencies are similar, a few are much longer. */
  | { readonly kind: 'log-normal'; readonly medianMs: number; readonly p99Ms: number };

export function printLatency(latency: StoreLatency): string {
  return latency.kind === 'constant'
    ? `constant:${latency.ms}`
    : `log-normal:${latency.medianMs}:${latency.p99Ms}`;
}

export function parseLatency(text: string): StoreLatency {
  const [kind, ...numbers] = text.split(':');
  const [first = Number.NaN, second = Number.NaN] = numbers.map(Number);
  if (kind === 'constant' && numbers.length === 1 && first >= 0) return { kind, ms: first };
  if (kind === 'log-normal' && numbers.length === 2 && first > 0 && second >= first) {
    return { kind, medianMs: first, p99Ms: second };
  }
  throw new Error(`${text} is neither constant:<ms> nor log-normal:<median ms>:<p99 ms>`);
}

/** The 99th percentile of the standard normal distribution. */
const normalP99 = 2.326_347_874;

/** Returns a function that draws the next latency in milliseconds. */
export function latencySource(latency: StoreLatency, random: Random): () => number {
  if (latency.kind === 'constant') return () => latency.ms;
  const { medianMs, p99Ms } = latency;
  const sigma = Math.log(p99Ms / medianMs) / normalP99;
  return () => medianMs * Math.exp(sigma * standardNormal(random));
}

/** Box-Muller transform. The argument of the logarithm is never 0. */
function standardNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
