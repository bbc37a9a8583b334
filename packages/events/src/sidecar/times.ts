import type { Stripe } from './format.ts';

type TimeEncoding = Stripe['timeEncoding'];

const integerArrays = { int8: Int8Array, int16: Int16Array, int32: Int32Array } as const;
const integerLimits = { int8: 2 ** 7, int16: 2 ** 15, int32: 2 ** 31 } as const;

/**
 * Encodes times as differences, in the narrowest integers that hold them. Events are nearly in order, so most
 * differences are small.
 */
export function encodeTimes(
  timesMs: Float64Array,
  minTimeMs: number,
): { readonly timeEncoding: TimeEncoding; readonly bytes: Uint8Array } {
  let widest = 0;
  let areIntegers = true;
  let before = minTimeMs;
  for (const timeMs of timesMs) {
    const difference = timeMs - before;
    areIntegers &&= Number.isSafeInteger(difference);
    widest = Math.max(widest, Math.abs(difference));
    before = timeMs;
  }
  const timeEncoding = (['int8', 'int16', 'int32'] as const).find(
    (name) => areIntegers && widest < integerLimits[name],
  );
  if (timeEncoding === undefined)
    return { timeEncoding: 'float64', bytes: new Uint8Array(Float64Array.from(timesMs).buffer) };
  const differences = new integerArrays[timeEncoding](timesMs.length);
  before = minTimeMs;
  for (let row = 0; row < timesMs.length; row++) {
    differences[row] = timesMs[row]! - before;
    before = timesMs[row]!;
  }
  return { timeEncoding, bytes: new Uint8Array(differences.buffer) };
}

export function decodeTimes(
  bytes: Uint8Array<ArrayBuffer>,
  { timeEncoding, rows, minTimeMs }: Pick<Stripe, 'timeEncoding' | 'rows' | 'minTimeMs'>,
): Float64Array {
  if (timeEncoding === 'float64') return new Float64Array(bytes.buffer, bytes.byteOffset, rows);
  const differences = new integerArrays[timeEncoding](bytes.buffer, bytes.byteOffset, rows);
  const timesMs = new Float64Array(rows);
  let timeMs = minTimeMs;
  for (let row = 0; row < rows; row++) {
    timeMs += differences[row]!;
    timesMs[row] = timeMs;
  }
  return timesMs;
}
