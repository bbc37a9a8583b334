import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import type { CapturedOffsets } from './captured-offsets.ts';
import { type OffsetLayout, readOffset, writeOffset } from './offset-field.ts';
import type { StoredOffset } from './stored-offset.ts';

/**
 * Writes groups and their offsets in order of first commits, which is the same for all machines that apply the same
 * entries.
 */
export function* writeOffsets(captured: CapturedOffsets, writer: SnapshotWriter): Generator<Buffer> {
  const { fields } = writer;
  const { layout } = captured;
  fields.varint(captured.nextSequence);
  fields.varint(captured.groupCount);
  for (const { groupId, offsets } of captured.groups()) {
    fields.text(groupId);
    fields.varint(offsets.length);
    for (const stored of offsets) {
      writeStored(fields, stored, layout);
      yield* writer.cut();
    }
  }
  fields.varint(captured.pending.length);
  for (const { producerId, groupId, stored } of captured.pending) {
    fields.varint(producerId);
    fields.text(groupId);
    writeStored(fields, stored, layout);
    yield* writer.cut();
  }
}

export function readOffsets(
  { offsets }: ClusterState,
  { fields }: SnapshotReader,
  layout: OffsetLayout,
): void {
  offsets.nextSequence = fields.varint();
  for (let groups = fields.varint(); groups > 0; groups--) {
    const groupId = fields.text();
    for (let left = fields.varint(); left > 0; left--) offsets.restore(groupId, readStored(fields, layout));
  }
  for (let left = fields.varint(); left > 0; left--) {
    const producerId = fields.varint();
    const groupId = fields.text();
    offsets.restorePending(producerId, groupId, readStored(fields, layout));
  }
}

function writeStored(fields: ByteWriter, stored: StoredOffset, layout: OffsetLayout): void {
  fields.varint(stored.topicNumber);
  fields.varint(stored.partition);
  writeOffset(fields, stored.offset, layout);
  fields.varint(stored.leaderEpoch + 1);
  fields.text(stored.metadata);
  fields.varint(stored.committedMs);
  fields.varint(stored.expiresMs === undefined ? 0 : stored.expiresMs + 1);
  fields.varint(stored.sequence);
}

function readStored(fields: ByteReader, layout: OffsetLayout): StoredOffset {
  const topicNumber = fields.varint();
  const partition = fields.varint();
  const offset = readOffset(fields, layout);
  const leaderEpoch = fields.varint() - 1;
  const metadata = fields.text();
  const committedMs = fields.varint();
  const expiresMsPlusOne = fields.varint();
  const expiresMs = expiresMsPlusOne === 0 ? undefined : expiresMsPlusOne - 1;
  return {
    topicNumber,
    partition,
    offset,
    leaderEpoch,
    metadata,
    committedMs,
    expiresMs,
    sequence: fields.varint(),
  };
}
