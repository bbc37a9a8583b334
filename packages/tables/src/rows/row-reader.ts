/** The port from records to rows. Records that cannot be rows are results, not exceptions. */
import type { RowValue } from '../parquet/parquet-writer.ts';

export interface SourceRecord {
  readonly partition: number;
  readonly offset: bigint;
  readonly timestampMs: number;
  readonly key: Uint8Array | null;
  /** Records without a value make no row. */
  readonly value: Uint8Array | null;
  readonly headers: readonly (readonly [name: string, value: Uint8Array | null])[];
}

/** Where a record failed on its way to a row. */
export type RowStep = 'decode' | 'transform' | 'convert' | 'size';

export interface RowFailure {
  /** Its place in the records that were read. */
  readonly at: number;
  readonly step: RowStep;
  /** One line; it names the field where there is one. */
  readonly message: string;
}

export interface ReadRows {
  /** An array of values for each column of the definition. */
  readonly columns: readonly (readonly RowValue[])[];
  /** For each row, the place of its record. */
  readonly recordAt: readonly number[];
  readonly failures: readonly RowFailure[];
  /** Records that a transform dropped, or that had no value. */
  readonly droppedCount: number;
  /** About the bytes of all rows, uncompressed. */
  readonly bytes: number;
}

export interface RowReader {
  /**
   * Reads records in order. It rejects only if none of them can be read now, for instance without the schema registry;
   * the caller tries again later.
   */
  read(records: readonly SourceRecord[]): Promise<ReadRows>;
}
