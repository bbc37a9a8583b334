/**
 * Ids of columns for data files that have none, by names: the table property `schema.name-mapping.default`. Weir's own
 * files carry ids; files that other programs add to a table may not.
 */
import { type Json, parseJson, printJson } from '../json/exact-json.ts';
import { ObjectReader, readText } from '../json/json-reader.ts';
import { InvalidTable } from '../table-errors.ts';
import { columnsInside, type Schema } from './schema.ts';
import type { Column } from './types.ts';

interface MappedName {
  /** Absent for a part of the file that the table does not have. */
  readonly id?: number | undefined;
  /** All names that the column ever had. */
  readonly names: readonly string[];
  readonly inside: readonly MappedName[];
}

type NameMapping = readonly MappedName[];

export function nameMappingOf(schema: Schema): NameMapping {
  const mapped = ({ id, name, type }: Column): MappedName => ({
    id,
    names: [name],
    inside: columnsInside(type).map(mapped),
  });
  return schema.columns.map(mapped);
}

/** Adds the names and columns of a newer schema, and keeps the old ones. A name moves to the column that has it now. */
export function updateNameMapping(mapping: NameMapping, schema: Schema): NameMapping {
  const merge = (before: NameMapping, columns: readonly Column[]): MappedName[] => {
    const taken = new Set(columns.map(({ name }) => name));
    const current = columns.map(({ id, name, type }): MappedName => {
      const old = before.find((one) => one.id === id);
      const oldNames = old?.names.filter((one) => !taken.has(one)) ?? [];
      return { id, names: [...oldNames, name], inside: merge(old?.inside ?? [], columnsInside(type)) };
    });
    const ids = new Set(columns.map(({ id }) => id));
    const dropped = before
      .filter(({ id }) => id === undefined || !ids.has(id))
      .map((one) => ({ ...one, names: one.names.filter((name) => !taken.has(name)) }))
      .filter(({ names }) => names.length > 0);
    return [...current, ...dropped];
  };
  return merge(mapping, schema.columns);
}

/** The id of a column of a file, by its names from the top; `undefined` if the mapping has none. */
export function mappedId(mapping: NameMapping, path: readonly string[]): number | undefined {
  let inside = mapping;
  let found: MappedName | undefined;
  for (const name of path) {
    found = inside.find(({ names }) => names.includes(name));
    if (found === undefined) return undefined;
    inside = found.inside;
  }
  return found?.id;
}

export function parseNameMapping(text: string): NameMapping {
  const place = 'schema.name-mapping.default';
  const json = parseJson(text, place);
  if (!Array.isArray(json)) throw new InvalidTable(`${place}: must be a list`);
  return (json as readonly Json[]).map((item, at) => readMapped(item, `${place}[${at}]`));
}

function readMapped(json: Json, place: string): MappedName {
  const reader = new ObjectReader(json, place);
  const id = reader.integerIfAny('field-id');
  return {
    ...(id !== undefined && { id }),
    names: reader.list('names', readText),
    inside: reader.listIfAny('fields', readMapped) ?? [],
  };
}

export function printNameMapping(mapping: NameMapping): string {
  const json = ({ id, names, inside }: MappedName): Json => ({
    ...(id !== undefined && { 'field-id': id }),
    names,
    ...(inside.length > 0 && { fields: inside.map(json) }),
  });
  return printJson(mapping.map(json));
}
