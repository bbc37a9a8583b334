import { parseGoDurationMs } from '../component/go-duration.ts';

/** When something happens next, after a time in milliseconds since 1970; `undefined` if never. */
export type Schedule = (afterMs: number) => number | undefined;

interface CronFields {
  readonly seconds: ReadonlySet<number>;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Whether a day has to be both one of the month and one of the week; otherwise either is enough. */
  readonly needsBothDays: boolean;
}

/** A time as a clock on a wall shows it. */
interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const charsMax = 200;
const yearsAhead = 5;

/** Reads `30 4 * * *`, also with seconds, `@daily` and `@every 1s`, each after `TZ=Europe/London ` or in UTC. */
export function parseSchedule(text: string): Schedule | undefined {
  if (text.length > charsMax) return undefined;
  const [, zone = 'UTC', rest = ''] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/s.exec(text.trim()) ?? [];
  const every = /^@every\s+(\S+)$/.exec(rest)?.[1];
  if (every !== undefined) {
    const everyMs = parseGoDurationMs(every);
    if (everyMs === undefined || everyMs <= 0) return undefined;
    const roundedMs = Math.max(1000, Math.floor(everyMs / 1000) * 1000);
    return (afterMs) => Math.floor(afterMs / 1000) * 1000 + roundedMs;
  }
  const wall = wallOf(zone);
  const fields = cronFields(descriptors[rest] ?? rest);
  return wall && fields && ((afterMs) => nextTime(fields, wall, afterMs));
}

function cronFields(text: string): CronFields | undefined {
  const given = text.trim().split(/\s+/);
  const all = given.length === 5 ? ['0', ...given] : given;
  if (all.length !== 6) return undefined;
  const [second, minute, hour, day, month, weekday] = all as [string, string, string, string, string, string];
  const fields = {
    seconds: valuesOf(second, 0, 59),
    minutes: valuesOf(minute, 0, 59),
    hours: valuesOf(hour, 0, 23),
    days: valuesOf(day, 1, 31),
    months: valuesOf(month, 1, 12, monthNames),
    weekdays: valuesOf(weekday, 0, 6, dayNames),
  };
  if (Object.values(fields).includes(undefined)) return undefined;
  return { ...(fields as CronFields), needsBothDays: /^[*?]/.test(day) || /^[*?]/.test(weekday) };
}

/** The values of a field: lists of `*`, `5`, `1-5`, each with `/3` for every third. */
function valuesOf(
  text: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  const numberOf = (part: string): number => {
    const named = names.indexOf(part.toLowerCase());
    return named >= 0 ? named + min : /^\d{1,2}$/.test(part) ? Number(part) : Number.NaN;
  };
  for (const item of text.split(',')) {
    const [range = '', stepText, more] = item.split('/');
    const step = stepText === undefined ? 1 : /^\d{1,2}$/.test(stepText) ? Number(stepText) : 0;
    const [firstText = '', lastText, extra] = range.split('-');
    const isAny = firstText === '*' || firstText === '?';
    const first = isAny ? min : numberOf(firstText);
    const last = lastText !== undefined ? numberOf(lastText) : isAny || stepText !== undefined ? max : first;
    const isValid = step > 0 && first >= min && last <= max && first <= last;
    if (!isValid || more !== undefined || extra !== undefined) return undefined;
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return values;
}

type Wall = (ms: number) => WallTime;

function wallOf(zone: string): Wall | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone === 'Local' ? 'UTC' : zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    return (ms) => {
      const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
      return {
        year: parts.get('year')!,
        month: parts.get('month')!,
        day: parts.get('day')!,
        hour: parts.get('hour')!,
        minute: parts.get('minute')!,
        second: parts.get('second')!,
      };
    };
  } catch {
    return undefined;
  }
}

/** Goes from one time to the next that could fit, so that it takes few steps and knows hours that are left out. */
function nextTime(fields: CronFields, wall: Wall, afterMs: number): number | undefined {
  let ms = Math.floor(afterMs / 1000) * 1000 + 1000;
  const yearMax = wall(ms).year + yearsAhead;
  for (;;) {
    const time = wall(ms);
    if (time.year > yearMax) return undefined;
    if (!fields.months.has(time.month)) ms = startOfDay(wall, ms, time.year, time.month + 1, 1);
    else if (!isDay(fields, time)) ms = startOfDay(wall, ms, time.year, time.month, time.day + 1);
    else if (!fields.hours.has(time.hour)) ms += ((59 - time.minute) * 60 + (60 - time.second)) * 1000;
    else if (!fields.minutes.has(time.minute)) ms += (60 - time.second) * 1000;
    else if (!fields.seconds.has(time.second)) ms += 1000;
    else return ms;
  }
}

function isDay({ days, weekdays, needsBothDays }: CronFields, { year, month, day }: WallTime): boolean {
  const isOfMonth = days.has(day);
  const isOfWeek = weekdays.has(new Date(Date.UTC(year, month - 1, day)).getUTCDay());
  return needsBothDays ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
}

/** The first time of a day, which is not midnight where clocks are changed then; always after `ms`. */
function startOfDay(wall: Wall, ms: number, year: number, month: number, day: number): number {
  const dayMs = Date.UTC(year, month - 1, day);
  const shown = wall(dayMs);
  const offsetMs =
    Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute, shown.second) - dayMs;
  let startMs = Math.max(ms + 1000, dayMs - offsetMs - hourMs);
  // The offset may be another one at that time, and by an hour at most.
  while (isBeforeDay(wall(startMs), dayMs)) startMs += quarterMs - (startMs % quarterMs);
  return startMs;
}

function isBeforeDay({ year, month, day }: WallTime, dayMs: number): boolean {
  return Date.UTC(year, month - 1, day) < dayMs;
}

const hourMs = 3_600_000;
const quarterMs = 900_000;
