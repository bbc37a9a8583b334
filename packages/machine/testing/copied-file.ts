import type { CopiedFile } from '@weir/cluster';
import { copiedRowKinds } from '@weir/cluster';

/** A batch of the source. */
export interface SourceBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly kind?: (typeof copiedRowKinds)[number];
  readonly producerId?: number;
  readonly epoch?: number;
  readonly sequence?: number;
  readonly timestampMs?: number;
}

/** Batches of one partition to append, 100 bytes each. */
export interface RangeToCopy {
  readonly topicId: string;
  readonly partition?: number;
  readonly expectedOffset: number;
  readonly batches: readonly SourceBatch[];
}

const batchBytes = 100;

/** The `number` gives the file an id, of level 1. */
export function copiedFile(number: number, ranges: readonly RangeToCopy[], pipelineId = 'p'): CopiedFile {
  const topicIds = [...new Set(ranges.map(({ topicId }) => topicId))];
  const rowsOf = ({ batches }: RangeToCopy) => batches.filter(({ producerId = -1 }) => producerId >= 0);
  const rows = ranges.flatMap(rowsOf);
  let at = 0;
  const byteStart = ranges.map(({ batches }) => {
    const start = at;
    at += batchBytes * batches.length;
    return start;
  });
  return {
    pipelineId,
    fileId: `0000000003e81${number.toString(16).padStart(19, '0')}`,
    fileBytes: at + 10,
    topicIds,
    ranges: {
      topic: Uint32Array.from(ranges, ({ topicId }) => topicIds.indexOf(topicId)),
      partition: Uint32Array.from(ranges, ({ partition = 0 }) => partition),
      byteStart: Uint32Array.from(byteStart),
      byteLength: Uint32Array.from(ranges, ({ batches }) => batchBytes * batches.length),
      expectedOffset: Float64Array.from(ranges, ({ expectedOffset }) => expectedOffset),
      nextOffset: Float64Array.from(ranges, ({ batches }) => batches.at(-1)!.nextOffset),
      maxTimestampMs: Float64Array.from(ranges, ({ batches }) =>
        Math.max(...batches.map(({ timestampMs = 1 }) => timestampMs)),
      ),
      batchCount: Uint32Array.from(ranges, (range) => rowsOf(range).length),
    },
    batches: {
      kind: Uint8Array.from(rows, ({ kind = 'plain' }) => copiedRowKinds.indexOf(kind)),
      baseOffset: Float64Array.from(rows, ({ baseOffset }) => baseOffset),
      nextOffset: Float64Array.from(rows, ({ nextOffset }) => nextOffset),
      producerId: Float64Array.from(rows, ({ producerId = -1 }) => producerId),
      producerEpoch: Int16Array.from(rows, ({ epoch = 0 }) => epoch),
      baseSequence: Int32Array.from(rows, ({ sequence = -1 }) => sequence),
    },
  };
}
