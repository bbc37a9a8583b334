import type { IntegerBounds } from '@weir/http';
import { HttpProblem } from '@weir/http';
import type { Base64Memory } from './base64-memory.ts';

/** An object of a JSON body whose fields are read by name. `path` is for messages: `topics[0].partitions[2]`. */
export interface JsonObject {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly path: string;
}

const base64Text = /^[A-Za-z0-9+/_-]*={0,2}$/;

export function objectOf(value: unknown, path = 'the body'): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw problem(path, 'must be an object');
  return { fields: value as Record<string, unknown>, path };
}

/** The objects of a list. An absent list is empty unless it is required. */
export function objectsIn(
  object: JsonObject,
  name: string,
  { isRequired = true } = {},
): readonly JsonObject[] {
  const value = object.fields[name];
  if (value === undefined && !isRequired) return [];
  const path = pathOf(object, name);
  if (!Array.isArray(value)) throw problem(path, 'must be a list');
  return value.map((item: unknown, index) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw problem(`${path}[${index}]`, 'must be an object');
    return new ListedObject(item as Record<string, unknown>, path, index);
  });
}

/** An object of a list. Its path is made when a message needs it, as one of a hundred thousand does. */
class ListedObject implements JsonObject {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly #listPath: string;
  readonly #index: number;

  constructor(fields: Readonly<Record<string, unknown>>, listPath: string, index: number) {
    this.fields = fields;
    this.#listPath = listPath;
    this.#index = index;
  }

  get path(): string {
    return `${this.#listPath}[${this.#index}]`;
  }
}

export function textIn(object: JsonObject, name: string): string {
  const value = object.fields[name];
  if (typeof value !== 'string') throw problem(pathOf(object, name), 'must be a text');
  return value;
}

/** An integer between bounds, or the default if it is absent. */
export function integerIn(object: JsonObject, name: string, { min, max, absent }: IntegerBounds): number {
  const value = object.fields[name] ?? absent;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max)
    throw problem(pathOf(object, name), `must be an integer from ${min} to ${max}`);
  return value;
}

/** Bytes in base64, or null if the field is null or absent. They share memory with others of `memory`. */
export function bytesIn(object: JsonObject, name: string, memory: Base64Memory): Buffer | null {
  const value = object.fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') {
    const bytes = memory.decode(value);
    if (bytes.length === bytesInBase64(value) || base64Text.test(value)) return bytes;
  }
  throw problem(pathOf(object, name), 'must be base64 or null');
}

/**
 * The bytes of base64 of this length. The decoder skips what is no base64, so that it returns fewer if there is any,
 * which is found sooner than by a pattern. Of one digit too many nothing is known: -1.
 */
function bytesInBase64(text: string): number {
  let digits = text.length;
  for (let padding = 0; padding < 2 && text.endsWith('=', digits); padding++) digits--;
  return digits % 4 === 1 ? -1 : Math.floor((digits * 3) / 4);
}

function pathOf({ path }: JsonObject, name: string): string {
  return path === 'the body' ? name : `${path}.${name}`;
}

function problem(path: string, what: string): HttpProblem {
  return new HttpProblem(400, `${path} ${what}.`);
}
