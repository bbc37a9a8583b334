/**
 * Byte counts as people write them: `64MiB`, `16MB`, `512`, `1.5GiB`.
 *
 * Decimal units (`MB`) are powers of 1000 and binary units (`MiB`) powers of 1024, as in the SI and IEC standards.
 */

export const KiB = 1024;
export const MiB = 1024 * KiB;
export const GiB = 1024 * MiB;
export const TiB = 1024 * GiB;

const bytesPerUnit: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: KiB,
  mib: MiB,
  gib: GiB,
  tib: TiB,
};

/** Returns the number of bytes, or `undefined` when the text is not a byte count. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  if (match === null) return undefined;
  const unit = bytesPerUnit[match[2]!.toLowerCase()];
  if (unit === undefined) return undefined;
  const bytes = Number(match[1]) * unit;
  // Half a byte is a mistake, and so is a count that a double cannot hold exactly.
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

/** Prints the largest unit that divides the count exactly, so that `parseBytes(formatBytes(n)) === n`. */
export function formatBytes(bytes: number): string {
  for (const [name, size] of printedUnits) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${name}`;
  }
  return String(bytes);
}
