import { OutputLimitExceeded } from '../compression/index.ts';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import type { RecordBatchView } from './batch.ts';
import { noTimestamp } from './layout.ts';
import { decompressRecordsOffThread, RecordCursor } from './record-cursor.ts';
import { OversizedRecord, RecordLengths } from './record-lengths.ts';
import { type BatchRejection, type RecordError, reject } from './rejection.ts';
import type { TimestampRange } from './timestamp-range.ts';

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
  /** Asked after each `visit` whether others get their turn before the next record, by what visiting has cost. */
  readonly endsTurn?: () => boolean;
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
    const cursor = new RecordCursor(batch, rules.outputBytesMax);
    // Without limits the first slice is the last one.
    return new RecordWalk(cursor, { ...rules, endsTurn: never }).slice(Number.POSITIVE_INFINITY)!;
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
    const walk = new RecordWalk(cursor, rules);
    for (;;) {
      const result = walk.slice(wireLimits.walkedRecordsPerTurnMax);
      if (result !== undefined) return result.ok ? result : { ...result, inflatedBytes: decompressed.length };
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

const never = () => false;

/** The walk over the records of a batch, in slices. */
class RecordWalk {
  readonly #cursor: RecordCursor;
  readonly #rules: RecordRules;
  readonly #recordErrors: RecordError[] = [];
  readonly #times: TimestampRange;
  #hasTimestampError = false;

  constructor(cursor: RecordCursor, rules: RecordRules) {
    this.#cursor = cursor;
    this.#rules = rules;
    this.#times = cursor.timestampRange();
  }

  /** Walks over so many records, or fewer if visiting them ends the turn. Undefined if more may follow. */
  slice(recordsMax: number): RecordsSummary | BatchRejection | undefined {
    const cursor = this.#cursor;
    const rules = this.#rules;
    const times = this.#times;
    const {
      visit,
      recordBytesMax = Number.POSITIVE_INFINITY,
      requiresKeys = false,
      endsTurn = never,
    } = rules;
    const hasTimestampRules = rules.timestampMin !== undefined || rules.timestampMax !== undefined;
    let isOver = false;
    for (let left = recordsMax; left > 0 && !isOver; left--) {
      if (!cursor.next()) return this.#result();
      const { index, recordBytes } = cursor;
      const visited = visit === undefined ? undefined : visit(cursor);
      isOver = endsTurn();
      if (recordBytes > recordBytesMax) return tooLarge(index, recordBytes, recordBytesMax);
      cursor.addTimestampTo(times);

      let message = checkRecord(cursor, requiresKeys);
      if (message === undefined && hasTimestampRules) {
        message = checkTimestamp(cursor.timestamp, rules);
        if (message !== undefined) this.#hasTimestampError = true;
      }
      message ??= visited;
      if (message === undefined) continue;
      this.#recordErrors.push({ batchIndex: index, message });
      // The batch is rejected already; nothing more is read.
      if (this.#recordErrors.length === wireLimits.recordErrorsMax) return this.#result();
    }
    // Nothing would be left for another slice.
    return cursor.isAtEnd && !cursor.next() ? this.#result() : undefined;
  }

  #result(): RecordsSummary | BatchRejection {
    const [first] = this.#recordErrors;
    if (first !== undefined) {
      const error = this.#hasTimestampError ? 'INVALID_TIMESTAMP' : 'INVALID_RECORD';
      return reject(error, `record ${first.batchIndex}: ${first.message}`, this.#recordErrors);
    }
    return {
      ok: true,
      recordsBytes: this.#cursor.totalBytes,
      minTimestamp: this.#times.min ?? noTimestamp,
      maxTimestamp: this.#times.max ?? noTimestamp,
    };
  }
}

function checkRecord(cursor: RecordCursor, requiresKeys: boolean): string | undefined {
  if (cursor.offsetDelta !== cursor.index)
    return `offsetDelta is ${cursor.offsetDelta} and must be ${cursor.index}`;
  if (requiresKeys && !cursor.hasKey) return 'key is null, but the topic is compacted';
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
