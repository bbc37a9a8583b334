/**
 * Why a produced batch is not taken, as the client will hear it. The name is the one of the Kafka error table; the message
 * names the field and goes to the client where the protocol has room for it.
 */
export interface BatchRejection {
  readonly ok: false;
  readonly error: BatchErrorName;
  readonly message: string;
  /** Which records are at fault, when single records are. The batch is refused as a whole all the same. */
  readonly recordErrors: readonly RecordError[];
  /** How many bytes of its records were decompressed, where that was counted. */
  readonly inflatedBytes?: number;
}

export type BatchErrorName =
  /** The bytes changed on their way; the client sends them again. */
  | 'CORRUPT_MESSAGE'
  | 'INVALID_RECORD'
  | 'INVALID_TIMESTAMP'
  /** The Java client answers this by splitting the batch. */
  | 'MESSAGE_TOO_LARGE'
  | 'UNSUPPORTED_COMPRESSION_TYPE';

export interface RecordError {
  /** The number of the record in its batch, from 0. */
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
