/** Days and microseconds since 1970 as texts, for any year; JavaScript's `Date` ends in the year 275760. */
import { InvalidTable } from '../table-errors.ts';

export const microsPerDay = 86_400_000_000n;
export const microsPerHour = 3_600_000_000n;

/** Rounds down, also below 0. */
export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

const daysPerEra = 146_097;

/** The date of a day, in the proleptic Gregorian calendar; years begin in March, so that leap days are last. */
export function civilDate(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / daysPerEra);
  const dayOfEra = shifted - era * daysPerEra;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

export function daysOf({ year, month, day }: CivilDate): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * daysPerEra + dayOfEra - 719_468;
}

/** `2017-11-16`; years outside of 0 to 9999 have a sign. */
export function dateText(days: number): string {
  const { year, month, day } = civilDate(days);
  return `${yearText(year)}-${pad(month)}-${pad(day)}`;
}

export function yearText(year: number): string {
  const digits = String(Math.abs(year)).padStart(4, '0');
  return year < 0 ? `-${digits}` : year > 9999 ? `+${digits}` : digits;
}

function pad(number: number, digits = 2): string {
  return String(number).padStart(digits, '0');
}

/** `22:31:08.123456`, without the fraction if it is 0. */
export function timeText(micros: bigint): string {
  const seconds = Number(micros / 1_000_000n);
  const fraction = Number(micros % 1_000_000n);
  const text = `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
  return fraction === 0 ? text : `${text}.${pad(fraction, 6)}`;
}

export function timestampText(micros: bigint): string {
  const days = floorDivide(micros, microsPerDay);
  return `${dateText(Number(days))}T${timeText(micros - days * microsPerDay)}`;
}

const datePattern = /^([+-]?\d{4,9})-(\d\d)-(\d\d)$/;
const timePattern = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?$/;

export function parseDate(text: string): number {
  const [, year, month, day] = datePattern.exec(text) ?? [];
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const days = year === undefined ? undefined : daysOf(date);
  if (days === undefined || dateText(days).replace('+', '') !== text.replace('+', ''))
    throw new InvalidTable(`"${text.slice(0, 50)}" is no date; such as 2017-11-16`);
  return days;
}

export function parseTime(text: string): bigint {
  const [, hour, minute, second = '0', fraction = ''] = timePattern.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    throw new InvalidTable(`"${text.slice(0, 50)}" is no time; such as 22:31:08.123456`);
  const seconds = BigInt(Number(hour) * 3600 + Number(minute) * 60 + Number(second));
  return seconds * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

export function parseTimestamp(text: string): bigint {
  const [date, time, ...rest] = text.split('T');
  if (time === undefined || rest.length > 0)
    throw new InvalidTable(`"${text.slice(0, 50)}" is no timestamp; such as 2017-11-16T22:31:08.123456`);
  return BigInt(parseDate(date!)) * microsPerDay + parseTime(time);
}
