/**
 * Why a produced batch is rejected, as reported to the client. The name is the one of the Kafka error table; the
 * message names the field and is sent to the client where the protocol has a field for it.
 */
export interface BatchRejection {
  readonly ok: false;
  readonly error: BatchErrorName;
  readonly message: string;
  /** The invalid records, if single records are. The batch is rejected as a whole all the same. */
  readonly recordErrors: readonly RecordError[];
  /** How many bytes of its records were decompressed, where that was counted. */
  readonly inflatedBytes?: number;
}

export type BatchErrorName =
  /** The bytes changed in transit; the client sends them again. */
  | 'CORRUPT_MESSAGE'
  | 'INVALID_RECORD'
  | 'INVALID_TIMESTAMP'
  /** The Java client reacts to this by splitting the batch. */
  | 'MESSAGE_TOO_LARGE'
  | 'UNSUPPORTED_COMPRESSION_TYPE';

export interface RecordError {
  /** The index of the record in its batch, from 0. */
  readonly batchIndex: number;
  readonly message: string;
}

export function reject(
  error: BatchErrorName,
  message: string,
  recordErrors: readonly RecordError[] = [],
): BatchRejection {
  return { ok: false, error, message, recordErrors };
}
