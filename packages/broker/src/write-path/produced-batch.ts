import type { ErrorName } from '@weir/wire';

/** A validated batch that waits for its place in a file. */
export interface ProducedBatch {
  readonly topicId: string;
  readonly partition: number;
  /** Bytes as they will be stored. A view of the request's frame, which must not change before `append` has settled. */
  readonly bytes: Buffer;
  /** Uncompressed size; an estimate unless the batch was decompressed. */
  readonly uncompressedBytes: number;
  readonly recordCount: number;
  readonly maxTimestampMs: number;
  /** -1 for a producer without an id. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  /** Absent for a batch that is not part of a transaction. */
  readonly transaction?: BatchTransaction | undefined;
  /** Whether it may be acknowledged as soon as it is stored. */
  readonly isLightning?: boolean | undefined;
}

/** The transaction of a batch, as its request names it. */
export interface BatchTransaction {
  readonly transactionalId: string;
  /** Whether writing the batch adds the partition to the transaction. */
  readonly addsPartition: boolean;
}

/**
 * The outcome of a batch of a lightning topic that is stored and not committed yet. Offset 0 stands for one that is not
 * known: clients take -1 for a failure.
 */
export const acknowledgedAppend: AppendResult = { error: 'NONE', baseOffset: 0, logStartOffset: -1 };

/** Outcome of one batch. */
export interface AppendResult {
  readonly error: ErrorName;
  /** -1 on error. */
  readonly baseOffset: number;
  /** -1 if unknown. */
  readonly logStartOffset: number;
  /** What was wrong, for the client. */
  readonly message?: string | undefined;
}

export interface AppendOutcome {
  /** One per batch, in order. */
  readonly results: readonly AppendResult[];
  /** How long the request was held back by back-pressure, as reported to the client. */
  readonly throttleTimeMs: number;
}

/** The result of a batch that was not written, or whose outcome is unknown. */
export function failedAppend(error: ErrorName): AppendResult {
  return { error, baseOffset: -1, logStartOffset: -1 };
}
