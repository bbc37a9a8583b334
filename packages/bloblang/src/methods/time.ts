import { civilFromSeconds, secondsFromCivil } from '../go/civil-time.ts';
import { getString, getTimestamp } from '../go/coerce.ts';
import { type Period, parseDuration, parsePeriod, periodNanos } from '../go/durations.ts';
import { formatStrftime, parseStrptime } from '../go/strftime.ts';
import { formatTime, parseTime, rfc3339Nano } from '../go/time-layout.ts';
import { zoneNamed } from '../go/zones.ts';
import { type MethodBody, type MethodSpec, optional, param, withDefault } from '../runtime/spec.ts';
import { intValue } from '../values/numbers.ts';
import { Timestamp, type Value } from '../values/value.ts';

const category = 'timestamps';
const second = 1_000_000_000n;

const nanosOf = ({ unixSeconds, nanos }: Timestamp): bigint => BigInt(unixSeconds) * second + BigInt(nanos);

function timestampOf(nanos: bigint, like: Timestamp): Timestamp {
  const rest = ((nanos % second) + second) % second;
  return new Timestamp(Number((nanos - rest) / second), Number(rest), like.zone);
}

const onTime =
  (body: (time: Timestamp) => Value): MethodBody =>
  (value) =>
    body(getTimestamp(value));

/** Seconds from year 1 to 1970, from which times are rounded. */
const yearOneSeconds = 62_135_596_800n;

/** To the nearest multiple, halves up, counted from year 1. */
function rounded(time: Timestamp, duration: bigint): Timestamp {
  if (duration <= 0n) return time;
  const nanos = nanosOf(time);
  const rest = (((nanos + yearOneSeconds * second) % duration) + duration) % duration;
  return timestampOf(rest + rest < duration ? nanos - rest : nanos + duration - rest, time);
}

/** Adds years, months and days of the calendar, then the rest. */
function added(time: Timestamp, period: Period, direction: 1 | -1): Timestamp {
  const sign = period.sign * direction;
  const { hours, minutes, seconds } = period;
  const clock = BigInt(Math.round(sign * (hours * 3600e9 + minutes * 60e9 + seconds * 1e9)));
  const { years, months, weeks, days } = period;
  if (years === 0 && months === 0 && weeks === 0 && days === 0)
    return timestampOf(nanosOf(time) + clock, time);
  const offset = time.zone.offsetSecondsAt(time.unixSeconds);
  const civil = civilFromSeconds(time.unixSeconds + offset);
  const local = secondsFromCivil({
    ...civil,
    year: civil.year + sign * Math.trunc(years),
    month: civil.month + sign * Math.trunc(months),
    day: civil.day + sign * Math.trunc(weeks * 7 + days),
  });
  const guess = local - time.zone.offsetSecondsAt(local - offset);
  return timestampOf(nanosOf(new Timestamp(guess, time.nanos, time.zone)) + clock, time);
}

const modifying =
  (direction: 1 | -1): NonNullable<MethodSpec['make']> =>
  (args) => {
    const period = parsePeriod(args.string('duration'));
    return onTime((time) => added(time, period, direction));
  };

/** In the zone of the argument, if there is one. */
const inZone = (time: Timestamp, zone: string | undefined): Timestamp =>
  zone === undefined ? time : new Timestamp(time.unixSeconds, time.nanos, zoneNamed(zone));

function formatting(print: (time: Timestamp, format: string) => string): NonNullable<MethodSpec['make']> {
  return (args) => {
    const [format, zone] = [args.string('format'), args.optionalString('tz')];
    if (zone !== undefined) zoneNamed(zone);
    return onTime((time) => print(inZone(time, zone), format));
  };
}

/** The deprecated names yield texts. */
function parsing(
  parse: (text: string, format: string) => Timestamp,
  yieldsText: boolean,
): NonNullable<MethodSpec['make']> {
  return (args) => {
    const format = args.string('format');
    return (value) => {
      const time = parse(getString(value), format);
      return yieldsText ? formatTime(time, rfc3339Nano) : time;
    };
  };
}

const units: Readonly<Record<string, { readonly nanos: bigint; readonly doc: string }>> = {
  '': { nanos: second, doc: 'seconds' },
  _milli: { nanos: 1_000_000n, doc: 'milliseconds' },
  _micro: { nanos: 1000n, doc: 'microseconds' },
  _nano: { nanos: 1n, doc: 'nanoseconds' },
};

function floorDivided(value: bigint, divisor: bigint): bigint {
  const rest = ((value % divisor) + divisor) % divisor;
  return (value - rest) / divisor;
}

const formatParams = [withDefault(param.string('format'), rfc3339Nano), optional(param.string('tz'))];
const strftimeParams = [param.string('format'), optional(param.string('tz'))];
const formatParam = [param.string('format')];
const parseGo = (text: string, format: string) => parseTime(format, text);

const methods: readonly MethodSpec[] = [
  {
    name: 'parse_duration',
    category,
    doc: 'Reads a duration such as 1h30m and yields nanoseconds.',
    params: [],
    make: () => (value) => intValue(parseDuration(getString(value))),
  },
  {
    name: 'parse_duration_iso8601',
    category,
    doc: 'Reads a duration of ISO 8601 such as P1DT2H and yields nanoseconds; months and years are averages.',
    params: [],
    make: () => (value) => intValue(periodNanos(parsePeriod(getString(value)))),
  },
  {
    name: 'ts_add_iso8601',
    category,
    doc: 'Adds a period of ISO 8601 to a timestamp.',
    params: [param.string('duration')],
    make: modifying(1),
  },
  {
    name: 'ts_sub_iso8601',
    category,
    doc: 'Subtracts a period of ISO 8601 from a timestamp.',
    params: [param.string('duration')],
    make: modifying(-1),
  },
  {
    name: 'ts_round',
    category,
    doc: 'Rounds a timestamp to a multiple of nanoseconds.',
    params: [param.integer('duration')],
    make: (args) => onTime((time) => rounded(time, args.bigint('duration'))),
  },
  {
    name: 'ts_sub',
    category,
    doc: 'Yields the nanoseconds between two timestamps.',
    params: [param.timestamp('t2')],
    make: (args) => onTime((time) => intValue(nanosOf(time) - nanosOf(args.timestamp('t2')))),
  },
  {
    name: 'ts_tz',
    category,
    doc: 'Yields the timestamp in another time zone.',
    params: [param.string('tz')],
    make: (args) => {
      const zone = args.string('tz');
      zoneNamed(zone);
      return onTime((time) => inZone(time, zone));
    },
  },
  {
    name: 'ts_format',
    category,
    doc: 'Prints a timestamp by a layout of Go, or as RFC 3339.',
    params: formatParams,
    make: formatting(formatTime),
  },
  {
    name: 'format_timestamp',
    category,
    status: 'deprecated',
    doc: 'Is `ts_format`.',
    params: formatParams,
    make: formatting(formatTime),
  },
  {
    name: 'ts_strftime',
    category,
    doc: 'Prints a timestamp by a format of strftime.',
    params: strftimeParams,
    make: formatting(formatStrftime),
  },
  {
    name: 'format_timestamp_strftime',
    category,
    status: 'deprecated',
    doc: 'Is `ts_strftime`.',
    params: strftimeParams,
    make: formatting(formatStrftime),
  },
  {
    name: 'ts_parse',
    category,
    doc: 'Reads a timestamp by a layout of Go.',
    params: formatParam,
    make: parsing(parseGo, false),
  },
  {
    name: 'parse_timestamp',
    category,
    status: 'deprecated',
    doc: 'Is `ts_parse`, but yields a text of RFC 3339.',
    params: formatParam,
    make: parsing(parseGo, true),
  },
  {
    name: 'ts_strptime',
    category,
    doc: 'Reads a timestamp by a format of strptime.',
    params: formatParam,
    make: parsing(parseStrptime, false),
  },
  {
    name: 'parse_timestamp_strptime',
    category,
    status: 'deprecated',
    doc: 'Is `ts_strptime`, but yields a text of RFC 3339.',
    params: formatParam,
    make: parsing(parseStrptime, true),
  },
  ...Object.entries(units).flatMap(([suffix, { nanos, doc }]): MethodSpec[] => {
    const make = () => onTime((time) => intValue(floorDivided(nanosOf(time), nanos)));
    const name = `ts_unix${suffix}`;
    return [
      { name, category, doc: `Yields the ${doc} of a timestamp since 1970.`, params: [], make },
      {
        name: `format_timestamp_unix${suffix}`,
        category,
        status: 'deprecated',
        doc: `Is \`${name}\`.`,
        params: [],
        make,
      },
    ];
  }),
];

export const timeMethods: readonly MethodSpec[] = methods.map((method) => ({ ...method, isFolded: true }));
