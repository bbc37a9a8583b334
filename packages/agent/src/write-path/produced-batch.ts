import type { ErrorName } from '@weir/wire';

/** A batch that has been checked and wants a place in a file. */
export interface ProducedBatch {
  readonly topicId: string;
  readonly partition: number;
  /** As it will be stored. A view of the request's frame, which nobody may change before `append` has settled. */
  readonly bytes: Buffer;
  /** Its size without compression; an estimate unless somebody has decompressed it. */
  readonly uncompressedBytes: number;
  readonly recordCount: number;
  readonly maxTimestampMs: number;
  /** -1 for a producer without an id. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  /** Absent for a batch that is not part of a transaction. */
  readonly transaction?: BatchTransaction | undefined;
}

/** The transaction of a batch, as its request names it. */
export interface BatchTransaction {
  readonly transactionalId: string;
  /** Whether the partition joins the transaction by itself. */
  readonly addsPartition: boolean;
}

/** What became of one batch. */
export interface AppendResult {
  readonly error: ErrorName;
  /** -1 on error. */
  readonly baseOffset: number;
  /** -1 when it is not known. */
  readonly logStartOffset: number;
}

export interface AppendOutcome {
  /** One per batch, in order. */
  readonly results: readonly AppendResult[];
  /** How long the request was held back because the agent had too much to do, as the client should hear it. */
  readonly throttleTimeMs: number;
}

/** What a request leaves behind that was not written, or of which nobody knows. */
export function failedAppend(error: ErrorName): AppendResult {
  return { error, baseOffset: -1, logStartOffset: -1 };
}
