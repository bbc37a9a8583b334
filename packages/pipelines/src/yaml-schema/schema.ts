import { schemaProblems, type ValuePath, withSubject } from '@weir/api';
import * as z from 'zod';
import {
  type ConfigurationProblem,
  entryOf,
  isEmpty,
  shownKey,
  type TextPlace,
  type YamlEntry,
  type YamlList,
  type YamlValue,
} from '../yaml/index.ts';

/** The parts that schemas of configurations are made of. `mapping` refuses unknown fields. */

export const mapping = z.strictObject;
export const oneOf = z.enum;
export const text = z.string();
export const boolean = z.boolean();
export const port = integer(1, 65_535, 'is not a whole number from 1 to 65535');
export const count = integer(1, Number.MAX_SAFE_INTEGER, 'is not a whole number of at least 1');

export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item);
}

export function filledList<Item extends z.ZodType>(item: Item) {
  return z.array(item).min(1, { error: 'is an empty list' });
}

function integer(min: number, max: number, error: string) {
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** Returns the problems of a value with respect to a schema. */
export function problemsOf(value: YamlValue, schema: z.ZodType): ConfigurationProblem[] {
  const found = schema.safeParse(plainValueOf(value));
  if (found.success) return [];
  const problems = schemaProblems(schema, found.error.issues, (path) => plainOf(spotAt(value, path)));
  return problems.map(({ path, unknownField, rule }) => {
    if (unknownField === undefined)
      return { place: placeOf(spotAt(value, path)), message: withSubject(path, rule) };
    const { entry } = spotAt(value, [...path, unknownField]);
    return {
      place: entry!.place,
      message: withSubject(path, `unknown field ${shownKey(unknownField)}; ${rule}`),
    };
  });
}

/** Returns the value that a schema describes. Throws if there is a problem with it. */
export function checkedValue<Schema extends z.ZodType>(value: YamlValue, schema: Schema): z.output<Schema> {
  return schema.parse(plainValueOf(value));
}

/** Converts to what a schema checks. A field without a value counts as absent. */
function plainValueOf(value: YamlValue): unknown {
  switch (value.kind) {
    case 'scalar':
      return value.value;
    case 'list':
      return value.items.map(plainValueOf);
    case 'mapping': {
      // Without a prototype, so that a key `__proto__` is one like any other.
      const fields: Record<string, unknown> = Object.create(null);
      for (const entry of value.entries)
        fields[entry.key] = isEmpty(entry.value) ? undefined : plainValueOf(entry.value);
      return fields;
    }
  }
}

interface Spot {
  /** The value at the path, or if it is missing the mapping that lacks it. */
  readonly value: YamlValue;
  readonly isMissing: boolean;
  /** If the value is that of a field. */
  readonly entry: YamlEntry | undefined;
}

function spotAt(root: YamlValue, path: ValuePath): Spot {
  let value = root;
  let entry: YamlEntry | undefined;
  for (const segment of path) {
    if (value.kind === 'mapping') {
      entry = entryOf(value, String(segment));
      if (entry === undefined) return { value, isMissing: true, entry };
      value = entry.value;
    } else {
      entry = undefined;
      value = (value as YamlList).items[Number(segment)]!;
    }
  }
  return { value, isMissing: false, entry };
}

/** A field without a value has no position but that of its key. */
function placeOf({ value, entry }: Spot): TextPlace {
  return entry !== undefined && isEmpty(value) ? entry.place : value.place;
}

/** `undefined` if it is missing, `null` if a field has no value, a text, or anything else. */
function plainOf({ value, isMissing, entry }: Spot): unknown {
  if (isMissing) return undefined;
  if (entry !== undefined && isEmpty(value)) return null;
  return value.kind === 'scalar' ? (value.value ?? value) : value;
}
