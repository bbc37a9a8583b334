import type { FileCommit } from '@weir/cluster';
import { youngFileId } from '@weir/core/testing';

/** A file of 100 bytes with one batch. */
export function oneBatchFile(
  number: number,
  topicId: string,
  partition: number,
  recordCount: number,
): FileCommit {
  return {
    fileId: youngFileId(number),
    fileBytes: 100,
    topicIds: [topicId],
    topic: Uint32Array.of(0),
    partition: Uint32Array.of(partition),
    byteStart: Uint32Array.of(0),
    byteLength: Uint32Array.of(100),
    recordCount: Uint32Array.of(recordCount),
    maxTimestampMs: Float64Array.of(1_700_000_000_000),
    producerId: Float64Array.of(-1),
    producerEpoch: Int16Array.of(-1),
    baseSequence: Int32Array.of(-1),
  };
}
