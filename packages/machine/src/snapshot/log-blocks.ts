import type { ClusterState } from '../cluster-state.ts';
import type { FileTable } from '../log/file-table.ts';
import { markerFileSlot } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import type { CapturedState } from './captured-state.ts';

/**
 * The logs of all partitions: their ends as columns, and their pointers in blocks. Each block is preceded by the files
 * that it mentions first, numbered in order of first mention. So the bytes do not depend on positions in the file
 * table, and one pass is enough.
 */

/** Half a megabyte; takes two milliseconds. */
const blockRows = 16_384;

/** Columns of some pointers, contiguous in one buffer. */
class PointerBlock {
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly baseOffset: Float64Array;
  readonly maxTimestampMs: Float64Array;
  readonly fileNumber: Uint32Array;
  readonly byteStart: Uint32Array;
  readonly byteLength: Uint32Array;

  constructor(rows: number) {
    const memory = new ArrayBuffer(28 * rows);
    this.rows = rows;
    this.bytes = new Uint8Array(memory);
    this.baseOffset = new Float64Array(memory, 0, rows);
    this.maxTimestampMs = new Float64Array(memory, 8 * rows, rows);
    this.fileNumber = new Uint32Array(memory, 16 * rows, rows);
    this.byteStart = new Uint32Array(memory, 20 * rows, rows);
    this.byteLength = new Uint32Array(memory, 24 * rows, rows);
  }
}

export function* writeLogs(captured: CapturedState, writer: SnapshotWriter): Generator<Buffer> {
  const { logs } = captured;
  writer.column(logs.logStartOffset);
  writer.column(logs.nextOffset);
  writer.column(logs.pointerCount);
  yield* writer.slice();
  const numbers = new FileNumbers(captured, writer);
  const { pointers } = captured;
  let left = logs.pointerTotal;
  let block = new PointerBlock(0);
  let row = 0;
  for (let log = 0; log < logs.count; log++) {
    const count = logs.pointerCount[log]!;
    for (let index = 0; index < count; index++) {
      if (row === block.rows) {
        // The slice is a copy, so one block can be reused.
        const rows = Math.min(left, blockRows);
        if (block.rows !== rows) block = new PointerBlock(rows);
        row = 0;
      }
      const slot = logs.slot(log, index);
      const fileSlot = pointers.fileSlot(slot);
      block.fileNumber[row] = fileSlot === markerFileSlot ? markerFileSlot : numbers.of(fileSlot);
      block.byteStart[row] = pointers.byteStart(slot);
      block.byteLength[row] = pointers.byteLength(slot);
      block.baseOffset[row] = pointers.baseOffset(slot);
      block.maxTimestampMs[row] = pointers.maxTimestampMs(slot);
      row++;
      left--;
      if (row < block.rows) continue;
      numbers.writeNew();
      writer.column(block.bytes);
      yield* writer.slice();
    }
  }
}

/** Numbers files in order of first mention. */
class FileNumbers {
  readonly #captured: CapturedState;
  readonly #writer: SnapshotWriter;
  /** By slot; the number plus one, so that 0 means no number. */
  readonly #numberPlusOne: Uint32Array;
  #count = 0;
  #new: number[] = [];

  constructor(captured: CapturedState, writer: SnapshotWriter) {
    this.#captured = captured;
    this.#writer = writer;
    this.#numberPlusOne = new Uint32Array(captured.fileSlotCount);
  }

  of(slot: number): number {
    const known = this.#numberPlusOne[slot]!;
    if (known > 0) return known - 1;
    this.#new.push(slot);
    this.#numberPlusOne[slot] = ++this.#count;
    return this.#count - 1;
  }

  /** Writes the files mentioned since the last call. */
  writeNew(): void {
    const { files } = this.#captured;
    const slots = this.#new;
    const ids = Buffer.allocUnsafeSlow(16 * slots.length);
    const fileBytes = new Uint32Array(slots.length);
    for (const [row, slot] of slots.entries()) {
      files.copyFileId(slot, ids, 16 * row);
      fileBytes[row] = files.fileBytes(slot);
    }
    this.#writer.fields.varint(slots.length);
    this.#writer.column(ids);
    this.#writer.column(fileBytes);
    this.#new = [];
  }
}

/** Reads the ends of all partitions. Returns how many pointers each of them has. */
export function readEnds(logs: readonly PartitionLog[], reader: SnapshotReader): Uint32Array {
  const logStartOffset = reader.f64(logs.length);
  const nextOffset = reader.f64(logs.length);
  const pointerCount = reader.u32(logs.length);
  for (const [position, log] of logs.entries()) {
    log.logStartOffset = logStartOffset[position]!;
    log.nextOffset = nextOffset[position]!;
  }
  return pointerCount;
}

export function readLogs(
  { files }: ClusterState,
  logs: readonly PartitionLog[],
  reader: SnapshotReader,
): void {
  const pointerCount = readEnds(logs, reader);
  const fileSlots: number[] = [];
  let left = pointerCount.reduce((sum, count) => sum + count, 0);
  let block = new PointerBlock(0);
  let row = 0;
  for (const [position, log] of logs.entries()) {
    for (let count = pointerCount[position]!; count > 0; count--) {
      if (row === block.rows) {
        readNewFiles(files, reader, fileSlots);
        block = new PointerBlock(Math.min(left, blockRows));
        block.bytes.set(reader.fields.raw(block.bytes.length));
        left -= block.rows;
        row = 0;
      }
      const fileNumber = block.fileNumber[row]!;
      const isMarker = fileNumber === markerFileSlot;
      const fileSlot = isMarker ? markerFileSlot : fileSlots[fileNumber]!;
      log.push(
        fileSlot,
        block.byteStart[row]!,
        block.byteLength[row]!,
        block.baseOffset[row]!,
        block.maxTimestampMs[row]!,
      );
      if (!isMarker) files.countPointer(fileSlot, block.byteLength[row]!);
      row++;
    }
  }
}

/** Adds the slots of files by number. Earlier releases could have two numbers for one file; it gets one slot. */
function readNewFiles(files: FileTable, reader: SnapshotReader, slots: number[]): void {
  const count = reader.fields.varint();
  const ids = reader.fields.raw(16 * count);
  const fileBytes = reader.u32(count);
  for (let row = 0; row < count; row++) slots.push(files.addFrom(ids, 16 * row, fileBytes[row]!));
}
