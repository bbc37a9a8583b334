import { nearestName } from '@weir/core';
import type { ConfigurationProblem } from './configuration-problem.ts';
import { shownKey } from './read-yaml.ts';
import { entryOf, isEmpty, type YamlMapping, type YamlValue } from './yaml-value.ts';

/** The required form of a value in a configuration. */
export type Shape =
  | { readonly kind: 'text'; readonly words?: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'list'; readonly item: Shape; readonly itemsMin: number }
  | { readonly kind: 'mapping'; readonly fields: Fields }
  /** A mapping with fields that only the engine knows. */
  | { readonly kind: 'component' };

export type Field = Shape & { readonly isRequired?: true };
export type Fields = Readonly<Record<string, Field>>;

export const text: Shape = { kind: 'text' };
export const boolean: Shape = { kind: 'boolean' };
export const component: Shape = { kind: 'component' };
export const port: Shape = { kind: 'integer', min: 1, max: 65_535 };
export const count: Shape = { kind: 'integer', min: 1, max: Number.MAX_SAFE_INTEGER };

export function oneOf(...words: readonly string[]): Shape {
  return { kind: 'text', words };
}

export function list(item: Shape, itemsMin = 0): Shape {
  return { kind: 'list', item, itemsMin };
}

export function mapping(fields: Fields): Extract<Shape, { kind: 'mapping' }> {
  return { kind: 'mapping', fields };
}

export function required(shape: Shape): Field {
  return { ...shape, isRequired: true };
}

/** Returns the problems of a value with respect to a shape. */
export function problemsOf(value: YamlValue, shape: Shape, path = ''): ConfigurationProblem[] {
  const wrong = (message: string) => [{ place: value.place, message: withPath(path, message) }];
  switch (shape.kind) {
    case 'component':
      return value.kind === 'mapping' ? [] : wrong('is not a mapping of fields');
    case 'mapping':
      return value.kind === 'mapping'
        ? problemsOfFields(value, shape.fields, path)
        : wrong('is not a mapping of fields');
    case 'list':
      if (value.kind !== 'list') return wrong('is not a list');
      if (value.items.length < shape.itemsMin) return wrong('is an empty list');
      return value.items.flatMap((item, index) => problemsOf(item, shape.item, `${path}[${index}]`));
    case 'text':
      if (value.kind !== 'scalar' || typeof value.value !== 'string') return wrong('is not a text');
      return shape.words === undefined || shape.words.includes(value.value)
        ? []
        : wrong(`is none of ${shape.words.join(', ')}${suggestion(value.value, shape.words)}`);
    case 'boolean':
      return value.kind === 'scalar' && typeof value.value === 'boolean' ? [] : wrong('is not true or false');
    case 'integer':
      return value.kind === 'scalar' && isWithin(value.value, shape)
        ? []
        : wrong(
            shape.max === Number.MAX_SAFE_INTEGER
              ? `is not a whole number of at least ${shape.min}`
              : `is not a whole number from ${shape.min} to ${shape.max}`,
          );
  }
}

function isWithin(value: unknown, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

function problemsOfFields(value: YamlMapping, fields: Fields, path: string): ConfigurationProblem[] {
  const problems: ConfigurationProblem[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (field.isRequired !== true) continue;
    const entry = entryOf(value, name);
    if (entry === undefined)
      problems.push({ place: value.place, message: withPath(joined(path, name), 'is missing') });
    else if (isEmpty(entry.value))
      problems.push({ place: entry.place, message: withPath(joined(path, name), 'is empty') });
  }
  for (const entry of value.entries) {
    const field = Object.hasOwn(fields, entry.key) ? fields[entry.key] : undefined;
    if (field === undefined) {
      const message = withPath(path, `unknown field ${shownKey(entry.key)}; ${hint(entry.key, fields)}`);
      problems.push({ place: entry.place, message });
    } else if (!isEmpty(entry.value)) {
      problems.push(...problemsOf(entry.value, field, joined(path, entry.key)));
    }
  }
  return problems;
}

/** Suggests a field for an unknown one. */
function hint(key: string, fields: Fields): string {
  const known = Object.keys(fields);
  const nearest = nearestName(key, known);
  return nearest === undefined ? `the fields are ${known.join(', ')}` : `did you mean ${nearest}?`;
}

function suggestion(word: string, words: readonly string[]): string {
  const nearest = nearestName(word, words);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function withPath(path: string, message: string): string {
  return path === '' ? message : `${path}: ${message}`;
}
