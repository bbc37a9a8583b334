import { type Markers, markerBytes, type Pointers } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { markerAt, markerFileSlot } from './marker.ts';
import type { PartitionLog } from './partition-log.ts';
import type { PointerPool } from './pointer-pool.ts';

export const noPointers: Pointers = {
  fileId: [],
  byteStart: new Float64Array(0),
  byteLength: new Float64Array(0),
  baseOffset: new Float64Array(0),
  nextOffset: new Float64Array(0),
};

/** Returns pointers of a partition in the format of the port. `fileIds` caches texts of file ids. */
export function readPointers(
  { pointers, files }: ClusterState,
  log: PartitionLog,
  firstIndex: number,
  count: number,
  fileIds?: ReadonlyMap<number, string>,
): Pointers {
  const read = {
    fileId: new Array<string>(count),
    byteStart: new Float64Array(count),
    byteLength: new Float64Array(count),
    baseOffset: new Float64Array(count),
    nextOffset: new Float64Array(count),
  };
  let markerRows: number[] | undefined;
  for (let position = 0; position < count; position++) {
    const slot = log.slot(firstIndex + position);
    const fileSlot = pointers.fileSlot(slot);
    const baseOffset = pointers.baseOffset(slot);
    read.baseOffset[position] = baseOffset;
    if (position > 0) read.nextOffset[position - 1] = baseOffset;
    if (fileSlot === markerFileSlot) {
      markerRows ??= [];
      markerRows.push(position);
      read.fileId[position] = '';
      read.byteLength[position] = markerBytes;
      continue;
    }
    read.fileId[position] = fileIds?.get(fileSlot) ?? files.reference(fileSlot);
    read.byteStart[position] = pointers.byteStart(slot);
    read.byteLength[position] = pointers.byteLength(slot);
  }
  if (count > 0) read.nextOffset[count - 1] = log.endOf(firstIndex + count - 1);
  if (markerRows === undefined) return read;
  return { ...read, markers: readMarkers(pointers, log, firstIndex, markerRows) };
}

function readMarkers(pool: PointerPool, log: PartitionLog, firstIndex: number, rows: number[]): Markers {
  const { length } = rows;
  const markers = {
    row: Uint32Array.from(rows),
    isCommit: new Uint8Array(length),
    producerId: new Float64Array(length),
    producerEpoch: new Int16Array(length),
    timestampMs: new Float64Array(length),
  };
  for (const [index, row] of rows.entries()) {
    const slot = log.slot(firstIndex + row);
    const { isCommit, producerId, producerEpoch } = markerAt(pool, slot);
    markers.isCommit[index] = isCommit ? 1 : 0;
    markers.producerId[index] = producerId;
    markers.producerEpoch[index] = producerEpoch;
    markers.timestampMs[index] = pool.maxTimestampMs(slot);
  }
  return markers;
}
