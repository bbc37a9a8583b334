/** Calendar days and local times, in any time zone. */

const minuteMs = 60_000;
const dayMs = 86_400_000;

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Whether it is a calendar day such as `2026-11-15`, from 1970 on. */
export function isDay(text: string): boolean {
  if (!/^(?:19[7-9]\d|2\d{3})-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** `09:30`, `09:30:15`, and `24:00` for the end of the day. */
export function isTimeOfDay(text: string): boolean {
  return /^(?:(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?|24:00)$/.test(text);
}

/** Returns the local day of a timestamp. */
export function dayAt(ms: number, timeZone: string): string {
  return new Date(shownMs(ms, timeZone)).toISOString().slice(0, 10);
}

export function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - dayMs).toISOString().slice(0, 10);
}

/**
 * Returns the timestamp of a local time. A local time that occurs twice is the first of the two; one that is skipped is
 * shifted by the length of the gap, so that a day without midnight begins at its first moment.
 */
export function wallTimeMs(day: string, time: string, timeZone: string): number {
  const [hours, minutes, seconds = 0] = time.split(':').map(Number) as [number, number, number?];
  const wantedMs = Date.parse(`${day}T00:00:00Z`) + (hours * 60 + minutes) * minuteMs + seconds * 1000;
  // No zone changes its clocks twice within two days.
  const beforeMs = wantedMs - offsetMs(wantedMs - dayMs, timeZone);
  const afterMs = wantedMs - offsetMs(wantedMs + dayMs, timeZone);
  const shown = [beforeMs, afterMs].filter((ms) => shownMs(ms, timeZone) === wantedMs);
  return shown.length === 0 ? beforeMs : Math.min(...shown);
}

function offsetMs(ms: number, timeZone: string): number {
  return shownMs(ms, timeZone) - ms;
}

/** Returns the local time as if it were UTC, in whole seconds. */
function shownMs(ms: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
}
