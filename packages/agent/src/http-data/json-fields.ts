import { HttpProblem } from '../http/http-problem.ts';
import type { IntegerBounds } from '../http/json-schema.ts';

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
  const path = pathOf(object, name);
  if (value === undefined && !isRequired) return [];
  if (!Array.isArray(value)) throw problem(path, 'must be a list');
  return value.map((item: unknown, index) => objectOf(item, `${path}[${index}]`));
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

/** Bytes in base64, or null if the field is null or absent. */
export function bytesIn(object: JsonObject, name: string): Buffer | null {
  const value = object.fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !base64Text.test(value))
    throw problem(pathOf(object, name), 'must be base64 or null');
  return Buffer.from(value, 'base64');
}

function pathOf({ path }: JsonObject, name: string): string {
  return path === 'the body' ? name : `${path}.${name}`;
}

function problem(path: string, what: string): HttpProblem {
  return new HttpProblem(400, `${path} ${what}.`);
}
