import type { ClusterState } from '../cluster-state.ts';
import type { CapturedFileQueue } from '../log/file-queue.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import type { CapturedState } from './captured-state.ts';

/** Dead files, then deleted ones that are still remembered, both in order: id, size, and time since the one before. */
export function* writeGoneFiles(captured: CapturedState, writer: SnapshotWriter): Generator<Buffer> {
  yield* writeFiles(captured, captured.deadFiles, writer);
  yield* writeFiles(captured, captured.deletedFiles, writer);
}

function* writeFiles(
  { files }: CapturedState,
  { slots, atMs }: CapturedFileQueue,
  writer: SnapshotWriter,
): Generator<Buffer> {
  const { fields } = writer;
  fields.varint(slots.length);
  for (const [row, slot] of slots.entries()) {
    fields.hex16(files.fileId(slot));
    fields.varint(files.fileBytes(slot));
    fields.varint(atMs[row]! - (row === 0 ? 0 : atMs[row - 1]!));
    yield* writer.cut();
  }
}

export function readGoneFiles({ files }: ClusterState, reader: SnapshotReader): void {
  readFiles(reader, (fileId, fileBytes, atMs) => files.addDead(fileId, fileBytes, atMs));
  readFiles(reader, (fileId, fileBytes, atMs) => files.addDeleted(fileId, fileBytes, atMs));
}

function readFiles(
  { fields }: SnapshotReader,
  add: (fileId: string, fileBytes: number, atMs: number) => void,
): void {
  let atMs = 0;
  for (let left = fields.varint(); left > 0; left--) {
    const fileId = fields.hex16();
    const fileBytes = fields.varint();
    atMs += fields.varint();
    add(fileId, fileBytes, atMs);
  }
}
