import type { ClusterChange } from '@weir/cluster';
import { retainedCopy } from '@weir/core';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { recordBytes } from './key-value-store.ts';
import { type Namespace, namespaceOf, namespaces } from './namespaces.ts';

/** An entry to put or, with `null`, to remove. */
export interface EntryChange {
  readonly namespace: Namespace;
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** Decides whether all changes are possible and which of them have an effect, without applying them. */
export function decidePutEntries(
  { kv }: ClusterState,
  limits: MachineLimits,
  changes: readonly EntryChange[],
): { changed: EntryChange[]; problem: string | undefined } {
  // Of several changes of one key the last takes effect.
  const last = new Map(changes.map((change) => [`${change.namespace} ${change.key}`, change]));
  const changed: EntryChange[] = [];
  let addedCount = 0;
  let addedBytes = 0;
  for (const change of last.values()) {
    const { namespace, key, value } = change;
    if (value !== null && value.length > limits.kvValueBytesMax) {
      return refused(`a value of ${value.length} bytes; at most ${limits.kvValueBytesMax}`);
    }
    const before = kv.get(namespace, key);
    if (value === null ? before === undefined : before?.equals(value) === true) continue;
    addedCount += (value === null ? 0 : 1) - (before === undefined ? 0 : 1);
    addedBytes += value === null ? 0 : recordBytes(key, value);
    addedBytes -= before === undefined ? 0 : recordBytes(key, before);
    changed.push(change);
  }
  if (addedCount > 0 && kv.count + addedCount > limits.recordsMax) {
    return refused(`the cluster has ${kv.count} metadata entries; at most ${limits.recordsMax}`);
  }
  if (addedBytes > 0 && kv.bytes + addedBytes > limits.recordBytesMax) {
    return refused(
      `the metadata entries of the cluster take ${kv.bytes} bytes; at most ${limits.recordBytesMax}`,
    );
  }
  return { changed, problem: undefined };
}

function refused(problem: string): { changed: EntryChange[]; problem: string } {
  return { changed: [], problem };
}

export function writeEntriesPut(writer: ByteWriter, changes: readonly EntryChange[]): void {
  writer.varint(changes.length);
  for (const { namespace, key, value } of changes) {
    writer.u8(namespaces[namespace].number);
    writer.text(key);
    writer.varint(value === null ? 0 : value.length + 1);
    if (value !== null) writer.raw(value);
  }
}

export function applyEntriesPut({ kv }: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const namespace = readNamespace(reader);
    const key = reader.text();
    const lengthPlusOne = reader.varint();
    // A copy, so that a value does not retain the whole journal entry in memory.
    const value = lengthPlusOne === 0 ? null : retainedCopy(reader.raw(lengthPlusOne - 1));
    if (value === null) kv.delete(namespace, key);
    else kv.put(namespace, key, value);
    if (namespaces[namespace].isFollowed) changes.push({ kind: 'record', namespace, key, value });
  }
  return changes;
}

export function readNamespace(reader: ByteReader): Namespace {
  const number = reader.u8();
  const namespace = namespaceOf(number);
  if (namespace === undefined)
    throw new UnreadableBytes(`this release does not support metadata entries of kind ${number}`);
  return namespace;
}
