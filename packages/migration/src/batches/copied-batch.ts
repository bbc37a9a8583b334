/**
 * What a batch is for transactions and readers. `transactional` batches belong to a transaction that a marker ends
 * later. A batch that compaction emptied is `plain`: its transaction was decided long ago, and its marker may be gone.
 */
export type CopiedKind = 'plain' | 'transactional' | 'commitMarker' | 'abortMarker' | 'otherControl';

/** One batch to append with its own offset, as the commit of a file of copies wants it. */
export interface CopiedBatch {
  readonly baseOffset: number;
  /** `baseOffset` and the last offset delta and one, whatever records the batch still has. */
  readonly nextOffset: number;
  /** In the slices of the walk, one after another. */
  readonly byteStart: number;
  readonly byteLength: number;
  readonly maxTimestampMs: number;
  /** -1 of a producer that is not idempotent. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  /** 0 if compaction removed all records. */
  readonly recordCount: number;
  readonly kind: CopiedKind;
}
