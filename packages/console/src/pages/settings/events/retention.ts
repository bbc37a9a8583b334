/** A time for which events are kept, as it is typed. */
export interface Retention {
  readonly count: string;
  readonly unit: RetentionUnit;
}

const nanosByUnit = {
  days: 86_400_000_000_000n,
  hours: 3_600_000_000_000n,
  minutes: 60_000_000_000n,
  seconds: 1_000_000_000n,
  nanoseconds: 1n,
} as const;

export type RetentionUnit = keyof typeof nanosByUnit;

export const retentionUnits = Object.keys(nanosByUnit) as readonly RetentionUnit[];

/** In the largest unit of which it is a whole number. */
export function retentionOf(nanos: number | bigint): Retention {
  const all = BigInt(nanos);
  const unit = retentionUnits.find((one) => all % nanosByUnit[one] === 0n)!;
  return { count: String(all / nanosByUnit[unit]), unit };
}

/** The API has it as a 64-bit integer. */
const nanosMax = 2n ** 63n - 1n;

/** `undefined` for what is not a valid time. */
export function nanosOf({ count, unit }: Retention): bigint | undefined {
  if (!/^\d{1,19}$/.test(count.trim())) return undefined;
  const nanos = BigInt(count.trim()) * nanosByUnit[unit];
  return nanos >= 1n && nanos <= nanosMax ? nanos : undefined;
}

export function retentionText({ count, unit }: Retention): string {
  return `${count.trim()} ${count.trim() === '1' ? unit.slice(0, -1) : unit}`;
}
