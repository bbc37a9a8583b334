/** Messages whose JSON is not an object with their fields. */
export const wrapperTypes: ReadonlySet<string> = new Set([
  'google.protobuf.DoubleValue',
  'google.protobuf.FloatValue',
  'google.protobuf.Int64Value',
  'google.protobuf.UInt64Value',
  'google.protobuf.Int32Value',
  'google.protobuf.UInt32Value',
  'google.protobuf.BoolValue',
  'google.protobuf.StringValue',
  'google.protobuf.BytesValue',
]);

/** In an `Any` their JSON is under `value`. */
export const isSpecialInAny = (fullName: string | undefined): boolean =>
  fullName !== undefined && (wrapperTypes.has(fullName) || specialTypes.has(fullName));

const specialTypes: ReadonlySet<string> = new Set([
  'google.protobuf.Any',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
  'google.protobuf.FieldMask',
  'google.protobuf.Struct',
  'google.protobuf.Value',
  'google.protobuf.ListValue',
]);

const secondsMin = -62_135_596_800n;
const secondsMax = 253_402_300_799n;
const durationSecondsMax = 315_576_000_000n;

const fraction = (nanos: number): string => {
  if (nanos === 0) return '';
  const digits = String(nanos).padStart(9, '0');
  return `.${digits.replace(/(?:000){1,2}$/, '')}`;
};

/** A point in time as RFC 3339, or `undefined` if it is out of range. */
export const timestampText = (seconds: bigint, nanos: number): string | undefined => {
  if (seconds < secondsMin || seconds > secondsMax || nanos < 0 || nanos > 999_999_999) return undefined;
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', `${fraction(nanos)}Z`);
};

const timestampPattern =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

export const parseTimestamp = (text: string): { seconds: bigint; nanos: number } | undefined => {
  const match = timestampPattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, digits = '', sign, offsetHour, offsetMinute] = match;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(at)) return undefined;
  const offset = sign === undefined ? 0 : (Number(offsetHour) * 60 + Number(offsetMinute)) * 60;
  const seconds = BigInt(at / 1000 - (sign === '-' ? -offset : offset));
  if (seconds < secondsMin || seconds > secondsMax) return undefined;
  return { seconds, nanos: Number(digits.padEnd(9, '0')) };
};

/** A span of time in seconds with an `s`, or `undefined` if it is out of range. */
export const durationText = (seconds: bigint, nanos: number): string | undefined => {
  const isOutside = seconds > durationSecondsMax || seconds < -durationSecondsMax;
  if (isOutside || Math.abs(nanos) > 999_999_999) return undefined;
  if ((seconds > 0n && nanos < 0) || (seconds < 0n && nanos > 0)) return undefined;
  const sign = seconds < 0n || nanos < 0 ? '-' : '';
  return `${sign}${seconds < 0n ? -seconds : seconds}${fraction(Math.abs(nanos))}s`;
};

export const parseDuration = (text: string): { seconds: bigint; nanos: number } | undefined => {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole, digits = ''] = match;
  const seconds = BigInt(whole!);
  if (seconds > durationSecondsMax) return undefined;
  const nanos = Number(digits.padEnd(9, '0'));
  return sign === '-' ? { seconds: -seconds, nanos: 0 - nanos } : { seconds, nanos };
};

/** Paths of a field mask are in camel case in JSON; `undefined` if one cannot be read back. */
export const maskText = (paths: readonly string[]): string | undefined => {
  const camel = paths.map((path) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  const isReversible = camel.every((path, at) => snakeCase(path) === paths[at]);
  return isReversible ? camel.join(',') : undefined;
};

export const parseMask = (text: string): string[] | undefined => {
  if (text === '') return [];
  if (text.includes('_')) return undefined;
  return text.split(',').map(snakeCase);
};

const snakeCase = (path: string): string => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
