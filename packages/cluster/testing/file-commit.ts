import { youngFileId } from '@weir/core/testing';
import type { FileCommit } from '../src/calls/log-calls.ts';

export interface BatchToCommit {
  readonly partition: number;
  readonly recordCount: number;
  readonly timestampMs?: number | undefined;
}

const batchBytes = 100;

/** A file with batches of one topic, from producers without an id. */
export function fileCommit(
  fileNumber: number,
  topicId: string,
  batches: readonly BatchToCommit[],
): FileCommit {
  const { length } = batches;
  const ordered = [...batches].sort((a, b) => a.partition - b.partition);
  return {
    fileId: youngFileId(fileNumber),
    fileBytes: batchBytes * length,
    topicIds: [topicId],
    topic: new Uint32Array(length),
    partition: Uint32Array.from(ordered, ({ partition }) => partition),
    byteStart: Uint32Array.from(ordered, (_, row) => row * batchBytes),
    byteLength: new Uint32Array(length).fill(batchBytes),
    recordCount: Uint32Array.from(ordered, ({ recordCount }) => recordCount),
    maxTimestampMs: Float64Array.from(ordered, ({ timestampMs = 1_700_000_000_000 }) => timestampMs),
    producerId: new Float64Array(length).fill(-1),
    producerEpoch: new Int16Array(length).fill(-1),
    baseSequence: new Int32Array(length).fill(-1),
  };
}
