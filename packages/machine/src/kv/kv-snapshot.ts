import { retainedCopy } from '@weir/core';
import type { ClusterState } from '../cluster-state.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import type { NamedEntry } from './key-value-store.ts';
import { namespaces } from './namespaces.ts';
import { readNamespace } from './put-entries.ts';

export function* writeRecords(entries: readonly NamedEntry[], writer: SnapshotWriter): Generator<Buffer> {
  const { fields } = writer;
  fields.varint(entries.length);
  for (const { namespace, key, value } of entries) {
    fields.u8(namespaces[namespace].number);
    fields.text(key);
    fields.varint(value.length);
    fields.raw(value);
    yield* writer.cut();
  }
}

export function readRecords({ kv }: ClusterState, { fields }: SnapshotReader): void {
  for (let left = fields.varint(); left > 0; left--) {
    const namespace = readNamespace(fields);
    const key = fields.text();
    // A copy, so that one value does not retain the whole snapshot in memory.
    kv.put(namespace, key, retainedCopy(fields.raw(fields.varint())));
  }
}
