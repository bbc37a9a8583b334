import type { Cache, CacheNow } from '../component/instances.ts';

/** A cache in memory, which answers at once and also to those that would wait. */
export function cacheOf(now: CacheNow, close: () => void = () => {}): Cache {
  return {
    now,
    get: async (key) => now.get(key),
    set: async (key, value, ttlMs) => now.set(key, value, ttlMs),
    add: async (key, value, ttlMs) => now.add(key, value, ttlMs),
    delete: async (key) => now.delete(key),
    close: async () => close(),
  };
}
