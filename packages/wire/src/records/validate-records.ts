import { OutputLimitExceeded } from '../compression/index.ts';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import type { RecordBatchView } from './batch.ts';
import { noTimestamp } from './layout.ts';
import { decompressRecordsOffThread, RecordCursor } from './record-cursor.ts';
import { OversizedRecord, RecordLengths } from './record-lengths.ts';
import { type BatchRejection, type RecordError, reject } from './rejection.ts';

export interface RecordRules {
  /** Limit on the decompressed size of the batch; the system limit if absent. */
  readonly outputBytesMax?: number;
  /** The limit on one encoded record, including its length prefix. */
  readonly recordBytesMax?: number;
  /** Compacted topics retain the last value of each key, so a record without a key is invalid there. */
  readonly requiresKeys?: boolean;
  /** The earliest and latest timestamps that the topic accepts, inclusive. A record without a timestamp (-1) passes. */
  readonly timestampMin?: bigint;
  readonly timestampMax?: bigint;
  /** Receives every readable record in order, and may return a problem, which counts if the rules above found none. */
  readonly visit?: (record: RecordCursor) => string | undefined;
  /** Bytes of records that are visited before others get their turn, for a `visit` whose cost grows with them. */
  readonly visitedBytesPerTurnMax?: number;
}

export interface RecordsSummary {
  readonly ok: true;
  readonly recordsBytes: number;
  readonly minTimestamp: bigint;
  /**
   * The latest timestamp of any record. If the header differs, the broker corrects the header rather than reject the
   * batch (`rewriteMaxTimestamp`): a common client sends the last record's timestamp instead.
   */
  readonly maxTimestamp: bigint;
}

/**
 * Decompresses a produced batch and validates every record. For topics with rules for records, and wherever a client's
 * counts are not trusted. The header must have passed `validateProducedBatch`. Never throws.
 */
export function validateBatchRecords(
  batch: RecordBatchView,
  rules: RecordRules = {},
): RecordsSummary | BatchRejection {
  try {
    const walked = walk(
      new RecordCursor(batch, rules.outputBytesMax),
      rules,
      Number.POSITIVE_INFINITY,
    ).next();
    // Without a slice limit the generator runs to its end at once.
    return walked.value as RecordsSummary | BatchRejection;
  } catch (error) {
    return rejectionOf(error);
  }
}

/**
 * Like `validateBatchRecords`, without blocking other work: decompressed in threads of the pool, and read in slices
 * with a `pause` between them. A record that is too long ends it before the rest is decompressed. The bytes of the
 * batch must not change before it is done.
 */
export async function validateBatchRecordsOffThread(
  batch: RecordBatchView,
  rules: RecordRules,
  pause: () => Promise<void>,
): Promise<RecordsSummary | BatchRejection> {
  const { outputBytesMax = wireLimits.decompressedBatchBytesMax, recordBytesMax = Number.POSITIVE_INFINITY } =
    rules;
  const lengths = new RecordLengths(batch.recordCount, recordBytesMax);
  try {
    const watch = (piece: Buffer) => lengths.see(piece);
    const decompressed = await decompressRecordsOffThread(batch, outputBytesMax, { pause, watch });
    const cursor = new RecordCursor(batch, outputBytesMax, decompressed);
    const slices = walk(cursor, rules, wireLimits.walkedRecordsPerTurnMax);
    for (;;) {
      const slice = slices.next();
      if (slice.done === true) {
        return slice.value.ok ? slice.value : { ...slice.value, inflatedBytes: decompressed.length };
      }
      await pause();
    }
  } catch (error) {
    const inflatedBytes = lengths.totalBytes;
    if (error instanceof OversizedRecord) {
      return { ...tooLarge(error.index, error.recordBytes, recordBytesMax), inflatedBytes };
    }
    return { ...rejectionOf(error), inflatedBytes };
  }
}

function tooLarge(index: number, recordBytes: number, recordBytesMax: number): BatchRejection {
  const message = `record has ${recordBytes} bytes and ${recordBytesMax} are allowed`;
  return reject('MESSAGE_TOO_LARGE', message, [{ batchIndex: index, message }]);
}

function rejectionOf(error: unknown): BatchRejection {
  if (error instanceof OutputLimitExceeded) return reject('MESSAGE_TOO_LARGE', error.message);
  // The CRC was valid, so these are the bytes that the client meant to send: a retry would not help.
  if (error instanceof DecodeError) return reject('INVALID_RECORD', error.message);
  throw error;
}

/** Yields after every `recordsPerSlice` records, or earlier if they are large. */
function* walk(
  cursor: RecordCursor,
  rules: RecordRules,
  recordsPerSlice: number,
): Generator<void, RecordsSummary | BatchRejection, undefined> {
  const { recordBytesMax = Number.POSITIVE_INFINITY } = rules;
  // Without a limit on records there are no slices at all.
  const bytesPerSlice = Number.isFinite(recordsPerSlice) ? rules.visitedBytesPerTurnMax : undefined;
  let bytesLeft = bytesPerSlice ?? Number.POSITIVE_INFINITY;
  const recordErrors: RecordError[] = [];
  let hasTimestampError = false;
  const times = cursor.timestampRange();
  const hasTimestampRules = rules.timestampMin !== undefined || rules.timestampMax !== undefined;

  for (let left = recordsPerSlice; cursor.next(); left--) {
    if (left === 0 || bytesLeft <= 0) {
      yield;
      left = recordsPerSlice;
      bytesLeft = bytesPerSlice ?? Number.POSITIVE_INFINITY;
    }
    const { index, recordBytes } = cursor;
    bytesLeft -= recordBytes;
    const visited = rules.visit?.(cursor);
    if (recordBytes > recordBytesMax) return tooLarge(index, recordBytes, recordBytesMax);
    cursor.addTimestampTo(times);

    let message = checkRecord(cursor, rules);
    if (message === undefined && hasTimestampRules) {
      message = checkTimestamp(cursor.timestamp, rules);
      if (message !== undefined) hasTimestampError = true;
    }
    message ??= visited;
    if (message === undefined) continue;
    recordErrors.push({ batchIndex: index, message });
    // The batch is rejected already; nothing more is read.
    if (recordErrors.length === wireLimits.recordErrorsMax) break;
  }

  const [first] = recordErrors;
  if (first !== undefined) {
    const error = hasTimestampError ? 'INVALID_TIMESTAMP' : 'INVALID_RECORD';
    return reject(error, `record ${first.batchIndex}: ${first.message}`, recordErrors);
  }
  return {
    ok: true,
    recordsBytes: cursor.totalBytes,
    minTimestamp: times.min ?? noTimestamp,
    maxTimestamp: times.max ?? noTimestamp,
  };
}

function checkRecord(cursor: RecordCursor, rules: RecordRules): string | undefined {
  if (cursor.offsetDelta !== cursor.index)
    return `offsetDelta is ${cursor.offsetDelta} and must be ${cursor.index}`;
  if (rules.requiresKeys && !cursor.hasKey) return 'key is null, but the topic is compacted';
  return undefined;
}

function checkTimestamp(timestamp: bigint, { timestampMin, timestampMax }: RecordRules): string | undefined {
  if (timestamp === noTimestamp) return undefined;
  if (timestampMin !== undefined && timestamp < timestampMin)
    return `timestamp ${timestamp} is before ${timestampMin}`;
  if (timestampMax !== undefined && timestamp > timestampMax)
    return `timestamp ${timestamp} is after ${timestampMax}`;
  return undefined;
}
