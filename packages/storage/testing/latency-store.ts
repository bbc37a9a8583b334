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

/** A store with latency: half of it before the operation and half after, as for requests and answers. */
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
  /** The 99th percentile as a multiple of the median. */
  readonly tail: number;
}

/** Latencies like those of object stores: mostly near the median, with a long tail. */
export function logNormalLatency({ medianMs, tail }: LogNormalOptions): (random: Random) => number {
  const z99 = 2.326;
  const sigma = Math.log(tail) / z99;
  return (random) => {
    // Box-Muller; 1 - next() avoids the logarithm of 0.
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    return medianMs * Math.exp(sigma * normal);
  };
}
