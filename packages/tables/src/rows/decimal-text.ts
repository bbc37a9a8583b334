/** Decimals from texts, exactly. */

const decimalPattern = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;
/** Longer texts are no decimals of a table; making integers of them takes more than their length. */
const charsMax = 1000;
const exponentMax = 1000;

type DecimalProblem = 'no-number' | 'too-large' | 'too-fine';

/** The unscaled value of a text: `12.5` with a scale of 2 is 1250. Nothing is rounded. */
export function unscaledOf(text: string, precision: number, scale: number): bigint | DecimalProblem {
  if (text.length > charsMax) return /^[+-]?[\d.eE+-]+$/.test(text) ? 'too-large' : 'no-number';
  const [, sign, whole, fraction = '', exponentText = '0'] = decimalPattern.exec(text) ?? [];
  if (whole === undefined) return 'no-number';
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '');
  if (digits === '0' || /^0*$/.test(digits)) return 0n;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > exponentMax) return exponent > 0 ? 'too-large' : 'too-fine';
  /** How many zeros the digits need, or have to end with, to be the unscaled value. */
  const shift = scale - fraction.length + exponent;
  let unscaled = digits;
  if (shift >= 0) {
    if (digits.length + shift > precision) return 'too-large';
    unscaled += '0'.repeat(shift);
  } else {
    const cut = digits.slice(shift);
    if (digits.length <= -shift || /[1-9]/.test(cut)) return 'too-fine';
    unscaled = digits.slice(0, shift);
    if (unscaled.length > precision) return 'too-large';
  }
  const value = BigInt(unscaled);
  return sign === '-' ? -value : value;
}

/** The text of an unscaled value: 1250 with a scale of 2 is `12.50`. */
export function decimalText(unscaled: bigint, scale: number): string {
  if (scale === 0) return String(unscaled);
  const isNegative = unscaled < 0n;
  const digits = String(isNegative ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${isNegative ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
