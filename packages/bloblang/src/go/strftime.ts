import { fail } from '../values/mapping-error.ts';
import { Timestamp, type Zone } from '../values/value.ts';
import {
  civilFromSeconds,
  dayNames,
  daysInMonth,
  isoWeekOf,
  monthNames,
  padded,
  secondsFromCivil,
  weekdayOf,
  yearDayOf,
} from './civil-time.ts';
import { fixedZone, utcZone } from './zones.ts';

/** Formats that stand for others. */
const composed: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
  T: '%H:%M:%S',
  F: '%Y-%m-%d',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  v: '%e-%b-%Y',
  '+': '%a %b %e %H:%M:%S %Z %Y',
  h: '%b',
};

const directive = /%([-_0^#]*)(\d*)(:{0,3})([\s\S])/g;

export function formatStrftime(time: Timestamp, format: string): string {
  const offset = time.zone.offsetSecondsAt(time.unixSeconds);
  const local = time.unixSeconds + offset;
  return format.replace(directive, (whole, flags: string, width: string, colons: string, verb: string) => {
    const inner = composed[verb];
    if (inner !== undefined) return cased(formatStrftime(time, inner), flags);
    const field = fieldOf(verb, time, local, offset, colons);
    if (field === undefined) return whole;
    if (typeof field === 'string')
      return cased(field, flags).padStart(Number(width), flags.includes('0') ? '0' : ' ');
    let fill = field.fill;
    if (flags.includes('_')) fill = ' ';
    if (flags.includes('0')) fill = '0';
    if (flags.includes('-')) return String(field.value);
    return padded(field.value, Math.min(Number(width) || field.length, 100), fill);
  });
}

function cased(text: string, flags: string): string {
  return flags.includes('^') ? text.toUpperCase() : flags.includes('#') ? swapped(text) : text;
}

const swapped = (text: string): string =>
  text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();

interface NumberField {
  readonly value: number;
  readonly length: number;
  readonly fill: string;
}

const digits = (value: number, length = 2, fill = '0'): NumberField => ({ value, length, fill });

function fieldOf(
  verb: string,
  time: Timestamp,
  local: number,
  offset: number,
  colons: string,
): string | NumberField | undefined {
  const civil = civilFromSeconds(local);
  const hour12 = civil.hour % 12 === 0 ? 12 : civil.hour % 12;
  const weekday = weekdayOf(local);
  switch (verb) {
    case 'Y':
      return digits(civil.year, 4);
    case 'y':
      return digits(((civil.year % 100) + 100) % 100);
    case 'C':
      return digits(Math.floor(civil.year / 100));
    case 'G':
      return digits(isoWeekOf(local).year, 4);
    case 'g':
      return digits(isoWeekOf(local).year % 100);
    case 'V':
      return digits(isoWeekOf(local).week);
    case 'U':
      return digits(Math.floor((yearDayOf(civil) + 6 - weekday) / 7));
    case 'W':
      return digits(Math.floor((yearDayOf(civil) + 6 - ((weekday + 6) % 7)) / 7));
    case 'm':
      return digits(civil.month);
    case 'B':
      return monthNames[civil.month - 1]!;
    case 'b':
      return monthNames[civil.month - 1]!.slice(0, 3);
    case 'd':
      return digits(civil.day);
    case 'e':
      return digits(civil.day, 2, ' ');
    case 'j':
      return digits(yearDayOf(civil), 3);
    case 'A':
      return dayNames[weekday]!;
    case 'a':
      return dayNames[weekday]!.slice(0, 3);
    case 'w':
      return digits(weekday, 1);
    case 'u':
      return digits(weekday === 0 ? 7 : weekday, 1);
    case 'H':
      return digits(civil.hour);
    case 'k':
      return digits(civil.hour, 2, ' ');
    case 'I':
      return digits(hour12);
    case 'l':
      return digits(hour12, 2, ' ');
    case 'M':
      return digits(civil.minute);
    case 'S':
      return digits(civil.second);
    case 'L':
      return digits(Math.floor(time.nanos / 1e6), 3);
    case 'f':
      return digits(Math.floor(time.nanos / 1000), 6);
    case 'N':
      return digits(time.nanos, 9);
    case 's':
      return digits(time.unixSeconds, 1);
    case 'p':
      return civil.hour >= 12 ? 'PM' : 'AM';
    case 'P':
      return civil.hour >= 12 ? 'pm' : 'am';
    case 'Z':
      return time.zone.abbreviationAt(time.unixSeconds);
    case 'z':
      return zoneText(offset, colons);
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case '%':
      return '%';
  }
  return undefined;
}

function zoneText(offset: number, colons: string): string {
  const absolute = Math.abs(offset);
  const [hours, minutes, seconds] = [
    Math.floor(absolute / 3600),
    Math.floor(absolute / 60) % 60,
    absolute % 60,
  ];
  const sign = offset < 0 ? '-' : '+';
  if (colons === '') return `${sign}${padded(hours)}${padded(minutes)}`;
  const text = `${sign}${padded(hours)}:${padded(minutes)}`;
  return colons === ':' ? text : `${text}:${padded(seconds)}`;
}

/** Reads a time by a format of `strptime`. */
export function parseStrptime(text: string, format: string): Timestamp {
  return new StrptimeReader(text, format).read();
}

class StrptimeReader {
  readonly #text: string;
  readonly #format: string;
  #at = 0;
  #fields: Record<string, number> = {};
  #zone: Zone = utcZone;
  #unixSeconds: number | undefined;

  constructor(text: string, format: string) {
    this.#text = text;
    this.#format = format;
  }

  #fail(why: string): never {
    return fail(
      `failed to parse ${JSON.stringify(this.#text.slice(0, 200))} with ${JSON.stringify(this.#format)}: ${why}`,
    );
  }

  read(): Timestamp {
    this.#run(this.#format);
    if (this.#at < this.#text.length)
      this.#fail(`unparsed string ${JSON.stringify(this.#text.slice(this.#at))}`);
    const { nanos = 0 } = this.#fields;
    if (this.#unixSeconds !== undefined) return new Timestamp(this.#unixSeconds, nanos, this.#zone);
    const { year = 1900, hour = 0, minute = 0, second = 0, half, yearDay } = this.#fields;
    let { month = 1, day = 1 } = this.#fields;
    if (yearDay !== undefined && this.#fields.month === undefined) {
      month = 1;
      day = yearDay;
    } else if (day < 1 || day > daysInMonth(year, month)) this.#fail('day out of range');
    let hours = hour;
    if (half === 1 && hour < 12) hours += 12;
    if (half === 0 && hour === 12) hours = 0;
    const local = secondsFromCivil({ year, month, day, hour: hours, minute, second });
    return new Timestamp(local - this.#zone.offsetSecondsAt(local), nanos, this.#zone);
  }

  #run(format: string): void {
    for (let index = 0; index < format.length; index++) {
      const character = format[index]!;
      if (character !== '%') {
        if (/\s/.test(character) && /\s/.test(this.#text[this.#at] ?? '')) {
          while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
          continue;
        }
        if (this.#text[this.#at] !== character) this.#fail(`expected ${JSON.stringify(character)}`);
        this.#at++;
        continue;
      }
      index++;
      while ('-_0:'.includes(format[index] ?? '?')) index++;
      this.#directive(format[index] ?? '');
    }
  }

  #number(max: number, isPadded = false): number {
    if (isPadded) while (this.#text[this.#at] === ' ') this.#at++;
    let end = this.#at;
    while (end < this.#at + max && /\d/.test(this.#text[end] ?? '')) end++;
    if (end === this.#at) this.#fail('expected a number');
    const value = Number(this.#text.slice(this.#at, end));
    this.#at = end;
    return value;
  }

  #within(name: string, value: number, min: number, max: number): void {
    if (value < min || value > max) this.#fail(`${name} out of range`);
    this.#fields[name] = value;
  }

  #name(names: readonly string[]): number {
    const rest = this.#text.slice(this.#at).toLowerCase();
    for (const length of [undefined, 3]) {
      const index = names.findIndex((name) => rest.startsWith(name.slice(0, length).toLowerCase()));
      if (index < 0) continue;
      this.#at += names[index]!.slice(0, length).length;
      return index;
    }
    return this.#fail('expected a name');
  }

  #directive(verb: string): void {
    const inner = composed[verb];
    if (inner !== undefined) {
      this.#run(inner);
      return;
    }
    switch (verb) {
      case 'Y':
        this.#within('year', this.#number(4), 0, 9999);
        return;
      case 'y': {
        const year = this.#number(2);
        this.#within('year', year < 69 ? 2000 + year : 1900 + year, 0, 9999);
        return;
      }
      case 'm':
        this.#within('month', this.#number(2), 1, 12);
        return;
      case 'B':
      case 'b':
        this.#within('month', this.#name(monthNames) + 1, 1, 12);
        return;
      case 'A':
      case 'a':
        this.#name(dayNames);
        return;
      case 'd':
      case 'e':
        this.#within('day', this.#number(2, true), 1, 31);
        return;
      case 'j':
        this.#within('yearDay', this.#number(3), 1, 366);
        return;
      case 'H':
      case 'k':
        this.#within('hour', this.#number(2, true), 0, 23);
        return;
      case 'I':
      case 'l':
        this.#within('hour', this.#number(2, true), 1, 12);
        return;
      case 'M':
        this.#within('minute', this.#number(2), 0, 59);
        return;
      case 'S':
        this.#within('second', this.#number(2), 0, 60);
        return;
      case 'f':
      case 'N':
      case 'L': {
        const start = this.#at;
        this.#number(9);
        this.#fields.nanos = Number(this.#text.slice(start, this.#at).padEnd(9, '0'));
        return;
      }
      case 'p':
      case 'P': {
        const half = this.#text.slice(this.#at, this.#at + 2).toLowerCase();
        if (half !== 'am' && half !== 'pm') this.#fail('expected AM or PM');
        this.#at += 2;
        this.#fields.half = half === 'pm' ? 1 : 0;
        return;
      }
      case 's':
        this.#unixSeconds = this.#number(20);
        return;
      case 'w':
      case 'u':
        this.#number(1);
        return;
      case 'C':
      case 'G':
      case 'g':
      case 'U':
      case 'V':
      case 'W':
        this.#number(verb === 'G' ? 4 : 2);
        return;
      case 'z':
        this.#offset();
        return;
      case 'Z': {
        const name = /^[A-Z]+/.exec(this.#text.slice(this.#at))?.[0] ?? this.#fail('expected a timezone');
        this.#at += name.length;
        if (name !== 'UTC' && name !== 'GMT') this.#zone = fixedZone(name, 0);
        return;
      }
      case 'n':
      case 't':
        while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
        return;
      case '%':
        if (this.#text[this.#at] !== '%') this.#fail('expected "%"');
        this.#at++;
        return;
    }
    this.#fail(`unexpected format "%${verb}"`);
  }

  #offset(): void {
    const found = /^(?:Z|([+-])(\d\d):?(\d\d)(?::?(\d\d))?)/.exec(this.#text.slice(this.#at));
    if (!found) throw this.#fail('expected a timezone offset');
    this.#at += found[0].length;
    if (found[1] === undefined) return;
    const offset = Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4] ?? 0);
    this.#zone = offset === 0 ? utcZone : fixedZone('', found[1] === '-' ? -offset : offset);
  }
}
