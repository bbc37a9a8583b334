import type { FileCommit } from '@weir/cluster';
import { youngFileId } from '@weir/core/testing';

interface TestBatch {
  readonly partition: number;
  readonly records: number;
  readonly bytes?: number;
  readonly maxTimestampMs?: number;
}

let fileCount = 0;

/** Returns a file with batches of one topic, one after the other. Batches of one partition must be adjacent. */
export function commitOf(topicId: string, batches: readonly TestBatch[], fileId = nextFileId()): FileCommit {
  const byteLength = Uint32Array.from(batches, ({ bytes = 100 }) => bytes);
  const byteStart = new Uint32Array(batches.length);
  for (let row = 1; row < batches.length; row++) byteStart[row] = byteStart[row - 1]! + byteLength[row - 1]!;
  return {
    fileId,
    fileBytes: byteLength.reduce((sum, bytes) => sum + bytes, 0),
    topicIds: [topicId],
    topic: new Uint32Array(batches.length),
    partition: Uint32Array.from(batches, ({ partition }) => partition),
    byteStart,
    byteLength,
    recordCount: Uint32Array.from(batches, ({ records }) => records),
    maxTimestampMs: Float64Array.from(batches, ({ maxTimestampMs = 0 }) => maxTimestampMs),
    producerId: new Float64Array(batches.length).fill(-1),
    producerEpoch: new Int16Array(batches.length).fill(-1),
    baseSequence: new Int32Array(batches.length).fill(-1),
  };
}

function nextFileId(): string {
  return youngFileId(++fileCount);
}
