import type { Pointers } from '../../cluster/port.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { PartitionLog } from './partition-log.ts';

export const noPointers: Pointers = {
  fileId: [],
  byteStart: new Float64Array(0),
  byteLength: new Float64Array(0),
  baseOffset: new Float64Array(0),
  nextOffset: new Float64Array(0),
};

/** Pointers of a partition as the port gives them. `fileIds` may have the text of some ids already. */
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
  for (let position = 0; position < count; position++) {
    const slot = log.slot(firstIndex + position);
    const fileSlot = pointers.fileSlot(slot);
    const baseOffset = pointers.baseOffset(slot);
    read.fileId[position] = fileIds?.get(fileSlot) ?? files.fileId(fileSlot);
    read.byteStart[position] = pointers.byteStart(slot);
    read.byteLength[position] = pointers.byteLength(slot);
    read.baseOffset[position] = baseOffset;
    if (position > 0) read.nextOffset[position - 1] = baseOffset;
  }
  if (count > 0) read.nextOffset[count - 1] = log.endOf(firstIndex + count - 1);
  return read;
}
