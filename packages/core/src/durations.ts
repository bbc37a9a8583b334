/** Durations with units: `300s`, `1h`, `250ms`, `1h30m`. The unit is required; only `0` needs none. */

const msPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Returns milliseconds, or `undefined` if the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/.test(trimmed)) return undefined;
  let totalMs = 0;
  for (const [, whole, fraction = '', unit] of trimmed.matchAll(/(\d+)(?:\.(\d+))?(ms|[smhdw])/g)) {
    // Integer arithmetic, because 1.005 × 1,000 is 1,004.9999999999999 in floating point.
    const scaled = BigInt(whole! + fraction) * BigInt(msPerUnit[unit!]!);
    const scale = 10n ** BigInt(fraction.length);
    // A fraction of a millisecond is a mistake: no timer of the system is that precise.
    if (scaled % scale !== 0n) return undefined;
    totalMs += Number(scaled / scale);
  }
  return Number.isSafeInteger(totalMs) ? totalMs : undefined;
}

const printedUnits: readonly (readonly [name: string, ms: number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** Prints the largest unit up to hours that divides the duration exactly: `300s` is `5m`, `250` is `250ms`. */
export function formatDurationMs(ms: number): string {
  if (ms === 0) return '0s';
  for (const [name, size] of printedUnits) {
    if (ms % size === 0) return `${ms / size}${name}`;
  }
  return `${ms}ms`;
}
