import type { Clock } from '@weir/core';
import { checkKey, checkRange, compareKeys } from '../store/key.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound } from '../store/store-error.ts';

interface Stored {
  readonly content: Buffer;
  readonly modifiedMs: number;
}

const pageObjects = 1000;

/** Buckets of this process by name, so that two agents in it share one as they would share a real one. */
const buckets = new Map<string, Map<string, Stored>>();

/** Objects that live as long as the process, or until `dropMemoryBucket`. */
export function openMemoryStore(name: string, { clock }: { readonly clock: Clock }): ObjectStore {
  function objects(): Map<string, Stored> {
    let found = buckets.get(name);
    if (found === undefined) {
      found = new Map();
      buckets.set(name, found);
    }
    return found;
  }
  function store(key: string, content: readonly Uint8Array[]): void {
    objects().set(key, { content: Buffer.concat(content), modifiedMs: clock.nowMs() });
  }

  return {
    async put(key, content, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      store(key, content);
    },
    async putIfAbsent(key, content, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      if (objects().has(key)) return false;
      store(key, content);
      return true;
    },
    async getRange(key, start, end, { signal } = {}) {
      checkKey(key);
      checkRange(key, start, end);
      signal?.throwIfAborted();
      const found = objects().get(key);
      if (found === undefined) throw new ObjectNotFound(key);
      return found.content.subarray(start, end);
    },
    async head(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      const found = objects().get(key);
      return found && { key, bytes: found.content.length, modifiedMs: found.modifiedMs };
    },
    async delete(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      objects().delete(key);
    },
    async *list(prefix, { startAfter, signal } = {}) {
      const keys = [...objects().keys()]
        .filter(
          (key) => key.startsWith(prefix) && (startAfter === undefined || compareKeys(key, startAfter) > 0),
        )
        .sort(compareKeys);
      for (let at = 0; at < keys.length; at += pageObjects) {
        signal?.throwIfAborted();
        const page = keys.slice(at, at + pageObjects).flatMap((key) => {
          const found = objects().get(key);
          return found ? [{ key, bytes: found.content.length, modifiedMs: found.modifiedMs }] : [];
        });
        if (page.length > 0) yield page;
      }
    },
    async close() {},
  };
}

/** Gives up what a bucket holds, for tests and simulations that make many. */
export function dropMemoryBucket(name: string): void {
  buckets.delete(name);
}
