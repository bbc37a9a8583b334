/** Points in time from texts, by looking at characters: patterns would take a fifth of the time of a row. */

const zero = 0x30;

/** A number of so many digits; NaN if there is anything else. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let end = at + count; at < end; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days since 1970 of `2017-11-16` at a place of a text; NaN if it is no date. */
function daysAt(text: string, at: number): number {
  const year = digits(text, at, 4);
  const month = digits(text, at + 5, 2);
  const day = digits(text, at + 8, 2);
  if (text.charCodeAt(at + 4) !== 0x2d || text.charCodeAt(at + 7) !== 0x2d) return Number.NaN;
  if (!(month >= 1 && month <= 12 && day >= 1)) return Number.NaN;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day > (month === 2 && isLeap ? 29 : monthDays[month - 1]!)) return Number.NaN;
  // Years begin in March, so that leap days are last.
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  );
}

/** Days since 1970 of `2017-11-16`. */
export function parseDays(text: string): number | undefined {
  const days = text.length === 10 ? daysAt(text, 0) : Number.NaN;
  return Number.isNaN(days) ? undefined : days;
}

/** Where the last time that was read ends, and its microseconds below a second. */
let timeEnd = 0;
let timeMicros = 0;

/** Seconds since midnight of `22:31:08.123456` at a place of a text; digits beyond microseconds are cut. */
function secondsAt(text: string, at: number): number {
  const hour = digits(text, at, 2);
  const minute = digits(text, at + 3, 2);
  const second = digits(text, at + 6, 2);
  if (text.charCodeAt(at + 2) !== 0x3a || text.charCodeAt(at + 5) !== 0x3a) return Number.NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  let end = at + 8;
  timeMicros = 0;
  if (text.charCodeAt(end) === 0x2e) {
    end++;
    const first = end;
    for (
      let digit = text.charCodeAt(end) - zero;
      digit >= 0 && digit <= 9;
      digit = text.charCodeAt(end) - zero
    ) {
      if (end - first < 6) timeMicros = timeMicros * 10 + digit;
      end++;
    }
    if (end === first) return Number.NaN;
    for (let count = end - first; count < 6; count++) timeMicros *= 10;
  }
  timeEnd = end;
  return hour * 3600 + minute * 60 + second;
}

/** Microseconds since midnight of `22:31:08.123456`, also with the `Z` of RFC 3339. */
export function parseTimeMicros(text: string): bigint | undefined {
  const seconds = secondsAt(text, 0);
  const isWhole = timeEnd === text.length || (timeEnd === text.length - 1 && /[Zz]$/.test(text));
  return Number.isNaN(seconds) || !isWhole ? undefined : BigInt(seconds * 1_000_000 + timeMicros);
}

/**
 * `2017-11-16T22:31:08.123456+01:00`, also with a space instead of the `T`. `other-zone` is a text that has an offset
 * and should not, or the other way round.
 */
export function parseTimestampMicros(
  text: string,
  isZoned: boolean,
  start = 0,
  end = text.length,
): bigint | 'other-zone' | undefined {
  // Shorter ones could go on behind their end.
  if (end - start < 19) return undefined;
  const days = daysAt(text, start);
  const separator = text.charCodeAt(start + 10);
  if (separator !== 0x54 && separator !== 0x74 && separator !== 0x20) return undefined;
  let seconds = secondsAt(text, start + 11);
  if (Number.isNaN(days) || Number.isNaN(seconds)) return undefined;
  const micros = timeMicros;
  const sign = text.charCodeAt(timeEnd);
  let hasZone = true;
  if (timeEnd === end) hasZone = false;
  else if (sign === 0x5a || sign === 0x7a) {
    if (end !== timeEnd + 1) return undefined;
  } else {
    if ((sign !== 0x2b && sign !== 0x2d) || end !== timeEnd + 6) return undefined;
    const hours = digits(text, timeEnd + 1, 2);
    const minutes = digits(text, timeEnd + 4, 2);
    if (text.charCodeAt(timeEnd + 3) !== 0x3a || !(hours <= 23 && minutes <= 59)) return undefined;
    const offset = hours * 3600 + minutes * 60;
    seconds -= sign === 0x2b ? offset : -offset;
  }
  return hasZone === isZoned ? microsOf(days * 86_400 + seconds, micros) : 'other-zone';
}

/** Within these seconds, microseconds are safe integers. */
const safeSeconds = 9_000_000_000;

export function microsOf(seconds: number, micros: number): bigint {
  if (seconds > -safeSeconds && seconds < safeSeconds) return BigInt(seconds * 1_000_000 + micros);
  return BigInt(seconds) * 1_000_000n + BigInt(micros);
}

/** `2017-11-16` */
export function daysText(days: number): string {
  return isoText(days * 86_400_000)?.slice(0, 10) ?? String(days);
}

/** `22:31:08.123456` */
export function timeOfDayText(micros: number): string {
  return (
    new Date(Math.floor(micros / 1000)).toISOString().slice(11, 23) + String(micros % 1000).padStart(3, '0')
  );
}

/** `2017-11-16T22:31:08.123456Z`; the digits where the calendar of texts ends. */
export function timestampText(micros: bigint, hasZone: boolean): string {
  const below = ((micros % 1000n) + 1000n) % 1000n;
  const text = isoText(Number((micros - below) / 1000n));
  if (text === undefined) return String(micros);
  return `${text.slice(0, -1)}${String(below).padStart(3, '0')}${hasZone ? 'Z' : ''}`;
}

/** Of the years that have four digits. */
function isoText(ms: number): string | undefined {
  return ms >= -62_167_219_200_000 && ms <= 253_402_300_799_999 ? new Date(ms).toISOString() : undefined;
}
