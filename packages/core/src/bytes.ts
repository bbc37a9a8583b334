/**
 * Byte counts with units: `64MiB`, `16MB`, `512`, `1.5GiB`.
 *
 * Decimal units (`MB`) are powers of 1000 and binary units (`MiB`) powers of 1024, as in the SI and IEC standards.
 */

export const KiB = 1024;
export const MiB = 1024 * KiB;
export const GiB = 1024 * MiB;
export const TiB = 1024 * GiB;

const bytesPerUnit: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
  ['kib', KiB],
  ['mib', MiB],
  ['gib', GiB],
  ['tib', TiB],
]);

/** Returns the number of bytes, or `undefined` if the text is not a byte count. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+)(?:\.(\d+))?\s*([a-z]*)$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = '', fraction = '', name = ''] = match;
  const unit = bytesPerUnit.get(name.toLowerCase());
  if (unit === undefined) return undefined;
  // Integer arithmetic, because 8.2 × 1,000,000 is 8,199,999.999999999 in floating point.
  const scaled = BigInt(whole + fraction) * BigInt(unit);
  const scale = 10n ** BigInt(fraction.length);
  // Half a byte is a mistake, and so is a count that a double cannot represent exactly.
  if (scaled % scale !== 0n) return undefined;
  const bytes = Number(scaled / scale);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const printedUnits: readonly (readonly [name: string, bytes: number])[] = [
  ['TiB', TiB],
  ['GiB', GiB],
  ['MiB', MiB],
  ['KiB', KiB],
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];

/**
 * Prints the unit that divides the count exactly with the smallest number: 16,000,000 is `16MB`, not `15625KiB`.
 * `parseBytes` reads the result back.
 */
export function formatBytes(bytes: number): string {
  let shortest = { amount: bytes, name: '' };
  for (const [name, size] of printedUnits) {
    const amount = bytes / size;
    if (amount >= 1 && bytes % size === 0 && amount < shortest.amount) shortest = { amount, name };
  }
  return `${shortest.amount}${shortest.name}`;
}
