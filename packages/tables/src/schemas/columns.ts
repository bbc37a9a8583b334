/** The columns of a table as they are made of a schema, and what is wrong with one. */

import { InvalidTable, Schema, type Type } from '@weir/iceberg';
import { icebergLimits } from '@weir/iceberg/limits';
import { InvalidSchema } from '@weir/registry/formats';
import type { StructType } from '../table-definition.ts';

export type Column = StructType['columns'][number];

/** What an integer counts that stands for a point in time. */
export type TimeUnit = 'seconds' | 'millis' | 'micros' | 'nanos';

/** The columns that a schema describes. */
export interface SchemaColumns {
  readonly columns: readonly Column[];
  /** The units of integers in timestamp columns, by the id of the column; milliseconds if absent. */
  readonly units: ReadonlyMap<number, TimeUnit>;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** A schema that no table can have. The message is one line, and `place` is within the text of the schema. */
export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema';
  readonly place: Place | undefined;

  constructor(message: string, place?: Place) {
    super(message);
    this.place = place;
  }
}

/** What a parser of the registry says about a text, with its place if it names one. */
export function unusable(error: unknown, text: string): UnusableSchema {
  if (error instanceof UnusableSchema) return error;
  if (!(error instanceof InvalidSchema)) throw error;
  const message = error.message.replaceAll(/\s+/g, ' ').slice(0, 500);
  const [, line, column, rest] = /^(\d{1,9}):(\d{1,9}): (.*)$/.exec(message) ?? [];
  if (rest !== undefined) return new UnusableSchema(rest, { line: Number(line), column: Number(column) });
  const [, before, character] = /^(.*) \(at character (\d{1,9})\)$/.exec(message) ?? [];
  if (before !== undefined) return new UnusableSchema(before, placeAt(text, Number(character) - 1));
  return new UnusableSchema(message);
}

function placeAt(text: string, at: number): Place {
  // What is missing at the end belongs behind the last character, and not on the next line.
  const before = text.slice(0, Math.min(at, text.trimEnd().length)).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** Gives ids, and counts what a schema is made of: names of types may make a small text a huge table. */
export class ColumnIds {
  #last = 0;
  readonly units = new Map<number, TimeUnit>();

  next(): number {
    this.#last += 1;
    if (this.#last > icebergLimits.tableColumnsMax)
      throw new UnusableSchema(`has more than ${icebergLimits.tableColumnsMax} columns`);
    return this.#last;
  }
}

/** Throws if types are nested deeper than a table can have them. `path` is the names from the top. */
export function checkDepth(path: readonly string[]): void {
  if (path.length >= icebergLimits.tableTypeDepthMax)
    throw new UnusableSchema(
      `${shownPath(path)}: is nested deeper than ${icebergLimits.tableTypeDepthMax} levels`,
    );
}

export function shownPath(path: readonly string[]): string {
  const shown = path.length > 6 ? [...path.slice(0, 5), '…', path.at(-1)!] : path;
  return shown.map((name) => name.slice(0, 80)).join('.');
}

export function structOf(columns: readonly Column[]): StructType {
  return { kind: 'struct', columns };
}

export function listOf(ids: ColumnIds, element: Type, isElementRequired: boolean): Type {
  return { kind: 'list', elementId: ids.next(), isElementRequired, element };
}

export function mapOf(ids: ColumnIds, key: Type, value: Type, isValueRequired: boolean): Type {
  return { kind: 'map', keyId: ids.next(), key, valueId: ids.next(), isValueRequired, value };
}

/** The columns that every table ends with: which record a row is. */
const recordColumns = [
  { name: 'kafka_partition', type: { kind: 'int' } },
  { name: 'kafka_offset', type: { kind: 'long' } },
  { name: 'kafka_timestamp', type: { kind: 'timestamptz' } },
] as const satisfies readonly { readonly name: string; readonly type: Type }[];

/** How many columns of a table are not of its schema; they are the last ones. */
export const recordColumnsCount = recordColumns.length;

/** The columns of a table: those of its schema, and those that say which record a row is. */
export function tableColumns({ columns }: Pick<SchemaColumns, 'columns'>): StructType {
  const taken = columns.find(({ name }) => recordColumns.some((own) => own.name === name));
  if (taken !== undefined)
    throw new UnusableSchema(`${taken.name}: is a column that every table has; rename it`);
  if (columns.length === 0) throw new UnusableSchema('has no columns');
  let id = 0;
  try {
    id = new Schema({ id: 0, columns }).columnIdMax;
  } catch (error) {
    if (error instanceof InvalidTable) throw new UnusableSchema(error.message.replace(/^schema: /, ''));
    throw error;
  }
  const own = recordColumns.map((column): Column => ({ ...column, id: ++id, isRequired: true }));
  return structOf([...columns, ...own]);
}
