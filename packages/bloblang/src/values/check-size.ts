import { bloblangLimits } from '../limits.ts';
import { LimitError } from './mapping-error.ts';
import { Bytes, type Value } from './value.ts';

/** Values of a result, where parts that occur twice count twice; a few bytes of memory could stand for endless text. */
const valuesMax = bloblangLimits.builtBytesMax / 8;

/** Whether the value that is looked at has only what JSON has; a number for each level would cost more. */
let isPlain = true;

/**
 * Throws if a result is too large, or nested too deeply, to be passed on. Returns whether it has only what JSON has, so
 * that it is the same after it was printed and parsed.
 */
export function checkSize(value: Value): boolean {
  isPlain = true;
  count(value, 0, 0);
  return isPlain;
}

function count(value: Value, before: number, depth: number): number {
  let total = before + 1;
  if (typeof value === 'string') total += value.length >>> 3;
  else if (value instanceof Bytes) total += value.buffer.length >>> 3;
  else if (value === 0 && Object.is(value, -0)) isPlain = false;
  if (total > valuesMax)
    throw new LimitError(`the result has more than ${valuesMax} values, or texts as large; make it smaller`);
  if (typeof value !== 'object' || value === null) return total;
  if (depth > bloblangLimits.valueDepthMax) throw new LimitError('the result is nested too deeply');
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) total = count(value[index]!, total, depth + 1);
    return total;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    isPlain = false;
    return total;
  }
  const object = value as { readonly [key: string]: Value };
  for (const key in object) total = count(object[key]!, total + (key.length >>> 3), depth + 1);
  return total;
}

/** What a run pays with. */
export interface Payment {
  step(count: number): void;
  build(bytes: number): void;
}

/** Charges all values and texts of a value before it is printed; parts that occur twice are printed twice. */
export function chargeTree(value: Value, payment: Payment, stepsPerValue: number, depth = 0): void {
  if (depth > bloblangLimits.valueDepthMax)
    throw new LimitError('the value is nested too deeply to be printed');
  payment.step(stepsPerValue);
  if (typeof value === 'string') payment.build(value.length);
  // Bytes are printed as numbers.
  else if (value instanceof Bytes) payment.build(4 * value.buffer.length);
  else payment.build(8);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) chargeTree(element, payment, stepsPerValue, depth + 1);
    return;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return;
  for (const [key, inner] of Object.entries(value as { readonly [key: string]: Value })) {
    payment.build(key.length);
    chargeTree(inner, payment, stepsPerValue, depth + 1);
  }
}
