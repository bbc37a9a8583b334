import { parseBytes } from './bytes.ts';

/** Units of configs whose values are numbers, and the same values as people write and read them. */

export const configUnits = ['ms', 'seconds', 'minutes', 'nanoseconds', 'bytes'] as const;

export type ConfigUnit = (typeof configUnits)[number];

type TimeUnit = Exclude<ConfigUnit, 'bytes'>;

const nanosecondsOf: Readonly<Record<TimeUnit, bigint>> = {
  ms: 1_000_000n,
  seconds: 1_000_000_000n,
  minutes: 60_000_000_000n,
  nanoseconds: 1n,
};

const timeWords: readonly (readonly [nanoseconds: bigint, name: string, others: readonly string[]])[] = [
  [86_400_000_000_000n, 'd', ['day', 'days']],
  [3_600_000_000_000n, 'h', ['hour', 'hours', 'hr', 'hrs']],
  [60_000_000_000n, 'min', ['m', 'minute', 'minutes', 'mins']],
  [1_000_000_000n, 's', ['sec', 'secs', 'second', 'seconds']],
  [1_000_000n, 'ms', ['millisecond', 'milliseconds']],
  [1_000n, 'µs', ['us']],
  [1n, 'ns', ['nanosecond', 'nanoseconds']],
];

const nanosecondsOfWord = new Map<string, bigint>([
  ...timeWords.flatMap(([nanoseconds, name, others]) =>
    [name, ...others].map((word) => [word, nanoseconds] as const),
  ),
  ['w', 604_800_000_000_000n],
  ['week', 604_800_000_000_000n],
  ['weeks', 604_800_000_000_000n],
]);

/** Longer texts are no amounts. */
const amountCharsMax = 100;

/**
 * Returns the number that a config stores for what a person typed: `7d` is `604800000` in milliseconds, `512 MiB` is
 * `536870912`. Plain numbers are already in the unit. Returns `undefined` for what is neither.
 */
export function parseAmount(text: string, unit: ConfigUnit): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > amountCharsMax) return undefined;
  if (/^[+-]?\d+$/.test(trimmed)) return trimmed;
  if (/^unlimited$/i.test(trimmed)) return '-1';
  return unit === 'bytes' ? parseBytes(trimmed)?.toString() : parseTime(trimmed, unit);
}

function parseTime(text: string, unit: TimeUnit): string | undefined {
  if (!/^(?:\d+(?:\.\d{1,9})?\s*[a-zµ]+\s*)+$/i.test(text)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', word = ''] of text.matchAll(/(\d+)(?:\.(\d+))?\s*([a-zµ]+)/gi)) {
    const nanoseconds = nanosecondsOfWord.get(word.toLowerCase());
    if (nanoseconds === undefined) return undefined;
    const scaled = BigInt(whole + fraction) * nanoseconds;
    const scale = 10n ** BigInt(fraction.length);
    if (scaled % scale !== 0n) return undefined;
    total += scaled / scale;
  }
  // A part of a unit is a mistake: `1.5 ms` of a config in milliseconds.
  return total % nanosecondsOf[unit] === 0n ? String(total / nanosecondsOf[unit]) : undefined;
}

const byteWords = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** The last value of a 64-bit integer stands for "never", and so do those that are almost there. */
const endless = 2n ** 53n;

/**
 * Returns the number as people read it, without rounding: `604800000` in milliseconds is `7 d`, `1073741824` bytes are
 * `1 GiB`. `parseAmount` reads it back, except for `unlimited`. Texts that are no numbers stay.
 */
export function formatAmount(text: string, unit: ConfigUnit): string {
  if (!/^-?\d{1,19}$/.test(text)) return text;
  const amount = BigInt(text);
  if (amount === -1n || (amount >= endless && unit !== 'nanoseconds')) return 'unlimited';
  if (amount < 0n) return text;
  return unit === 'bytes' ? formatByteAmount(amount) : formatTime(amount * nanosecondsOf[unit], unit);
}

function formatTime(nanoseconds: bigint, unit: TimeUnit): string {
  let left = nanoseconds;
  const parts: string[] = [];
  for (const [size, name] of timeWords) {
    if (left >= size) parts.push(`${left / size} ${name}`);
    left %= size;
  }
  if (parts.length > 0) return parts.join(' ');
  return `0 ${timeWords.find(([size]) => size === nanosecondsOf[unit])![1]}`;
}

/** In the largest unit that needs at most two decimals, which are exact. */
function formatByteAmount(bytes: bigint): string {
  for (let unit = byteWords.length - 1; unit > 0; unit--) {
    const size = 1024n ** BigInt(unit);
    if (bytes < size) continue;
    const hundredths = (bytes * 100n) / size;
    if (hundredths * size === bytes * 100n) return `${Number(hundredths) / 100} ${byteWords[unit]}`;
  }
  return `${bytes} B`;
}
