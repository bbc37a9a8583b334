/**
 * JSON with exact integers. Ids of snapshots are 63-bit numbers, which `JSON.parse` would round: integers that a
 * `number` cannot hold are read as `bigint`, and every `bigint` is written as digits.
 */
import { brokenBound } from '@weir/core';
import { icebergLimits } from '../limits.ts';
import { InvalidTable } from '../table-errors.ts';

export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

const integer = /^-?\d+$/;

// The type of the third parameter is not in every version of the compiler's library.
type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

const exactIntegers: SourceReviver = (_key, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && integer.test(source)
    ? BigInt(source)
    : value;

/** Parses a text; `what` names it in errors. */
export function parseJson(text: string, what: string): Json {
  const bound = brokenBound(text, {
    depthMax: icebergLimits.tableMetadataDepthMax,
    valuesMax: icebergLimits.tableMetadataValuesMax,
  });
  if (bound !== undefined)
    throw new InvalidTable(`${what}: JSON with too many ${bound === 'depthMax' ? 'levels' : 'values'}`);
  try {
    return JSON.parse(text, exactIntegers as (key: string, value: unknown) => unknown) as Json;
  } catch (error) {
    throw new InvalidTable(`${what}: not JSON (${(error as Error).message})`, { cause: error });
  }
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** Prints a value. Keys whose value is `undefined` are left out. */
export function printJson(value: Json): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'bigint' ? rawJson(String(one)) : one,
  );
}
