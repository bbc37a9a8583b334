/** A number without rounding: `coefficient * 10 ** exponent`, where the coefficient does not end in a zero. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** Reads a number of JSON. Its length and its exponent are limited by the parser. */
export function decimalOf(text: string): Decimal {
  const [, sign, whole, fraction = '', exponentText = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  const digits = (whole! + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return { coefficient: 0n, exponent: 0 };
  return {
    coefficient: BigInt(sign + kept),
    exponent: Number(exponentText) - fraction.length + (digits.length - kept.length),
  };
}

/** Negative, zero or positive, as `left` is less than, equal to or greater than `right`. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const signs = signOf(left) - signOf(right);
  if (signs !== 0 || left.coefficient === 0n) return signs;
  // Different magnitudes are compared without writing out zeros, of which there can be millions.
  const magnitudes = magnitudeOf(left) - magnitudeOf(right);
  if (magnitudes !== 0) return magnitudes * signOf(left);
  const difference =
    left.exponent >= right.exponent
      ? left.coefficient * 10n ** BigInt(left.exponent - right.exponent) - right.coefficient
      : left.coefficient - right.coefficient * 10n ** BigInt(right.exponent - left.exponent);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Whether `value` is an integer times `divisor`, which is not zero. */
export function isMultiple(value: Decimal, divisor: Decimal): boolean {
  if (value.coefficient === 0n) return true;
  const shift = value.exponent - divisor.exponent;
  // The coefficient would have to have a factor 10.
  if (shift < 0) return false;
  const modulus = abs(divisor.coefficient);
  return (value.coefficient * powerOfTen(shift, modulus)) % modulus === 0n;
}

export function isInteger({ exponent }: Decimal): boolean {
  return exponent >= 0;
}

function signOf({ coefficient }: Decimal): number {
  return coefficient < 0n ? -1 : coefficient > 0n ? 1 : 0;
}

/** The exponent of the first digit. */
function magnitudeOf({ coefficient, exponent }: Decimal): number {
  return abs(coefficient).toString().length + exponent;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function powerOfTen(exponent: number, modulus: bigint): bigint {
  let result = 1n;
  let base = 10n;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return result;
}
