import type { RegistryChange } from '../registry-change.ts';
import { entryKeys, parseEntry, parseKey, put } from './registry-entries.ts';

/** As many as a registry can have entries, and more than it gives out between two backups. */
const reservedIdCount = 1_000_000;
const idMax = 2 ** 31 - 1;

/**
 * The changes by which a registry that has lost its last changes gives out none of the ids again that it may have given
 * out in them: clients cache schemas by id, and records name them. Contexts that it does not know are among them.
 */
export function reserveIds(
  entries: Iterable<{ readonly key: string; readonly value: Uint8Array | null }>,
): RegistryChange[] {
  const changes: RegistryChange[] = [];
  let firstId = 1;
  for (const { key, value } of entries) {
    const kind = parseKey(key)?.kind;
    if (value === null) continue;
    if (kind === 'first-id') firstId = parseEntry(kind, value).firstId;
    if (kind !== 'context') continue;
    const context = parseEntry(kind, value);
    changes.push(put(kind, key, { ...context, nextId: beyondReserved(context.nextId) }));
  }
  changes.push(put('first-id', entryKeys['first-id'](), { firstId: beyondReserved(firstId) }));
  return changes;
}

/** Leaves some ids however often a registry is restored. */
function beyondReserved(nextId: number): number {
  return nextId + Math.max(0, Math.min(reservedIdCount, Math.floor((idMax - nextId) / 2)));
}
