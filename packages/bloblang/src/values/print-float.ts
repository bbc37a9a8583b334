/**
 * The shortest text of a float64, as Go's `%g`: with an exponent if it is below -4 or at least `exponentMin`, which is
 * 6 for `strconv.FormatFloat` and 21 for `%v`.
 */
export function printFloat(value: number, exponentMin = 6): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  const digits = mantissa.replace('-', '').replace('.', '');
  if (exponent < -4 || exponent >= exponentMin) {
    const sign = exponent < 0 ? '-' : '+';
    return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (exponent < 0) return `${value < 0 ? '-' : ''}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const text = digits.padEnd(exponent + 1, '0');
  const fraction = text.slice(exponent + 1);
  return `${value < 0 ? '-' : ''}${text.slice(0, exponent + 1)}${fraction === '' ? '' : `.${fraction}`}`;
}
