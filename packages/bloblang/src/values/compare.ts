import { bloblangLimits } from '../limits.ts';
import { LimitError } from './mapping-error.ts';
import { asFloat, isNumber } from './numbers.ts';
import { Bytes, isObject, Timestamp, type Value } from './value.ts';

/** The text of what compares as a string. */
export function comparableText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Bytes) return value.buffer.toString('utf8');
  if (value instanceof Timestamp) return Timestamp.print(value);
  return undefined;
}

/** Counts steps of a run. */
interface Work {
  step(count: number): void;
}

/** Literals are as large as the mapping, so comparing them counts nothing. */
export const uncounted: Work = { step() {} };

/** Whether values are equal, where the right one is read as the type of the left one. */
export function isEqual(left: Value, right: Value, work: Work, depth = 0): boolean {
  if (depth > bloblangLimits.valueDepthMax)
    throw new LimitError('the values are nested too deeply to be compared');
  if (left === null) return right === null;
  const text = comparableText(left);
  if (text !== undefined) return text === comparableText(right);
  if (isNumber(left)) return isNumber(right) && isEqualNumber(left, right);
  if (typeof left === 'boolean') {
    if (typeof right === 'boolean') return left === right;
    return isNumber(right) && left === (asFloat(right) !== 0);
  }
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    work.step(left.length);
    return left.every((value, index) => isEqual(value, right[index]!, work, depth + 1));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  work.step(keys.length);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) =>
    isEqual(left[key]!, Object.hasOwn(right, key) ? right[key]! : null, work, depth + 1),
  );
}

/** Go compares numbers of deep values as floats. */
function isEqualNumber(left: (Value & object) | number | bigint, right: Value): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left === right;
  return asFloat(left as number) === asFloat(right as number);
}
