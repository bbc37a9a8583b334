import type { FileCommit, TransactionalBatches } from '@weir/cluster';

/** One batch in a test. Defaults: one record, a hundred bytes directly after the previous batch, no producer. */
export interface BatchToCommit {
  readonly topicId: string;
  readonly partition?: number;
  readonly records?: number;
  readonly bytes?: number;
  /** Bytes between the previous batch and this one. */
  readonly gap?: number;
  readonly timestampMs?: number;
  readonly producerId?: number;
  readonly epoch?: number;
  readonly sequence?: number;
  /** Makes the batch part of a transaction. */
  readonly transactionalId?: string;
  /** Whether the batch adds its partition to the transaction. */
  readonly addsPartition?: boolean;
}

export function fileIdOf(number: number): string {
  return number.toString(16).padStart(32, '0');
}

/** Turns rows into the columns of a commit. */
export function fileCommit(fileNumber: number, batches: readonly BatchToCommit[]): FileCommit {
  const topicIds = [...new Set(batches.map(({ topicId }) => topicId))];
  let end = 0;
  const byteStart = batches.map(({ gap = 0, bytes = 100 }) => {
    const start = end + gap;
    end = start + bytes;
    return start;
  });
  return {
    fileId: fileIdOf(fileNumber),
    fileBytes: end,
    topicIds,
    topic: Uint32Array.from(batches, ({ topicId }) => topicIds.indexOf(topicId)),
    partition: Uint32Array.from(batches, ({ partition = 0 }) => partition),
    byteStart: Uint32Array.from(byteStart),
    byteLength: Uint32Array.from(batches, ({ bytes = 100 }) => bytes),
    recordCount: Uint32Array.from(batches, ({ records = 1 }) => records),
    maxTimestampMs: Float64Array.from(batches, ({ timestampMs = 0 }) => timestampMs),
    producerId: Float64Array.from(batches, ({ producerId = -1 }) => producerId),
    producerEpoch: Int16Array.from(batches, ({ producerId, epoch }) =>
      producerId === undefined ? -1 : (epoch ?? 0),
    ),
    baseSequence: Int32Array.from(batches, ({ producerId, sequence }) =>
      producerId === undefined ? -1 : (sequence ?? 0),
    ),
    ...transactionsOf(batches),
  };
}

function transactionsOf(batches: readonly BatchToCommit[]): { transactions?: TransactionalBatches } {
  const ids = batches.flatMap(({ transactionalId }) => transactionalId ?? []);
  if (ids.length === 0) return {};
  const transactionalIds = [...new Set(ids)];
  return {
    transactions: {
      transactionalIds,
      transaction: Int32Array.from(batches, ({ transactionalId }) =>
        transactionalId === undefined ? -1 : transactionalIds.indexOf(transactionalId),
      ),
      addsPartition: Uint8Array.from(batches, ({ addsPartition = false }) => (addsPartition ? 1 : 0)),
    },
  };
}
