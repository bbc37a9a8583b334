import { getFloat, intIfItFits, toFloat, toInt, toIntOf, toUint, toUintOf } from '../go/coerce.ts';
import { type MethodBody, type MethodSpec, param } from '../runtime/spec.ts';
import { wrongType } from '../values/mapping-error.ts';
import {
  asFloat,
  asInt,
  floatValue,
  int64,
  intValue,
  isFloat,
  isNumber,
  uintValue,
} from '../values/numbers.ts';
import type { Float, Value } from '../values/value.ts';

const category = 'numbers';

function numberOf(value: Value): number | bigint | Float {
  if (!isNumber(value)) throw wrongType(value, 'number');
  return value;
}

/** Rounds floats; integers stay. */
function rounding(round: (value: number) => number): MethodBody {
  return (value) => {
    const number = numberOf(value);
    return isFloat(number) ? intIfItFits(round(asFloat(number))) : number;
  };
}

/** Half away from zero. */
const roundHalfAway = (value: number): number =>
  Math.abs(value) >= 2 ** 52
    ? value
    : Math.sign(value) * Math.floor(Math.abs(value) + 0.5 - (isJustBelowHalf(value) ? 1 : 0));

/** The largest number below one half would become one by adding one half. */
const isJustBelowHalf = (value: number): boolean => Math.abs(value) === 0.49999999999999994;

const functionOf =
  (compute: (value: number) => number): MethodBody =>
  (value) =>
    floatValue(compute(asFloat(numberOf(value))));

const absolute: MethodBody = (value) => {
  const number = numberOf(value);
  if (isFloat(number)) return floatValue(Math.abs(asFloat(number)));
  const integer = asInt(number);
  if (integer === int64.min) return uintValue(int64.max);
  return intValue(integer < 0n ? -integer : integer);
};

/** The shortest decimal number that is the same float32. */
function float32Of(value: number): number {
  const float32 = Math.fround(value);
  for (let digits = 1; digits < 10; digits++) {
    const shorter = Number(float32.toPrecision(digits));
    if (Math.fround(shorter) === float32) return shorter;
  }
  return float32;
}

const plain = (name: string, doc: string, body: MethodBody): MethodSpec => ({
  name,
  category,
  doc,
  params: [],
  make: () => body,
});

export const numberMethods: readonly MethodSpec[] = [
  plain('abs', 'Yields the absolute value.', absolute),
  plain('ceil', 'Rounds up.', rounding(Math.ceil)),
  plain('floor', 'Rounds down.', rounding(Math.floor)),
  plain('round', 'Rounds to the nearest integer, halves away from zero.', rounding(roundHalfAway)),
  plain('log', 'Yields the natural logarithm.', functionOf(Math.log)),
  plain('log10', 'Yields the decimal logarithm.', functionOf(Math.log10)),
  plain('sin', 'Yields the sine of an angle in radians.', (value) => floatValue(Math.sin(getFloat(value)))),
  plain('cos', 'Yields the cosine of an angle in radians.', (value) => floatValue(Math.cos(getFloat(value)))),
  plain('tan', 'Yields the tangent of an angle in radians.', (value) =>
    floatValue(Math.tan(getFloat(value))),
  ),
  {
    name: 'pow',
    category,
    doc: 'Yields the number to the power of the argument.',
    params: [param.float('exponent')],
    make: (args) => {
      const exponent = args.float('exponent');
      return (value) => floatValue(getFloat(value) ** exponent);
    },
  },
  plain('float32', 'Reads a 32-bit float.', (value) => floatValue(float32Of(toFloat(value)))),
  plain('float64', 'Reads a 64-bit float.', (value) => floatValue(toFloat(value))),
  plain('int64', 'Reads a 64-bit integer; fails if it has decimals or does not fit.', (value) =>
    intValue(toInt(value)),
  ),
  plain('uint64', 'Reads an unsigned 64-bit integer; fails if it has decimals or does not fit.', (value) =>
    uintValue(toUint(value)),
  ),
  ...[8, 16, 32].flatMap((bits) => [
    plain(`int${bits}`, `Reads a ${bits}-bit integer; fails if it has decimals or does not fit.`, (value) =>
      toIntOf(value, bits),
    ),
    plain(
      `uint${bits}`,
      `Reads an unsigned ${bits}-bit integer; fails if it has decimals or does not fit.`,
      (value) => toUintOf(value, bits),
    ),
  ]),
];
