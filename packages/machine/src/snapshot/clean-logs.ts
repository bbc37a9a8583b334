import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import type { CleanLog } from './captured-state.ts';

/** Topic numbers and partitions, with the offset up to which the keys were compacted. */
export function* writeCleanLogs(cleanLogs: readonly CleanLog[], writer: SnapshotWriter): Generator<Buffer> {
  writer.fields.varint(cleanLogs.length);
  for (const { topicNumber, partition, cleanOffset } of cleanLogs) {
    writer.fields.varint(topicNumber);
    writer.fields.varint(partition);
    writer.fields.varint(cleanOffset);
    yield* writer.cut();
  }
}

export function readCleanLogs({ topics }: ClusterState, { fields }: SnapshotReader): void {
  for (let left = fields.varint(); left > 0; left--) {
    const topicNumber = fields.varint();
    const partition = fields.varint();
    const log = topics.byNumber(topicNumber)?.partitions[partition];
    if (log === undefined) throw new UnreadableBytes(`topic ${topicNumber} has no partition ${partition}`);
    log.cleanOffset = fields.varint();
  }
}
