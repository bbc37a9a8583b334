/**
 * The columns of files: those of a definition, with the ids and types of the table. The table may be wider than the
 * definition, and its columns are in another order.
 */
import { InvalidTable, type Schema, type Type } from '@weir/iceberg';
import type { Column, RowValue } from '../parquet/parquet-writer.ts';

type Conversion = (value: RowValue) => RowValue;

interface Fitted {
  readonly type: Type;
  /** Absent if values stay as they are. */
  readonly convert?: Conversion | undefined;
}

export interface FileColumns {
  readonly columns: readonly Column[];
  /** Values of the definition as those of the files. */
  fit(batch: readonly (readonly RowValue[])[]): readonly (readonly RowValue[])[];
}

export function fileColumns(defined: readonly Column[], schema: Schema): FileColumns {
  const fitted = fitColumns(defined, schema.columns);
  const conversions = fitted.map(({ convert }) => convert);
  const isPlain = conversions.every((convert) => convert === undefined);
  return {
    columns: fitted.map(({ column }) => column),
    fit: (batch) =>
      isPlain
        ? batch
        : batch.map((values, at) => {
            const convert = conversions[at];
            return convert === undefined ? values : values.map(unlessNull(convert));
          }),
  };
}

function fitColumns(defined: readonly Column[], inTable: readonly Column[]) {
  return defined.map((column) => {
    const found = inTable.find(({ name }) => name === column.name);
    if (found === undefined) throw new InvalidTable(`the table has no column ${column.name}`);
    const { type, convert } = fitType(column.type, found.type);
    return { column: { ...found, type }, convert };
  });
}

function fitType(defined: Type, inTable: Type): Fitted {
  if (defined.kind === 'struct' && inTable.kind === 'struct') {
    const fitted = fitColumns(defined.columns, inTable.columns);
    return {
      type: { kind: 'struct', columns: fitted.map(({ column }) => column) },
      convert: perPlace(fitted.map(({ convert }) => convert)),
    };
  }
  if (defined.kind === 'list' && inTable.kind === 'list') {
    const element = fitType(defined.element, inTable.element);
    return { type: { ...inTable, element: element.type }, convert: perItem(element.convert) };
  }
  if (defined.kind === 'map' && inTable.kind === 'map') {
    const [key, value] = [fitType(defined.key, inTable.key), fitType(defined.value, inTable.value)];
    return {
      type: { ...inTable, key: key.type, value: value.type },
      convert: perItem(perPlace([key.convert, value.convert])),
    };
  }
  if (defined.kind === 'int' && inTable.kind === 'long')
    return { type: inTable, convert: (value) => (typeof value === 'number' ? BigInt(value) : value) };
  return { type: inTable };
}

/** Of an array that has a value for each place. */
function perPlace(conversions: readonly (Conversion | undefined)[]): Conversion | undefined {
  if (conversions.every((convert) => convert === undefined)) return undefined;
  return (value) =>
    (value as readonly RowValue[]).map((one, at) => {
      const convert = conversions[at];
      return convert === undefined || one === null ? one : convert(one);
    });
}

/** Of an array of any length. */
function perItem(convert: Conversion | undefined): Conversion | undefined {
  if (convert === undefined) return undefined;
  return (value) => (value as readonly RowValue[]).map(unlessNull(convert));
}

function unlessNull(convert: Conversion): Conversion {
  return (value) => (value === null ? null : convert(value));
}
