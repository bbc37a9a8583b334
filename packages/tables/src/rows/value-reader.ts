import type { Mapping, Value } from '@weir/bloblang';
import type { RowValue } from '../parquet/parquet-writer.ts';
import type { Column, SchemaColumns } from '../schemas/columns.ts';
import { type Convert, converterOf, fieldGetter, isPlainObject, type RowMeter } from './convert-values.ts';
import { fail, shown } from './row-fault.ts';
import { dropped, transformed } from './transforms.ts';

/** Makes rows of the values of records, one at a time. */
export interface ValueReader {
  /**
   * Puts the values of a row into the columns, at the place of the row. Returns `false` if the record is dropped.
   * Throws `RowFault`.
   */
  read(value: Uint8Array, columns: readonly RowValue[][], row: number): boolean;
}

/** What the readers of a table share. */
export interface RowContext {
  readonly columns: readonly Column[];
  readonly units: SchemaColumns['units'];
  readonly mappings: readonly Mapping[];
  readonly meter: RowMeter;
}

/** Reads documents: they are transformed first, and then projected onto the columns. */
export class DocumentReader implements ValueReader {
  readonly #decode: (value: Uint8Array) => unknown;
  readonly #mappings: readonly Mapping[];
  readonly #getters: readonly ((document: Readonly<Record<string, unknown>>) => unknown)[];
  readonly #converters: readonly Convert[];

  /** `decode` throws `RowFault`. */
  constructor(decode: (value: Uint8Array) => unknown, { columns, mappings, meter, units }: RowContext) {
    this.#decode = decode;
    this.#mappings = mappings;
    this.#getters = columns.map(({ name }) => fieldGetter(name));
    this.#converters = columns.map((column) => converterOf(column, { meter, units }, column.name));
  }

  read(value: Uint8Array, columns: readonly RowValue[][], row: number): boolean {
    let document = this.#decode(value);
    if (this.#mappings.length > 0) {
      const result = transformed(this.#mappings, document as Value);
      if (result === dropped) return false;
      document = result;
    }
    if (!isPlainObject(document))
      return fail('convert', `the record is ${shown(document)}, and only an object can be a row`);
    const converters = this.#converters;
    for (let at = 0; at < converters.length; at++)
      columns[at]![row] = converters[at]!(this.#getters[at]!(document));
    return true;
  }
}
