import type { ClusterChange } from '@weir/cluster';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { markerFileSlot } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import { topicOf } from '../topics/topic-entries.ts';

/** New log starts by log. */
export type LogStarts = ReadonlyMap<PartitionLog, number>;

/** Per topic: its number, and its partitions with their new starts. */
export function writeLogStartsMoved(writer: ByteWriter, starts: LogStarts): void {
  const byTopic = new Map<number, [partition: number, offset: number][]>();
  for (const [{ topicNumber, partition }, offset] of starts) {
    const rows = byTopic.get(topicNumber) ?? [];
    byTopic.set(topicNumber, rows);
    rows.push([partition, offset]);
  }
  writer.varint(byTopic.size);
  for (const [topicNumber, rows] of byTopic) {
    writer.varint(topicNumber);
    writer.varint(rows.length);
    for (const [partition, offset] of rows) {
      writer.varint(partition);
      writer.varint(offset);
    }
  }
}

export function applyLogStartsMoved(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let topicsLeft = reader.varint(); topicsLeft > 0; topicsLeft--) {
    const topic = topicOf(state, reader.varint());
    const partitions: number[] = [];
    const offsets: number[] = [];
    for (let left = reader.varint(); left > 0; left--) {
      const partition = reader.varint();
      const offset = reader.varint();
      const log = topic.partitions[partition];
      if (log === undefined || offset < log.logStartOffset || offset > log.nextOffset) {
        throw new UnreadableBytes(
          `partition ${partition} of topic ${topic.number} cannot begin at ${offset}`,
        );
      }
      moveLogStart(state, log, offset);
      partitions.push(partition);
      offsets.push(offset);
    }
    changes.push({
      kind: 'logStarts',
      topicId: topic.description.topicId,
      partition: Uint32Array.from(partitions),
      logStartOffset: Float64Array.from(offsets),
    });
  }
  return changes;
}

/**
 * Removes pointers wholly below the new start, and their files if nothing else refers to them. A pointer that spans the
 * new start is unchanged: batches are not cut (L9).
 */
export function moveLogStart(
  { files, pointers, producers, nowMs }: ClusterState,
  log: PartitionLog,
  offset: number,
): void {
  const gone = offset === log.nextOffset ? log.pointerCount : log.indexOfOffset(offset);
  for (let index = 0; index < gone; index++) {
    const slot = log.slot(index);
    const fileSlot = pointers.fileSlot(slot);
    if (fileSlot !== markerFileSlot) files.discountPointer(fileSlot, pointers.byteLength(slot), nowMs);
  }
  log.dropFirst(gone);
  log.logStartOffset = offset;
  log.aborted?.dropBelow(offset);
  producers.forgetBefore(log, offset);
}
