import { fail } from '../values/mapping-error.ts';
import { Timestamp, type Zone } from '../values/value.ts';
import {
  type CivilTime,
  civilFromSeconds,
  dayNames,
  daysInMonth,
  monthNames,
  padded,
  secondsFromCivil,
  weekdayOf,
  yearDayOf,
} from './civil-time.ts';
import { fixedZone, utcZone } from './zones.ts';

/** Layouts as Go has them: the reference time `Mon Jan 2 15:04:05 MST 2006`, written as times shall look. */
export const rfc3339Nano = '2006-01-02T15:04:05.999999999Z07:00';

/** A part of a layout: text, or a field of the time. */
type Chunk = { readonly text: string } | { readonly field: string };

const fieldsByStart: Readonly<Record<string, readonly string[]>> = {
  J: ['January', 'Jan'],
  M: ['Monday', 'Mon', 'MST'],
  '0': ['002', '01', '02', '03', '04', '05', '06'],
  '1': ['15', '1'],
  '2': ['2006', '2'],
  _: ['__2', '_2'],
  '3': ['3'],
  '4': ['4'],
  '5': ['5'],
  P: ['PM'],
  p: ['pm'],
  '-': ['-07:00:00', '-070000', '-07:00', '-0700', '-07'],
  Z: ['Z07:00:00', 'Z070000', 'Z07:00', 'Z0700', 'Z07'],
};

const chunksByLayout = new Map<string, readonly Chunk[]>();

function chunksOf(layout: string): readonly Chunk[] {
  let chunks = chunksByLayout.get(layout);
  if (chunks === undefined) {
    if (chunksByLayout.size > 500) chunksByLayout.clear();
    chunks = splitLayout(layout);
    chunksByLayout.set(layout, chunks);
  }
  return chunks;
}

function splitLayout(layout: string): Chunk[] {
  const chunks: Chunk[] = [];
  let text = '';
  let at = 0;
  while (at < layout.length) {
    const field = fieldAt(layout, at);
    if (field === undefined) {
      text += layout[at];
      at++;
      continue;
    }
    if (text !== '') chunks.push({ text });
    text = '';
    chunks.push({ field });
    at += field.length;
  }
  if (text !== '') chunks.push({ text });
  return chunks;
}

function fieldAt(layout: string, at: number): string | undefined {
  const first = layout[at]!;
  if (first === '.' || first === ',') return /^[.,](?:0+|9+)(?!\d)/.exec(layout.slice(at))?.[0];
  const field = fieldsByStart[first]?.find((candidate) => layout.startsWith(candidate, at));
  // `Janet` and `Money` are words; `_2006` is an underscore and a year.
  const next = layout[at + 3];
  const isWord = next !== undefined && next >= 'a' && next <= 'z';
  if ((field === 'Jan' || field === 'Mon') && isWord) return undefined;
  if (field === '_2' && layout.startsWith('2006', at + 1)) return undefined;
  return field;
}

export function formatTime(time: Timestamp, layout: string): string {
  const offset = time.zone.offsetSecondsAt(time.unixSeconds);
  const local = time.unixSeconds + offset;
  const civil = civilFromSeconds(local);
  let text = '';
  for (const chunk of chunksOf(layout))
    text += 'text' in chunk ? chunk.text : fieldText(chunk.field, time, civil, local, offset);
  return text;
}

function fieldText(field: string, time: Timestamp, civil: CivilTime, local: number, offset: number): string {
  const { year, month, day, hour, minute, second } = civil;
  const hour12 = hour % 12 === 0 ? 12 : hour % 12;
  switch (field) {
    case '2006':
      return padded(year, 4);
    case '06':
      return padded(((year % 100) + 100) % 100);
    case 'January':
      return monthNames[month - 1]!;
    case 'Jan':
      return monthNames[month - 1]!.slice(0, 3);
    case '1':
      return String(month);
    case '01':
      return padded(month);
    case 'Monday':
      return dayNames[weekdayOf(local)]!;
    case 'Mon':
      return dayNames[weekdayOf(local)]!.slice(0, 3);
    case '2':
      return String(day);
    case '_2':
      return padded(day, 2, ' ');
    case '02':
      return padded(day);
    case '__2':
      return padded(yearDayOf(civil), 3, ' ');
    case '002':
      return padded(yearDayOf(civil), 3);
    case '15':
      return padded(hour);
    case '3':
      return String(hour12);
    case '03':
      return padded(hour12);
    case '4':
      return String(minute);
    case '04':
      return padded(minute);
    case '5':
      return String(second);
    case '05':
      return padded(second);
    case 'PM':
      return hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return hour >= 12 ? 'pm' : 'am';
    case 'MST':
      return time.zone.abbreviationAt(time.unixSeconds) || offsetText('-0700', offset);
  }
  if (field[0] === '.' || field[0] === ',') return fractionText(field, time.nanos);
  return field[0] === 'Z' && offset === 0 ? 'Z' : offsetText(field, offset);
}

function fractionText(field: string, nanos: number): string {
  const digits = padded(nanos, 9)
    .slice(0, field.length - 1)
    .padEnd(field.length - 1, '0');
  if (field[1] === '0') return field[0] + digits;
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '' : field[0] + kept;
}

function offsetText(field: string, offset: number): string {
  const absolute = Math.abs(offset);
  const [hours, minutes, seconds] = [
    Math.floor(absolute / 3600),
    Math.floor(absolute / 60) % 60,
    absolute % 60,
  ];
  const separator = field.includes(':') ? ':' : '';
  let text = `${offset < 0 ? '-' : '+'}${padded(hours)}`;
  if (field.length > 3) text += separator + padded(minutes);
  if (field.replaceAll(':', '').length > 5) text += separator + padded(seconds);
  return text;
}

Timestamp.print = (timestamp) => formatTime(timestamp, rfc3339Nano);

export function parseRfc3339(text: string): Timestamp {
  return parseTime(rfc3339Nano, text);
}

/** What has been read of a time so far. */
interface Reading {
  year: number;
  month: number;
  day: number;
  yearDay: number;
  hour: number;
  minute: number;
  second: number;
  nanos: number;
  isPm: boolean | undefined;
  zone: Zone | undefined;
}

/** Go's `time.Parse`. */
export function parseTime(layout: string, text: string): Timestamp {
  const parser = new TimeParser(layout, text);
  return parser.parse();
}

class TimeParser {
  readonly #layout: string;
  readonly #text: string;
  #rest: string;
  readonly #reading: Reading = {
    year: 0,
    month: -1,
    day: -1,
    yearDay: -1,
    hour: 0,
    minute: 0,
    second: 0,
    nanos: 0,
    isPm: undefined,
    zone: undefined,
  };
  constructor(layout: string, text: string) {
    this.#layout = layout;
    this.#text = text;
    this.#rest = text;
  }

  parse(): Timestamp {
    const chunks = chunksOf(this.#layout);
    chunks.forEach((chunk, index) => {
      if ('text' in chunk) this.#literal(chunk.text);
      else this.#field(chunk.field, chunks[index + 1]);
    });
    if (this.#rest !== '') this.#fail(`: extra text: ${JSON.stringify(this.#rest)}`);
    return this.#timestamp();
  }

  #fail(why: string): never {
    return fail(`parsing time ${JSON.stringify(this.#text.slice(0, 200))}${why}`);
  }

  #cannot(element: string): never {
    return this.#fail(
      ` as ${JSON.stringify(this.#layout)}: cannot parse ${JSON.stringify(this.#rest.slice(0, 200))} as ${JSON.stringify(element)}`,
    );
  }

  #range(what: string): never {
    return this.#fail(`: ${what} out of range`);
  }

  /** Spaces of the layout match any number of spaces. */
  #literal(text: string): void {
    let at = 0;
    for (let index = 0; index < text.length; index++) {
      if (text[index] === ' ') {
        if (at < this.#rest.length && this.#rest[at] !== ' ') this.#cannot(text);
        while (text[index + 1] === ' ') index++;
        while (this.#rest[at] === ' ') at++;
        continue;
      }
      if (this.#rest[at] !== text[index]) this.#cannot(text);
      at++;
    }
    this.#rest = this.#rest.slice(at);
  }

  /** Digits at the start, which are read. */
  #digits(element: string, min: number, max: number): number {
    let count = 0;
    while (count < max && this.#rest[count]! >= '0' && this.#rest[count]! <= '9') count++;
    if (count < min) this.#cannot(element);
    const value = Number(this.#rest.slice(0, count));
    this.#rest = this.#rest.slice(count);
    return value;
  }

  #name(element: string, names: readonly string[], length?: number): number {
    const lower = this.#rest.toLowerCase();
    const index = names.findIndex((name) => lower.startsWith(name.slice(0, length).toLowerCase()));
    if (index < 0) this.#cannot(element);
    this.#rest = this.#rest.slice(names[index]!.slice(0, length).length);
    return index;
  }

  #field(field: string, next: Chunk | undefined): void {
    const reading = this.#reading;
    switch (field) {
      case '2006':
        reading.year = this.#digits(field, 4, 4);
        return;
      case '06': {
        const year = this.#digits(field, 2, 2);
        reading.year = year >= 69 ? year + 1900 : year + 2000;
        return;
      }
      case 'January':
        reading.month = this.#name(field, monthNames) + 1;
        return;
      case 'Jan':
        reading.month = this.#name(field, monthNames, 3) + 1;
        return;
      case '1':
      case '01':
        reading.month = this.#digits(field, field.length, 2);
        if (reading.month < 1 || reading.month > 12) this.#range('month');
        return;
      case 'Monday':
        this.#name(field, dayNames);
        return;
      case 'Mon':
        this.#name(field, dayNames, 3);
        return;
      case '2':
      case '_2':
      case '02':
        if (field === '_2' && this.#rest.startsWith(' ')) this.#rest = this.#rest.slice(1);
        reading.day = this.#digits(field, field === '02' ? 2 : 1, 2);
        return;
      case '002':
      case '__2':
        if (field === '__2') this.#rest = this.#rest.replace(/^ {0,2}/, '');
        reading.yearDay = this.#digits(field, field === '002' ? 3 : 1, 3);
        return;
      case '15':
        reading.hour = this.#digits(field, 1, 2);
        if (reading.hour > 23) this.#range('hour');
        return;
      case '3':
      case '03':
        reading.hour = this.#digits(field, field.length, 2);
        if (reading.hour > 12) this.#range('hour');
        return;
      case '4':
      case '04':
        reading.minute = this.#digits(field, field.length, 2);
        if (reading.minute > 59) this.#range('minute');
        return;
      case '5':
      case '05':
        this.#seconds(field, next);
        return;
      case 'PM':
      case 'pm': {
        const half = this.#rest.slice(0, 2);
        const [pm, am] = field === 'PM' ? ['PM', 'AM'] : ['pm', 'am'];
        if (half !== pm && half !== am) this.#cannot(field);
        reading.isPm = half === pm;
        this.#rest = this.#rest.slice(2);
        return;
      }
      case 'MST':
        this.#zoneName();
        return;
    }
    if (field[0] === '.' || field[0] === ',') this.#fraction(field);
    else this.#offset(field);
  }

  #seconds(field: string, next: Chunk | undefined): void {
    this.#reading.second = this.#digits(field, field.length, 2);
    if (this.#reading.second > 59) this.#range('second');
    // A fraction may follow although the layout has none.
    const hasFraction = next !== undefined && 'field' in next && /^[.,]/.test(next.field);
    if (!hasFraction && /^[.,]\d/.test(this.#rest)) this.#anyFraction();
  }

  #anyFraction(): void {
    const digits = /^[.,](\d+)/.exec(this.#rest)![1]!;
    this.#reading.nanos = Number(digits.slice(0, 9).padEnd(9, '0'));
    this.#rest = this.#rest.slice(digits.length + 1);
  }

  #fraction(field: string): void {
    if (field[1] === '9') {
      if (/^[.,]\d/.test(this.#rest)) this.#anyFraction();
      return;
    }
    const count = field.length - 1;
    const digits = new RegExp(`^[.,](\\d{${count}})`).exec(this.#rest)?.[1];
    if (digits === undefined) throw this.#cannot(field);
    this.#reading.nanos = Number(digits.slice(0, 9).padEnd(9, '0'));
    this.#rest = this.#rest.slice(count + 1);
  }

  #offset(field: string): void {
    if (field[0] === 'Z' && this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      this.#reading.zone = utcZone;
      return;
    }
    const separator = field.includes(':') ? ':' : '';
    const pairs = (field.replaceAll(':', '').length - 1) / 2;
    const pattern = new RegExp(`^([+-])(\\d\\d)${`${separator}(\\d\\d)`.repeat(pairs - 1)}`);
    const found = pattern.exec(this.#rest);
    if (!found) throw this.#cannot(field);
    const [hours, minutes, seconds] = [found[2], found[3] ?? 0, found[4] ?? 0].map(Number) as [
      number,
      number,
      number,
    ];
    if (hours > 24) this.#range('time zone offset hour');
    if (minutes > 60) this.#range('time zone offset minute');
    if (seconds > 60) this.#range('time zone offset second');
    const offset = (hours * 60 + minutes) * 60 + seconds;
    this.#rest = this.#rest.slice(found[0].length);
    const signed = found[1] === '-' ? -offset : offset;
    this.#reading.zone = signed === 0 ? utcZone : fixedZone('', signed);
  }

  #zoneName(): void {
    const found = /^(?:UTC|(?:ChST|MeST)|GMT([+-]\d+)?|[A-Z]{3,5}|[+-]\d{2,4})/.exec(this.#rest);
    if (!found) throw this.#cannot('MST');
    this.#rest = this.#rest.slice(found[0].length);
    if (found[0] === 'UTC') this.#reading.zone = utcZone;
    else this.#reading.zone ??= fixedZone(found[0], found[1] === undefined ? 0 : Number(found[1]) * 3600);
  }

  #timestamp(): Timestamp {
    const reading = this.#reading;
    let { month, day } = reading;
    let { hour } = reading;
    if (reading.isPm === true && hour < 12) hour += 12;
    else if (reading.isPm === false && hour === 12) hour = 0;
    if (reading.yearDay >= 0) {
      const days = daysInMonth(reading.year, 2) === 29 ? 366 : 365;
      if (reading.yearDay < 1 || reading.yearDay > days) this.#range('day-of-year');
      month = 1;
      day = reading.yearDay;
    } else {
      if (month < 0) month = 1;
      if (day < 0) day = 1;
      if (day < 1 || day > daysInMonth(reading.year, month)) this.#range('day');
    }
    const local = secondsFromCivil({ ...reading, month, day, hour });
    const zone = reading.zone ?? utcZone;
    return new Timestamp(local - zone.offsetSecondsAt(local), reading.nanos, zone);
  }
}
