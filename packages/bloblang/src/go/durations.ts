import { fail } from '../values/mapping-error.ts';

const nanosByUnit: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** Go's `time.ParseDuration`, in nanoseconds. */
export function parseDuration(text: string): bigint {
  const shown = JSON.stringify(text.slice(0, 200));
  const invalid = (): never => fail(`time: invalid duration ${shown}`);
  const sign = text.startsWith('-') ? -1n : 1n;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0n;
  if (rest === '') return invalid();
  let total = 0n;
  while (rest !== '') {
    const found = /^(\d*)(?:\.(\d*))?([^\d.]*)/.exec(rest)!;
    const [whole, fraction = '', unit] = [found[1]!, found[2], found[3]!];
    if (whole === '' && fraction === '') return invalid();
    if (unit === '') return fail(`time: missing unit in duration ${shown}`);
    const nanos = nanosByUnit[unit];
    if (nanos === undefined) return fail(`time: unknown unit ${JSON.stringify(unit)} in duration ${shown}`);
    total += BigInt(whole === '' ? 0 : whole) * BigInt(nanos);
    if (fraction !== '')
      total += (BigInt(fraction.slice(0, 18)) * BigInt(nanos)) / 10n ** BigInt(Math.min(18, fraction.length));
    if (total > 2n ** 63n) return invalid();
    rest = rest.slice(found[0].length);
  }
  return sign * total;
}

/** A period of ISO 8601, whose years and months have no fixed length. */
export interface Period {
  readonly sign: 1 | -1;
  readonly years: number;
  readonly months: number;
  readonly weeks: number;
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

const number = '(\\d+(?:[.,]\\d+)?)';
const periodPattern = new RegExp(
  `^([+-]?)P(?:${number}Y)?(?:${number}M)?(?:${number}W)?(?:${number}D)?(?:T(?:${number}H)?(?:${number}M)?(?:${number}S)?)?$`,
);

export function parsePeriod(text: string): Period {
  const found = periodPattern.exec(text);
  const isEmpty = found?.slice(2).every((part) => part === undefined);
  if (!found || (isEmpty && text !== 'P0') || text.endsWith('T')) {
    if (text === '0' || text === 'P0')
      return { sign: 1, years: 0, months: 0, weeks: 0, days: 0, hours: 0, minutes: 0, seconds: 0 };
    return fail(`${text.slice(0, 200)}: expected a period of ISO 8601 such as P3DT4H`);
  }
  const part = (index: number): number => Number((found[index] ?? '0').replace(',', '.'));
  return {
    sign: found[1] === '-' ? -1 : 1,
    years: part(2),
    months: part(3),
    weeks: part(4),
    days: part(5),
    hours: part(6),
    minutes: part(7),
    seconds: part(8),
  };
}

const dayNanos = 86_400e9;

/** Nanoseconds of a period with years and months of average length. */
export function periodNanos({ sign, years, months, weeks, days, hours, minutes, seconds }: Period): bigint {
  const calendar = years * 365.2425 + months * 30.436875 + weeks * 7 + days;
  const nanos = calendar * dayNanos + hours * 3600e9 + minutes * 60e9 + seconds * 1e9;
  return BigInt(sign) * BigInt(Math.round(nanos));
}
