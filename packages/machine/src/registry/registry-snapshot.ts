import type { RegistryEntry } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import type { Registry } from './registry.ts';

/** The registry at one moment. Entries are replaced, never mutated. */
export interface CapturedRegistry {
  readonly revision: number;
  readonly forgottenRevision: number;
  readonly entries: readonly RegistryEntry[];
}

export function captureRegistry(registry: Registry): CapturedRegistry {
  const { revision, forgottenRevision } = registry;
  return { revision, forgottenRevision, entries: registry.all() };
}

export function* writeRegistry(captured: CapturedRegistry, writer: SnapshotWriter): Generator<Buffer> {
  const { fields } = writer;
  fields.varint(captured.revision);
  fields.varint(captured.forgottenRevision);
  fields.varint(captured.entries.length);
  let revisionBefore = 0;
  for (const { key, value, revision } of captured.entries) {
    fields.varint(revision - revisionBefore);
    revisionBefore = revision;
    fields.text(key);
    fields.varint(value === null ? 0 : value.length + 1);
    if (value !== null) fields.raw(value);
    yield* writer.cut();
  }
}

export function readRegistryPart({ registry }: ClusterState, { fields }: SnapshotReader): void {
  const lastRevision = fields.varint();
  const forgottenRevision = fields.varint();
  let revision = 0;
  for (let left = fields.varint(); left > 0; left--) {
    revision += fields.varint();
    const key = fields.text();
    const lengthPlusOne = fields.varint();
    const value = lengthPlusOne === 0 ? null : fields.raw(lengthPlusOne - 1);
    registry.restore(key, value, revision);
  }
  registry.skipTo(lastRevision, forgottenRevision);
}
