import type { FilePointers } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { markerFileSlot } from '../log/marker.ts';

/**
 * Returns the referenced files whose id ends with a byte from `firstByte` to before `endByte`, and all pointers into
 * them, by one pass over the pointers of the cluster. A caller that wants all files asks for some of the 256 bytes at a
 * time, so that a cluster with ten million pointers needs little memory for it.
 */
export function pointersOfFiles(
  { files, pointers, topics }: ClusterState,
  firstByte: number,
  endByte: number,
): FilePointers {
  const wanted: { readonly slot: number; readonly fileId: string }[] = [];
  for (let slot = 0; slot < files.slotCount; slot++) {
    const last = files.lastByte(slot);
    if (last < firstByte || last >= endByte || !files.isReferenced(slot)) continue;
    wanted.push({ slot, fileId: files.fileId(slot) });
  }
  // Keys begin with the last byte.
  const place = (fileId: string) => fileId.slice(-2) + fileId;
  wanted.sort((one, other) => (place(one.fileId) < place(other.fileId) ? -1 : 1));
  const firstRow = new Uint32Array(wanted.length + 1);
  /** The row of the next pointer of a file, plus one; 0 for files that are not wanted. */
  const nextRowPlusOne = new Uint32Array(files.slotCount);
  for (const [index, { slot }] of wanted.entries()) {
    nextRowPlusOne[slot] = firstRow[index]! + 1;
    firstRow[index + 1] = firstRow[index]! + files.pointerCount(slot);
  }
  const rowCount = firstRow[wanted.length]!;
  const rows = {
    log: new Uint32Array(rowCount),
    byteStart: new Uint32Array(rowCount),
    byteLength: new Uint32Array(rowCount),
    baseOffset: new Float64Array(rowCount),
    nextOffset: new Float64Array(rowCount),
  };
  const logs: { topicId: string; topicName: string; partition: number }[] = [];
  for (const { description, partitions } of topics.held()) {
    for (const log of partitions) {
      let hasRows = false;
      for (let index = 0; index < log.pointerCount; index++) {
        const slot = log.slot(index);
        const fileSlot = pointers.fileSlot(slot);
        if (fileSlot === markerFileSlot || nextRowPlusOne[fileSlot] === 0) continue;
        const row = nextRowPlusOne[fileSlot]! - 1;
        nextRowPlusOne[fileSlot]!++;
        rows.log[row] = logs.length;
        rows.byteStart[row] = pointers.byteStart(slot);
        rows.byteLength[row] = pointers.byteLength(slot);
        rows.baseOffset[row] = pointers.baseOffset(slot);
        rows.nextOffset[row] = log.endOf(index);
        hasRows = true;
      }
      if (!hasRows) continue;
      const { topicId, name: topicName } = description;
      logs.push({ topicId, topicName, partition: log.partition });
    }
  }
  return {
    fileId: wanted.map(({ slot }) => files.reference(slot)),
    fileBytes: Float64Array.from(wanted, ({ slot }) => files.fileBytes(slot)),
    firstRow,
    logs,
    ...rows,
  };
}
