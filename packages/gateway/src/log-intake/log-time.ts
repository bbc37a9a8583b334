/** The latest time that 64 bits can hold, in the year 2554. */
const timeNsMax = 2n ** 64n - 1n;
const wholeNumber = /^\d{1,20}$/;
const decimalNumber = /^\d{1,20}\.\d{1,9}$/;
const isoTime =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9})\d*)? ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/** Numbers below these are seconds, milliseconds and microseconds; others are nanoseconds. */
const units = [
  { below: 1e11, ns: 1e9 },
  { below: 1e14, ns: 1e6 },
  { below: 1e17, ns: 1e3 },
] as const;

/** A time that a shipper gave as a number or a text, whatever its unit; undefined if it is none. */
export function timeIn(value: unknown): bigint | undefined {
  if (typeof value === 'number') return ofNumber(value);
  if (typeof value !== 'string') return undefined;
  if (wholeNumber.test(value)) return ofWhole(value);
  if (decimalNumber.test(value)) return ofNumber(Number(value));
  return ofIso(value);
}

/** A count of nanoseconds as a text or number; undefined if it is none. */
export function nanosecondsIn(value: unknown): bigint | undefined {
  if (typeof value === 'string' && wholeNumber.test(value)) return bounded(BigInt(value));
  if (typeof value === 'number' && Number.isInteger(value)) return bounded(BigInt(value));
  return undefined;
}

function ofWhole(text: string): bigint | undefined {
  const unit = units.find(({ below }) => Number(text) < below);
  return bounded(BigInt(text) * BigInt(unit?.ns ?? 1));
}

function ofNumber(value: number): bigint | undefined {
  if (!Number.isFinite(value)) return undefined;
  const { ns } = units.find(({ below }) => value < below) ?? { ns: 1 };
  // A double holds microseconds of our time; more digits would be noise.
  return ns >= 1e3 ? bounded(BigInt(Math.round(value * (ns / 1e3))) * 1_000n) : bounded(BigInt(value));
}

/** Without a zone, a time is UTC: the zone of the agent says nothing about that of the logs. */
function ofIso(text: string): bigint | undefined {
  const [, day, time, fraction = '', zone = 'Z'] = isoTime.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time}${offsetOf(zone)}`);
  if (Number.isNaN(ms)) return undefined;
  return bounded(BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0')));
}

function offsetOf(zone: string): string {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
}

function bounded(timeNs: bigint): bigint | undefined {
  return timeNs > 0n && timeNs <= timeNsMax ? timeNs : undefined;
}
