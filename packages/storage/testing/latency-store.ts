import type { Clock, Random } from '@weir/core';
import { pause } from '../src/store/abort.ts';
import { aroundStore, type StoreOperation } from '../src/store/around.ts';
import type { ObjectStore } from '../src/store/object-store.ts';

export interface LatencyStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How long one request takes. */
  readonly latencyMs: (random: Random, operation: StoreOperation, bytes: number) => number;
}

/** A store that takes its time: half of it in front of the operation and half behind, as requests and answers do. */
export function latencyStore(
  inner: ObjectStore,
  { clock, random, latencyMs }: LatencyStoreOptions,
): ObjectStore {
  return aroundStore(inner, async ({ operation, signal, contentBytes, run }) => {
    const wholeMs = latencyMs(random, operation, contentBytes);
    await pause(clock, wholeMs / 2, signal);
    const result = await run(signal);
    await pause(clock, wholeMs / 2, signal);
    return result;
  });
}

interface LogNormalOptions {
  readonly medianMs: number;
  /** How many times the median one in a hundred takes. */
  readonly tail: number;
}

/** Latencies as object stores have them: mostly near the median, and a long tail. */
export function logNormalLatency({ medianMs, tail }: LogNormalOptions): (random: Random) => number {
  const z99 = 2.326;
  const sigma = Math.log(tail) / z99;
  return (random) => {
    // Box-Muller; 1 - next() keeps 0 out of the logarithm.
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    return medianMs * Math.exp(sigma * normal);
  };
}
