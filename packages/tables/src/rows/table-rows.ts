/** Records as rows: one array of values for each column, and a reason for each record that cannot be a row. */
import { tableLimits } from '../limits.ts';
import type { RowValue } from '../parquet/parquet-writer.ts';
import { recordColumnsCount } from '../schemas/columns.ts';
import type { RowMeter } from './convert-values.ts';
import { fail, RowFault } from './row-fault.ts';
import type { ReadRows, RowFailure, RowReader, SourceRecord } from './row-reader.ts';
import type { ValueReader } from './value-reader.ts';

/** Makes rows of records, whatever names their schema. */
export interface RecordSource {
  /** Called before records are read; rejects if none of them can be read now. */
  prepare?(records: readonly SourceRecord[]): Promise<void>;
  /** As `read` of `ValueReader`, of a record that has this value. */
  read(record: SourceRecord, value: Uint8Array, columns: readonly RowValue[][], row: number): boolean;
}

/** Records whose values are payloads as they are. */
export function rawSource(reader: ValueReader): RecordSource {
  return { read: (_record, value, columns, row) => reader.read(value, columns, row) };
}

/** Within these milliseconds, microseconds are safe integers. */
const safeMs = 9_000_000_000_000;
/** Producers choose timestamps; microseconds of this one still have 64 bits. */
const timestampMsMax = 9_000_000_000_000_000;

function microsOf(timestampMs: number): bigint {
  if (timestampMs < safeMs && timestampMs > -safeMs) return BigInt(timestampMs * 1000);
  if (!(Math.abs(timestampMs) < timestampMsMax))
    fail('convert', `kafka_timestamp: ${timestampMs} is out of the range of a timestamptz`);
  return BigInt(timestampMs) * 1000n;
}

/** A partition, an offset and a timestamp. */
const recordColumnsBytes = 20;

export class TableRows implements RowReader {
  readonly #source: RecordSource;
  readonly #columnsCount: number;
  readonly #meter: RowMeter;

  /** `columnsCount` is that of the table, with those that say which record a row is. */
  constructor(source: RecordSource, columnsCount: number, meter: RowMeter) {
    this.#source = source;
    this.#columnsCount = columnsCount;
    this.#meter = meter;
  }

  async read(records: readonly SourceRecord[]): Promise<ReadRows> {
    await this.#source.prepare?.(records);
    const columns: RowValue[][] = Array.from({ length: this.#columnsCount }, () => new Array(records.length));
    const recordAt: number[] = [];
    const failures: RowFailure[] = [];
    let droppedCount = 0;
    let bytes = 0;
    for (let at = 0; at < records.length; at++) {
      const record = records[at]!;
      try {
        if (record.value !== null && this.#readRow(record, record.value, columns, recordAt.length)) {
          recordAt.push(at);
          bytes += this.#meter.bytes;
        } else droppedCount++;
      } catch (error) {
        if (!(error instanceof RowFault)) throw error;
        failures.push({ at, step: error.step, message: error.message });
      }
    }
    // A record that failed may have left values behind the last row.
    for (const column of columns) column.length = recordAt.length;
    return { columns, recordAt, failures, droppedCount, bytes };
  }

  #readRow(record: SourceRecord, value: Uint8Array, columns: readonly RowValue[][], row: number): boolean {
    const meter = this.#meter;
    meter.bytes = recordColumnsBytes;
    if (!this.#source.read(record, value, columns, row)) return false;
    if (meter.bytes > tableLimits.rowBytesMax)
      fail('size', `the row has about ${meter.bytes} bytes; ${tableLimits.rowBytesMax} are possible`);
    const own = this.#columnsCount - recordColumnsCount;
    columns[own]![row] = record.partition;
    columns[own + 1]![row] = record.offset;
    columns[own + 2]![row] = microsOf(record.timestampMs);
    return true;
  }
}
