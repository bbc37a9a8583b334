import type { Random } from './random.ts';

/** Delays of retries: the first, doubled after each further failure, and at most `maxMs`. */
interface BackOff {
  readonly firstMs: number;
  readonly maxMs: number;
}

export interface JitteredBackOff extends BackOff {
  /**
   * The random part of a delay, so that callers that failed together do not retry together: `half` gives at least half
   * of the delay, `full` may give a delay of 0.
   */
  readonly jitter: 'half' | 'full';
}

/** The delay before the next retry after `retries` earlier ones. */
export function backOffMs(retries: number, { firstMs, maxMs }: BackOff): number {
  // An infinite factor would make a first delay of 0 NaN.
  return Math.min(maxMs, firstMs * 2 ** Math.min(retries, 1023));
}

export function jitteredBackOffMs(retries: number, backOff: JitteredBackOff, random: Random): number {
  const randomPart = backOff.jitter === 'full' ? 1 : 0.5;
  return backOffMs(retries, backOff) * (1 - randomPart + random.next() * randomPart);
}
