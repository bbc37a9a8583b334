import { isObject } from '../event-object.ts';
import { castTo } from '../filter/casts.ts';
import type { Field, Literal } from '../filter/tree.ts';

/**
 * Returns the values of a field in an event, as filters see them: texts, numbers, booleans and objects. Empty if the
 * field is missing.
 */
export function valuesOf({ path, cast }: Field, event: unknown): readonly unknown[] {
  let found: unknown[] = [event];
  for (const key of path) {
    const next: unknown[] = [];
    for (const value of found) {
      if (!isObject(value) || !Object.hasOwn(value, key)) continue;
      const inner = value[key];
      // One by one: an array may have more elements than a call may have arguments.
      if (Array.isArray(inner)) for (const element of inner) next.push(element);
      else next.push(inner);
    }
    if (next.length === 0) return next;
    found = next;
  }
  const values = cast === undefined ? found : found.map((value) => castTo(cast, value));
  return values.filter((value) => value !== null);
}

/** The key of objects, and of arrays within arrays, in results. */
const objectKey = '{}';

/** Returns the series of an event: each distinct value once, or `null` if there is none. */
export function groupKeys(values: readonly unknown[]): readonly Literal[] {
  if (values.length === 0) return [null];
  const [first] = values;
  if (values.length === 1) return [literalOf(first)];
  return [...new Set(values.map(literalOf))];
}

export function numbersOf(values: readonly unknown[]): readonly number[] {
  return values.filter((value) => typeof value === 'number');
}

function literalOf(value: unknown): Literal {
  return typeof value === 'object' ? objectKey : (value as Literal);
}
