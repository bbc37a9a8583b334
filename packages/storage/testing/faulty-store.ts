import type { Clock, Random } from '@weir/core';
import { pause } from '../src/store/abort.ts';
import { aroundStore } from '../src/store/around.ts';
import type { ObjectStore } from '../src/store/object-store.ts';
import { StoreError, type StoreErrorKind } from '../src/store/store-error.ts';

/** Shares of all calls, each from 0 to 1. */
export interface Faults {
  /** The call fails without an effect. */
  readonly failBefore?: number;
  /** The call takes effect, and fails all the same. */
  readonly failAfter?: number;
  readonly slow?: number;
  readonly slowMs?: number;
  readonly kind?: StoreErrorKind;
}

export interface FaultyStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** A store that fails at random, by a seed. Its faults may be changed while it runs. */
export interface FaultyStore extends ObjectStore {
  faults: Faults;
}

export function faultyStore(inner: ObjectStore, faults: Faults, options: FaultyStoreOptions): FaultyStore {
  const { clock, random } = options;
  const around = aroundStore(inner, async ({ operation, key, signal, run }) => {
    const { failBefore = 0, failAfter = 0, slow = 0, slowMs = 1000, kind = 'unavailable' } = store.faults;
    // Drawn in any case, so that changing one share does not affect the others.
    const [before, after, late] = [random.next(), random.next(), random.next()];
    if (late < slow) await pause(clock, slowMs, signal);
    if (before < failBefore)
      throw new StoreError(kind, key, `${operation} failed by design, before it began`);
    const result = await run(signal);
    if (after < failAfter)
      throw new StoreError(kind, key, `${operation} failed by design, after it was done`);
    return result;
  });
  const store: FaultyStore = { ...around, faults };
  return store;
}
