/** Durations as people write them: `300s`, `1h`, `250ms`, `1h30m`. The unit is always written; only `0` needs none. */

const msPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Returns milliseconds, or `undefined` when the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+$/.test(trimmed)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) {
    totalMs += Number(amount) * msPerUnit[unit!]!;
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
