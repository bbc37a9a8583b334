import type { ClusterState } from '../cluster-state.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { SnapshotReader } from '../snapshot-format/snapshot-columns.ts';
import { readEnds } from './log-blocks.ts';

/** Rows per block. */
const blockRows = 65_536;

/** Columns of some pointers. */
interface PointerBlock {
  readonly fileNumber: Uint32Array;
  readonly byteStart: Uint32Array;
  readonly byteLength: Uint32Array;
  readonly baseOffset: Float64Array;
  readonly maxTimestampMs: Float64Array;
}

/** Reads the ends, files and pointers of all partitions in the layout of version 1: all files before all pointers. */
export function readLogsOfVersion1(
  { files }: ClusterState,
  logs: readonly PartitionLog[],
  reader: SnapshotReader,
): void {
  const pointerCount = readEnds(logs, reader);

  const fileSlots: number[] = [];
  const fileCount = reader.fields.varint();
  for (let first = 0; first < fileCount; first += blockRows) {
    const rows = Math.min(blockRows, fileCount - first);
    const ids = reader.fields.raw(16 * rows);
    const fileBytes = reader.u32(rows);
    for (let row = 0; row < rows; row++) fileSlots.push(files.addFrom(ids, 16 * row, fileBytes[row]!));
  }

  let left = pointerCount.reduce((sum, count) => sum + count, 0);
  let block = readBlock(0, reader);
  let row = 0;
  for (const [position, log] of logs.entries()) {
    for (let count = pointerCount[position]!; count > 0; count--) {
      if (row === block.fileNumber.length) {
        block = readBlock(Math.min(left, blockRows), reader);
        left -= block.fileNumber.length;
        row = 0;
      }
      const fileSlot = fileSlots[block.fileNumber[row]!]!;
      log.push(
        fileSlot,
        block.byteStart[row]!,
        block.byteLength[row]!,
        block.baseOffset[row]!,
        block.maxTimestampMs[row]!,
      );
      files.countPointer(fileSlot, block.byteLength[row]!);
      row++;
    }
  }
}

function readBlock(rows: number, reader: SnapshotReader): PointerBlock {
  return {
    fileNumber: reader.u32(rows),
    byteStart: reader.u32(rows),
    byteLength: reader.u32(rows),
    baseOffset: reader.f64(rows),
    maxTimestampMs: reader.f64(rows),
  };
}
