import { isObject } from '../event-object.ts';
import { castTo } from '../filter/casts.ts';
import type { Field, Literal } from '../filter/tree.ts';

/** The values that a field has in an event, as filters see them: texts, numbers, truth values, and objects. None if it is missing. */
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

/** What stands for objects, and for arrays within arrays, where values are told. */
const objectKey = '{}';

/** The series that an event belongs to: each of the values once, or none of them as `null`. */
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
