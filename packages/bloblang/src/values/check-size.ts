import { bloblangLimits } from '../limits.ts';
import { LimitError } from './mapping-error.ts';
import type { Value } from './value.ts';

/** Values of a result, where parts that occur twice count twice; a few bytes of memory could stand for endless text. */
const valuesMax = bloblangLimits.builtBytesMax / 8;

/** Throws if a result is too large, or nested too deeply, to be passed on. */
export function checkSize(value: Value): void {
  count(value, 0, 0);
}

function count(value: Value, before: number, depth: number): number {
  let total = before + 1;
  if (typeof value !== 'object' || value === null) return total;
  if (depth > bloblangLimits.valueDepthMax) throw new LimitError('the result is nested too deeply');
  if (total > valuesMax)
    throw new LimitError(`the result has more than ${valuesMax} values; make it smaller`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) total = count(value[index]!, total, depth + 1);
    return total;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return total;
  const object = value as { readonly [key: string]: Value };
  for (const key in object) total = count(object[key]!, total, depth + 1);
  return total;
}
