import type * as z from 'zod';

/**
 * JSON with exact integers. Durations in nanoseconds exceed the safe integers of JavaScript after 104 days; other
 * languages read and write them as 64 bits. Here an integer is a number while it is exact and a bigint beyond.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, reviveInteger as (key: string, value: unknown) => unknown);
}

export function printJson(value: unknown): string {
  return JSON.stringify(value, replaceBigint);
}

const integerText = /^-?\d{1,20}$/;

/** Engines without the third argument give the nearest number. */
function reviveInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && integerText.test(source) ? BigInt(source) : value;
}

/** Not in the types of the standard library yet. */
const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };

function replaceBigint(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return rawJSON === undefined ? Number(value) : rawJSON(String(value));
}

/** Parses a text that a program of ours wrote and another party returns; `undefined` if it has another form. */
export function parseJsonAs<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
