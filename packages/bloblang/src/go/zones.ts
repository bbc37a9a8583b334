import { fail } from '../values/mapping-error.ts';
import type { Zone } from '../values/value.ts';
import { padded, secondsFromCivil } from './civil-time.ts';

export const utcZone: Zone = { name: 'UTC', offsetSecondsAt: () => 0, abbreviationAt: () => 'UTC' };

/** A zone with one offset, as in a text such as `+02:00`; a name is not needed to print it. */
export function fixedZone(name: string, offsetSeconds: number): Zone {
  return { name, offsetSecondsAt: () => offsetSeconds, abbreviationAt: () => name };
}

const zones = new Map<string, Zone>();
const zonesMax = 1000;

/** A zone of the IANA database by its name. The local zone is UTC, so that results do not depend on the machine. */
export function zoneNamed(name: string): Zone {
  if (name === '' || name === 'UTC' || name === 'Local') return utcZone;
  const known = zones.get(name);
  if (known) return known;
  const zone = zoneOfDatabase(name);
  if (zones.size < zonesMax) zones.set(name, zone);
  return zone;
}

function zoneOfDatabase(name: string): Zone {
  // The runtime also takes offsets and other spellings, which the database does not have.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return unknown(name);
  let clockTimes: Intl.DateTimeFormat;
  let names: Intl.DateTimeFormat;
  try {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
    const rest = { minute: 'numeric', second: 'numeric', hourCycle: 'h23', era: 'short' } as const;
    clockTimes = new Intl.DateTimeFormat('en-US', { timeZone: name, ...fields, ...rest });
    names = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'short' });
  } catch {
    return unknown(name);
  }
  const offsets = new Map<number, number>();
  function offsetSecondsAt(unixSeconds: number): number {
    // No zone changes its offset within a quarter of an hour.
    const quarter = Math.floor(unixSeconds / 900);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      if (offsets.size > 5000) offsets.clear();
      offset = localSeconds(clockTimes, quarter * 900) - quarter * 900;
      offsets.set(quarter, offset);
    }
    return offset;
  }
  return {
    name,
    offsetSecondsAt,
    abbreviationAt(unixSeconds) {
      const offset = offsetSecondsAt(unixSeconds);
      const parts = names.formatToParts(unixSeconds * 1000);
      const short = parts.find(({ type }) => type === 'timeZoneName')!.value;
      if (/^[A-Z]{2,5}$/.test(short)) return short;
      return abbreviations(name)?.[offset] ?? offsetName(offset);
    },
  };
}

function unknown(name: string): never {
  return fail(`failed to parse timezone location name: unknown time zone ${name}`);
}

function localSeconds(format: Intl.DateTimeFormat, unixSeconds: number): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(unixSeconds * 1000)) parts[type] = value;
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
  return secondsFromCivil({
    year,
    month: Number(parts.month),
    day: Number(parts.day),
    hour: Number(parts.hour),
    minute: Number(parts.minute),
    second: Number(parts.second),
  });
}

function offsetName(offset: number): string {
  const minutes = Math.abs(offset) / 60;
  const text = `${offset < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60))}`;
  return minutes % 60 === 0 ? text : `${text}${padded(minutes % 60)}`;
}

/** The runtime knows abbreviations of American zones only. */
const abbreviationsByZone: readonly (readonly [pattern: RegExp, names: Readonly<Record<number, string>>])[] =
  [
    [/^Europe\/(London|Belfast|Jersey|Guernsey|Isle_of_Man)$/, { 0: 'GMT', 3600: 'BST' }],
    [/^Europe\/Dublin$/, { 0: 'GMT', 3600: 'IST' }],
    [/^(Europe\/Lisbon|Atlantic\/(Madeira|Canary|Faroe))$/, { 0: 'WET', 3600: 'WEST' }],
    [
      /^Europe\/(Athens|Helsinki|Kiev|Kyiv|Bucharest|Sofia|Riga|Tallinn|Vilnius|Chisinau|Mariehamn)$/,
      { 7200: 'EET', 10800: 'EEST' },
    ],
    [/^Europe\/(Moscow|Simferopol)$/, { 10800: 'MSK' }],
    [
      /^Europe\/(?!Istanbul|Minsk|Samara|Saratov|Ulyanovsk|Volgograd|Astrakhan|Kaliningrad)/,
      { 3600: 'CET', 7200: 'CEST' },
    ],
    [/^Africa\/(Cairo|Tripoli)$/, { 7200: 'EET', 10800: 'EEST' }],
    [/^Africa\/(Johannesburg|Maseru|Mbabane)$/, { 7200: 'SAST' }],
    [/^Africa\/(Lagos|Luanda|Kinshasa|Douala|Libreville)$/, { 3600: 'WAT' }],
    [/^Africa\/(Nairobi|Addis_Ababa|Kampala|Dar_es_Salaam)$/, { 10800: 'EAT' }],
    [/^Asia\/(Kolkata|Calcutta)$/, { 19800: 'IST' }],
    [/^Asia\/Tokyo$/, { 32400: 'JST' }],
    [/^Asia\/Seoul$/, { 32400: 'KST' }],
    [/^Asia\/(Shanghai|Taipei|Macau)$/, { 28800: 'CST' }],
    [/^Asia\/Hong_Kong$/, { 28800: 'HKT' }],
    [/^Asia\/Jakarta$/, { 25200: 'WIB' }],
    [/^Asia\/Manila$/, { 28800: 'PST' }],
    [/^Asia\/Karachi$/, { 18000: 'PKT' }],
    [/^Asia\/(Jerusalem|Tel_Aviv)$/, { 7200: 'IST', 10800: 'IDT' }],
    [/^Australia\/(Sydney|Melbourne|Hobart|Brisbane|Canberra)$/, { 36000: 'AEST', 39600: 'AEDT' }],
    [/^Australia\/(Adelaide|Darwin)$/, { 34200: 'ACST', 37800: 'ACDT' }],
    [/^Australia\/Perth$/, { 28800: 'AWST' }],
    [/^Pacific\/Auckland$/, { 43200: 'NZST', 46800: 'NZDT' }],
  ];

function abbreviations(name: string): Readonly<Record<number, string>> | undefined {
  return abbreviationsByZone.find(([pattern]) => pattern.test(name))?.[1];
}
