/** Numbers, bytes and times as people read them. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function formatCount(value: number): string {
  return whole.format(value);
}

/** `1 topic`, `1,200 topics`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1.2K`, for places where the exact number is in the title. */
export function formatShort(value: number): string {
  return Math.abs(value) < 10_000 ? formatRounded(value) : short.format(value);
}

export function formatRounded(value: number): string {
  if (Number.isInteger(value)) return whole.format(value);
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 });
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < byteUnits.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 })} ${byteUnits[unit]}`;
}

const durationUnits = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** `3 d 4 h`, `12 min`, `340 ms`: at most two units. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  const index = durationUnits.findIndex(([unitMs]) => durationMs >= unitMs);
  const [unitMs, name] = durationUnits[index]!;
  const count = Math.floor(durationMs / unitMs);
  const next = durationUnits[index + 1];
  const rest = next === undefined ? 0 : Math.floor((durationMs - count * unitMs) / next[0]);
  return rest === 0 ? `${count} ${name}` : `${count} ${name} ${rest} ${next![1]}`;
}

/** `3 min ago`; times ahead of the clock of the page are `now`. */
export function formatAgo(timeMs: number, nowMs: number): string {
  const ageMs = nowMs - timeMs;
  return ageMs < 1_000 ? 'now' : `${formatDuration(ageMs).replace(/ \d+ \w+$/, '')} ago`;
}

type TimeZoneChoice = 'local' | 'utc';

/** `2026-02-07 19:02:11.204`, and in the title of the element with its zone. */
export function formatTime(time: string | number, zone: TimeZoneChoice, withMs = false): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return String(time);
  const shifted = zone === 'utc' ? at : new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  const text = shifted.toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, withMs ? 23 : 19)}`;
}
