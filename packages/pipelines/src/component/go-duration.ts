const msPerUnit: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const charsMax = 64;

/** Reads a duration as Go does: `-1.5h`, `300ms`, `1m30s`, `.5s`. Returns milliseconds, `undefined` if it is none. */
export function parseGoDurationMs(text: string): number | undefined {
  const isNegative = text.startsWith('-');
  const amount = text.replace(/^[-+]/, '');
  if (amount === '0') return 0;
  if (amount.length > charsMax || !/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(amount))
    return undefined;
  let totalMs = 0;
  for (const [, number, unit] of amount.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g))
    totalMs += Number(number) * msPerUnit[unit!]!;
  return isNegative ? -totalMs : totalMs;
}
