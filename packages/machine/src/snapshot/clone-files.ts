import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import { holdStates } from '../log/file-holds.ts';
import type { FileTable } from '../log/file-table.ts';
import { SlotSet } from '../log/slot-set.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import type { CapturedState } from './captured-state.ts';

/** Holds: clone, time, state, and its files with their sizes. */
export function* writeHolds({ files, holds }: CapturedState, writer: SnapshotWriter): Generator<Buffer> {
  const { fields } = writer;
  fields.varint(holds.length);
  for (const { cloneId, heldMs, state, slots } of holds) {
    fields.text(cloneId);
    fields.varint(heldMs);
    fields.u8(holdStates.indexOf(state));
    fields.varint(slots.count);
    for (const slot of inOrder(files, slots)) {
      fields.hex16(files.fileId(slot));
      fields.varint(files.fileBytes(slot));
      yield* writer.cut();
    }
  }
}

/** Needs the referenced files. */
export function readHolds({ files }: ClusterState, { fields }: SnapshotReader): void {
  for (let left = fields.varint(); left > 0; left--) {
    const cloneId = fields.text();
    const heldMs = fields.varint();
    const state = holdStates[fields.u8()];
    if (state === undefined) throw new UnreadableBytes(`the hold of ${cloneId} has no known state`);
    const hold = files.holds.begin(cloneId, heldMs, state);
    for (let filesLeft = fields.varint(); filesLeft > 0; filesLeft--) {
      files.hold(hold, fields.hex16(), fields.varint());
    }
  }
}

/** Origins; foreign files that are needed, with their origins; unneeded ones with size and time too, in order. */
export function* writeForeignFiles(captured: CapturedState, writer: SnapshotWriter): Generator<Buffer> {
  const { files, origins, unneededFiles, fileSlotCount } = captured;
  const { fields } = writer;
  fields.varint(origins.length);
  for (const origin of origins) fields.text(origin);
  // Foreign files do not come, and their slots are kept, so that the table still has all of the captured ones.
  const unneeded = new Set(unneededFiles.slots);
  const needed = new SlotSet();
  for (let slot = 0; slot < fileSlotCount; slot++) {
    if (files.originNumber(slot) !== 0 && !unneeded.has(slot)) needed.add(slot);
  }
  fields.varint(needed.count);
  for (const slot of inOrder(files, needed)) {
    fields.u8(files.originNumber(slot));
    fields.hex16(files.fileId(slot));
    yield* writer.cut();
  }
  fields.varint(unneededFiles.slots.length);
  for (const [row, slot] of unneededFiles.slots.entries()) {
    fields.u8(files.originNumber(slot));
    fields.hex16(files.fileId(slot));
    fields.varint(files.fileBytes(slot));
    fields.varint(unneededFiles.atMs[row]!);
    yield* writer.cut();
  }
}

/** Needs the files with pointers, and those of holds. */
export function readForeignFiles({ files }: ClusterState, { fields }: SnapshotReader): void {
  const origins: string[] = [];
  for (let left = fields.varint(); left > 0; left--) origins.push(fields.text());
  files.setOrigins(origins);
  const readOrigin = () => {
    const number = fields.u8();
    if (number < 1 || number > origins.length)
      throw new UnreadableBytes(`a file has the origin ${number} of ${origins.length}`);
    return number;
  };
  for (let left = fields.varint(); left > 0; left--) {
    const origin = readOrigin();
    const fileId = fields.hex16();
    const slot = files.slotOf(fileId);
    if (slot < 0) throw new UnreadableBytes(`nothing refers to the foreign file ${fileId}`);
    files.setOrigin(slot, origin);
  }
  for (let left = fields.varint(); left > 0; left--) {
    const origin = readOrigin();
    files.addUnneeded(fields.hex16(), fields.varint(), fields.varint(), origin);
  }
}

/**
 * Yields slots in an order that depends on their ids alone, in steps that are short: by the last byte of the id, which
 * is random, and then by the id.
 */
function* inOrder(files: FileTable, slots: SlotSet): Generator<number> {
  const ends = new Uint32Array(256);
  for (const slot of slots) ends[files.lastIdByte(slot)]!++;
  for (let byte = 1; byte < 256; byte++) ends[byte]! += ends[byte - 1]!;
  const sorted = new Uint32Array(slots.count);
  const starts = ends.slice();
  for (const slot of slots) sorted[--starts[files.lastIdByte(slot)]!] = slot;
  for (let byte = 0; byte < 256; byte++) {
    const group = Array.from(sorted.subarray(starts[byte], ends[byte]));
    const ids = new Map(group.map((slot) => [slot, files.fileId(slot)]));
    yield* group.sort((a, b) => (ids.get(a)! < ids.get(b)! ? -1 : 1));
  }
}
