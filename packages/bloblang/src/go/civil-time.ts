/** A date and time of day without a zone, of the Gregorian calendar. */
export interface CivilTime {
  readonly year: number;
  /** From 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const daySeconds = 86_400;

/** Days since 1970-01-01; months and days outside their range count on. */
function daysFromCivil(year: number, month: number, day: number): number {
  const months = year * 12 + (month - 1);
  const y0 = Math.floor(months / 12);
  const m = months - y0 * 12 + 1;
  const y = m <= 2 ? y0 - 1 : y0;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (m + (m > 2 ? -3 : 9)) + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468 + (day - 1);
}

export function secondsFromCivil({ year, month, day, hour, minute, second }: CivilTime): number {
  return daysFromCivil(year, month, day) * daySeconds + hour * 3600 + minute * 60 + second;
}

export function civilFromSeconds(seconds: number): CivilTime {
  const days = Math.floor(seconds / daySeconds);
  const rest = seconds - days * daySeconds;
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return {
    year,
    month,
    day,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: rest % 60,
  };
}

/** From 0 for Sunday. */
export function weekdayOf(seconds: number): number {
  return (((Math.floor(seconds / daySeconds) + 4) % 7) + 7) % 7;
}

/** From 1 for 1 January. */
export function yearDayOf({ year, month, day }: CivilTime): number {
  return daysFromCivil(year, month, day) - daysFromCivil(year, 1, 1) + 1;
}

export function daysInMonth(year: number, month: number): number {
  return daysFromCivil(year, month + 1, 1) - daysFromCivil(year, month, 1);
}

/** Week and year of ISO 8601. */
export function isoWeekOf(seconds: number): { year: number; week: number } {
  const days = Math.floor(seconds / daySeconds);
  const thursday = days - ((weekdayOf(seconds) + 6) % 7) + 3;
  const { year } = civilFromSeconds(thursday * daySeconds);
  return { year, week: Math.floor((thursday - daysFromCivil(year, 1, 1)) / 7) + 1 };
}

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

export const dayNames = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

export const padded = (value: number, length = 2, fill = '0'): string =>
  value < 0 ? `-${String(-value).padStart(length, fill)}` : String(value).padStart(length, fill);
