import type { Mapping } from '@weir/bloblang';
import { parseBytes } from '@weir/core';
import type { YamlValue } from '../yaml/index.ts';
import type { ComponentConfig, ComponentKind } from './component-config.ts';
import { Field, fieldNameOf } from './field.ts';
import { parseGoDurationMs } from './go-duration.ts';
import { type Interpolated, parseInterpolated } from './interpolated.ts';
import type { Reading } from './reading.ts';

/** Texts; numbers and booleans are taken as their text, as Bento does. */
export function string(about: string): Field<string> {
  return new Field({ name: 'string' }, about, (value, reading, path) => textOf(value, reading, path));
}

export function int(about: string): Field<number> {
  return new Field({ name: 'int' }, about, (value, reading, path) => {
    const found = numberOf(value);
    if (found !== undefined && Number.isSafeInteger(found)) return found;
    reading.problem(value.place, `${fieldNameOf(path)} has to be a whole number`);
    return undefined;
  });
}

export function float(about: string): Field<number> {
  return new Field({ name: 'float' }, about, (value, reading, path) => {
    const found = numberOf(value);
    if (found !== undefined) return found;
    reading.problem(value.place, `${fieldNameOf(path)} has to be a number`);
    return undefined;
  });
}

export function bool(about: string): Field<boolean> {
  return new Field({ name: 'bool' }, about, (value, reading, path) => {
    const found = value.kind === 'scalar' ? String(value.value) : undefined;
    if (found === 'true' || found === 'false') return found === 'true';
    reading.problem(value.place, `${fieldNameOf(path)} has to be true or false`);
    return undefined;
  });
}

/** As Go writes durations: `500ms`, `1m30s`. In milliseconds; an empty text is absent. */
export function durationMs(about: string): Field<number | undefined> {
  return new Field<number | undefined>({ name: 'duration' }, about, (value, reading, path) => {
    const text = textOf(value, reading, path);
    if (text === undefined || text === '') return undefined;
    const ms = parseGoDurationMs(text);
    if (ms === undefined)
      reading.problem(value.place, `${fieldNameOf(path)} has to be a duration such as 500ms or 1m30s`);
    return ms;
  });
}

/** A number of bytes, or a text such as `50MiB`. */
export function bytes(about: string): Field<number> {
  return new Field({ name: 'bytes' }, about, (value, reading, path) => {
    const found = numberOf(value) ?? (value.kind === 'scalar' ? parseBytes(String(value.value)) : undefined);
    const size = found === undefined ? undefined : Number(found);
    if (size !== undefined && Number.isSafeInteger(size) && size >= 0) return size;
    reading.problem(value.place, `${fieldNameOf(path)} has to be a size such as 50MiB`);
    return undefined;
  });
}

/** One of a few texts. */
export function oneOf<const Option extends string>(about: string, options: readonly Option[]): Field<Option> {
  return new Field({ name: 'string', options }, about, (value, reading, path) => {
    const text = textOf(value, reading, path);
    if (text === undefined) return undefined;
    const found = options.find((option) => option === text);
    if (found === undefined)
      reading.problem(value.place, `${fieldNameOf(path)} has to be one of ${options.join(', ')}`);
    return found;
  });
}

/** A mapping in Bloblang. An empty text is absent. */
export function mapping(about: string): Field<Mapping | undefined> {
  return new Field<Mapping | undefined>({ name: 'mapping' }, about, (value, reading, path) => {
    const text = textOf(value, reading, path);
    return text === undefined || text === '' ? undefined : reading.mapping(value, text);
  });
}

/** A text with queries: `orders-${! json("region") }`. */
export function interpolated(about: string): Field<Interpolated> {
  return new Field({ name: 'interpolated string' }, about, (value, reading, path) => {
    const text = textOf(value, reading, path);
    return text === undefined ? undefined : parseInterpolated(text, (query) => reading.mapping(value, query));
  });
}

/** The label of a resource that the configuration defines. */
export function resource(kind: ComponentKind, about: string): Field<string> {
  return new Field({ name: 'string' }, about, (value, reading, path) => {
    const label = textOf(value, reading, path);
    if (label !== undefined && label !== '') reading.refersTo(kind, label, value.place);
    return label;
  });
}

export function list<T>(about: string, items: Field<T>): Field<readonly T[]> {
  return new Field({ name: 'list', items: items.type }, about, (value, reading, path) => {
    if (value.kind !== 'list') {
      reading.problem(value.place, `${fieldNameOf(path)} has to be a list`);
      return undefined;
    }
    return value.items
      .map((item, at) => items.read(item, reading, `${path}.${at}`))
      .filter((item): item is NonNullable<typeof item> => item !== undefined);
  });
}

/** Values by keys that the user chooses. */
export function map<T>(about: string, items: Field<T>): Field<ReadonlyMap<string, T>> {
  return new Field({ name: 'map', items: items.type }, about, (value, reading, path) => {
    if (value.kind !== 'mapping') {
      reading.problem(value.place, `${fieldNameOf(path)} has to be an object`);
      return undefined;
    }
    const found = new Map<string, T>();
    for (const { key, value: item } of value.entries) {
      const read = items.read(item, reading, `${path}.${key}`);
      if (read !== undefined) found.set(key, read);
    }
    return found;
  });
}

/** Another component: `output: {drop: {}}`. */
export function child<Kind extends ComponentKind>(kind: Kind, about: string): Field<ComponentConfig<Kind>> {
  return new Field({ name: kind }, about, (value, reading, path) => reading.component(kind, value, path));
}

/** Other components, in order. */
export function children<Kind extends ComponentKind>(
  kind: Kind,
  about: string,
): Field<readonly ComponentConfig<Kind>[]> {
  return list(about, child(kind, about));
}

/** Anything; the component reads it itself. */
export function any(about: string): Field<YamlValue> {
  return new Field({ name: 'any' }, about, (value) => value);
}

/** A field of Bento that has no effect here, so that setting it is refused. */
export function untraced(name: string): Field<unknown> {
  return any(`${name}: there is no tracing in this release.`)
    .check(() => 'is not available in this release: there is no tracing')
    .optional()
    .advanced();
}

function textOf(value: YamlValue, reading: Reading, path: string): string | undefined {
  if (value.kind === 'scalar' && value.value !== null) return String(value.value);
  reading.problem(value.place, `${fieldNameOf(path)} has to be a text`);
  return undefined;
}

function numberOf(value: YamlValue): number | undefined {
  if (value.kind !== 'scalar') return undefined;
  const { value: found } = value;
  if (typeof found === 'number' || typeof found === 'bigint') return Number(found);
  // Variables of the environment are texts.
  return typeof found === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(found) ? Number(found) : undefined;
}
