import { type Clock, type Random, seededRandom, systemClock } from '@weir/core';
import type { SubBucket } from '../src/composite/sub-bucket.ts';
import type { ObjectStore } from '../src/store/object-store.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { emptyMemoryStore } from './memory.ts';

/** A bucket behind a wrapper, whose faults and breaker a test sets. */
export interface TestBucket extends SubBucket {
  /** Without faults. */
  readonly inner: ObjectStore;
  readonly store: FaultyStore;
  /** Opens or closes the breaker. It does not watch the calls. */
  setRefusing(isRefusing: boolean): void;
  /** Fails every call, or none. */
  setOut(isOut: boolean): void;
}

interface TestBucketsOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Decorates each bucket below its faults. */
  readonly decorate?: (store: ObjectStore) => ObjectStore;
  /** The objects of the buckets, shared with other processes of a test. Each has its own by default. */
  readonly inners?: readonly ObjectStore[];
}

export function testBuckets(count: number, options: TestBucketsOptions = {}): TestBucket[] {
  const { clock = systemClock, random = seededRandom(1), decorate = (store) => store, inners = [] } = options;
  return Array.from({ length: count }, (_, index) => {
    const inner = inners[index] ?? emptyMemoryStore();
    const store = faultyStore(decorate(inner), {}, { clock, random });
    const listeners = new Set<() => void>();
    let isRefusing = false;
    return {
      name: `bucket-${index}`,
      inner,
      store,
      breaker: {
        isRefusing: () => isRefusing,
        onOpen(run) {
          listeners.add(run);
          return () => listeners.delete(run);
        },
      },
      setRefusing(is) {
        isRefusing = is;
        if (is) for (const run of [...listeners]) run();
      },
      setOut(isOut) {
        store.faults = isOut ? { failBefore: 1 } : {};
      },
    };
  });
}
