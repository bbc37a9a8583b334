import { nearestName } from '@weir/core';
import {
  entryOf,
  isEmpty,
  shownKey,
  type YamlMapping,
  type YamlScalar,
  type YamlValue,
} from '../yaml/index.ts';
import type { Reading } from './reading.ts';

/** What an absent field is. */
type Absence =
  | { readonly kind: 'required' | 'optional' }
  | { readonly kind: 'default'; readonly value: PlainValue };

/** A default as it would be written in YAML. */
export type PlainValue =
  | string
  | number
  | boolean
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

/** How a field is described in the reference. */
export interface FieldType {
  readonly name: string;
  /** Of an object. */
  readonly fields?: Fields | undefined;
  /** Of a list or a map. */
  readonly items?: FieldType | undefined;
  readonly options?: readonly string[] | undefined;
}

export type Parse<T> = (value: YamlValue, reading: Reading, path: string) => T | undefined;

interface FieldTraits {
  readonly isSecret: boolean;
  readonly isAdvanced: boolean;
  /** What to use instead. */
  readonly deprecated?: string | undefined;
  /** Why setting it changes nothing. */
  readonly withoutEffect?: string | undefined;
}

const usualTraits: FieldTraits = { isSecret: false, isAdvanced: false };

/**
 * One field of a component: its type, what it does, and how its value is read. Fields are immutable; methods return
 * changed copies, so that a table of fields reads as a sentence each.
 */
export class Field<T> {
  readonly type: FieldType;
  readonly about: string;
  readonly absence: Absence;
  readonly traits: FieldTraits;
  readonly #parse: Parse<T>;

  constructor(
    type: FieldType,
    about: string,
    parse: Parse<T>,
    absence: Absence = { kind: 'required' },
    traits: FieldTraits = usualTraits,
  ) {
    this.type = type;
    this.about = about;
    this.absence = absence;
    this.traits = traits;
    this.#parse = parse;
  }

  /** Gives it a default. */
  or(value: PlainValue): Field<T> {
    return new Field(this.type, this.about, this.#parse, { kind: 'default', value }, this.traits);
  }

  optional(): Field<T | undefined> {
    return new Field<T | undefined>(this.type, this.about, this.#parse, { kind: 'optional' }, this.traits);
  }

  /** Its value is masked wherever it is shown. */
  secret(): Field<T> {
    return this.#with({ isSecret: true });
  }

  /** Few users need it. */
  advanced(): Field<T> {
    return this.#with({ isAdvanced: true });
  }

  deprecated(instead: string): Field<T> {
    return this.#with({ deprecated: instead });
  }

  /** Bento has it, and setting it changes nothing here; a check warns, and says why. */
  withoutEffect(why: string): Field<T> {
    return this.#with({ withoutEffect: why });
  }

  /** Only pipelines that a person runs may set it: it names a file, or leads around the rules of an operator. */
  localOnly(): Field<T> {
    const parse: Parse<T> = (value, reading, path) => {
      if (reading.isLocal || isUnset(value)) return this.#parse(value, reading, path);
      reading.problem(
        value.place,
        `${fieldNameOf(path)} is not available in managed pipelines; run it with weir cli run-pipeline`,
      );
      return undefined;
    };
    return new Field(this.type, this.about, parse, this.absence, this.traits);
  }

  /** Adds a rule; it returns what is wrong with a value, in a pipeline that a person runs or in a managed one. */
  check(rule: (value: NonNullable<T>, reading: Pick<Reading, 'isLocal'>) => string | undefined): Field<T> {
    const parse: Parse<T> = (value, reading, path) => {
      const parsed = this.#parse(value, reading, path);
      const wrong = parsed === undefined || parsed === null ? undefined : rule(parsed, reading);
      if (wrong === undefined) return parsed;
      reading.problem(value.place, `${fieldNameOf(path)} ${wrong}`);
      return undefined;
    };
    return new Field(this.type, this.about, parse, this.absence, this.traits);
  }

  /** Returns the value of the field; `undefined` also if a problem was noted. */
  read(value: YamlValue, reading: Reading, path: string): T | undefined {
    if (reading.isOpen(value)) return undefined;
    if (this.traits.isSecret) reading.hides?.(value);
    return this.#parse(value, reading, path);
  }

  /** The value that an absent field has. */
  readAbsent(owner: YamlValue, reading: Reading, path: string): T | undefined {
    if (this.absence.kind === 'default') return this.#parse(yamlOf(this.absence.value, owner), reading, path);
    if (this.absence.kind === 'required') reading.problem(owner.place, `${fieldNameOf(path)} is missing`);
    return undefined;
  }

  #with(traits: Partial<FieldTraits>): Field<T> {
    return new Field(this.type, this.about, this.#parse, this.absence, { ...this.traits, ...traits });
  }
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The values of a table of fields. */
export type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

/** A group of fields. Values are complete if no problem was noted. */
export function object<const F extends Fields>(about: string, fields: F): Field<Values<F>> {
  const field = new Field<Values<F>>({ name: 'object', fields }, about, (value, reading, path) =>
    readFields(value, fields, reading, path),
  );
  return Object.values(fields).some(({ absence }) => absence.kind === 'required') ? field : field.or({});
}

/** Reads the fields of an object, and notes those that it does not have. */
export function readFields<F extends Fields>(
  value: YamlValue,
  fields: F,
  reading: Reading,
  path: string,
): Values<F> | undefined {
  const mapping = isEmpty(value) ? { ...value, kind: 'mapping' as const, entries: [] } : value;
  if (mapping.kind !== 'mapping') {
    reading.problem(value.place, `${fieldNameOf(path)} has to be an object with fields`);
    return undefined;
  }
  noteUnknown(mapping, fields, reading);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const entry = entryOf(mapping, name);
    const at = `${path}.${name}`;
    if (entry === undefined || (isEmpty(entry.value) && field.absence.kind !== 'required')) {
      values[name] = field.readAbsent(value, reading, at);
      continue;
    }
    const { deprecated, withoutEffect } = field.traits;
    if (deprecated !== undefined) reading.warning(entry.place, `${name} is deprecated; ${deprecated}`);
    if (withoutEffect !== undefined) reading.warning(entry.place, `${name} has no effect: ${withoutEffect}`);
    values[name] = field.read(entry.value, reading, at);
  }
  return values as Values<F>;
}

function noteUnknown(mapping: YamlMapping, fields: Fields, reading: Reading): void {
  for (const { key, place } of mapping.entries) {
    if (Object.hasOwn(fields, key)) continue;
    const meant = nearestName(key, Object.keys(fields));
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    reading.problem(place, `there is no field ${shownKey(key)}${hint}`);
  }
}

/** Whether a value says nothing: an empty text or list, as defaults are. */
function isUnset(value: YamlValue): boolean {
  return value.kind === 'list'
    ? value.items.length === 0
    : isEmpty(value) || (value.kind === 'scalar' && value.value === '');
}

/** The last part of a path: the name of the field for a message. */
export function fieldNameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** A default as a value of the text, at the place where it is missing. */
function yamlOf(value: PlainValue, owner: YamlValue): YamlValue {
  const { place } = owner;
  if (isPlainList(value)) {
    const items = value.map((item) => yamlOf(item, owner));
    return { kind: 'list', items, place, size: 1, height: 1 };
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([key, item]) => ({ key, place, value: yamlOf(item, owner) }));
    return { kind: 'mapping', entries, place, size: 1, height: 1 };
  }
  return { kind: 'scalar', value, place, size: 1, height: 1 } satisfies YamlScalar;
}

function isPlainList(value: PlainValue): value is readonly PlainValue[] {
  return Array.isArray(value);
}
