import { systemClock } from '@weir/core';
import { openMemoryStore } from '../src/memory/memory-store.ts';
import type { ObjectStore } from '../src/store/object-store.ts';

let opened = 0;

/** A memory bucket that is not shared. */
export function emptyMemoryStore(): ObjectStore {
  return openMemoryStore(`empty-${opened++}`, { clock: systemClock });
}
