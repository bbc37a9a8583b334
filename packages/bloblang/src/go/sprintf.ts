import { chargeTree, type Payment } from '../values/check-size.ts';
import { asFloat, asInt, isFloat, isNumber } from '../values/numbers.ts';
import { printFloat } from '../values/print-float.ts';
import { compareAsUtf8 } from '../values/print-json.ts';
import { Bytes, type Float, isObject, Sentinel, Timestamp, type Value } from '../values/value.ts';
import { quote } from './quote.ts';
import { formatTime } from './time-layout.ts';

interface Directive {
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly verb: string;
  readonly payment: Payment;
}

/** Wider fields are refused as bad widths, as in Go. */
const widthMax = 1_000_000;

/** Go's `fmt.Sprintf`. A few characters can ask for much, so all is charged before it is printed. */
export function sprintf(format: string, args: readonly Value[], payment: Payment): string {
  payment.build(format.length);
  let next = 0;
  const pattern = /%([+\-# 0]*)(\*|\d+)?(?:\.(\*|\d*))?(?:\[(\d+)\])?([\s\S]?)/gu;
  const takeInteger = (): number | undefined => {
    const value = args[next++];
    return value !== undefined && isNumber(value) ? Number(asInt(value)) : undefined;
  };
  const text = format.replace(pattern, (_whole, flags = '', widthText, precisionText, position, verb) => {
    if (verb === '') return '%!(NOVERB)';
    if (verb === '%') return '%';
    const width = widthText === '*' ? takeInteger() : widthText === undefined ? undefined : Number(widthText);
    const precision =
      precisionText === '*' ? takeInteger() : precisionText === undefined ? undefined : Number(precisionText);
    if (Math.abs(width ?? 0) > widthMax) return '%!(BADWIDTH)';
    if ((precision ?? 0) > widthMax) return '%!(BADPREC)';
    if (position !== undefined) next = Number(position) - 1;
    const value = args[next++];
    if (value === undefined) return `%!${verb}(MISSING)`;
    chargeTree(value, payment, 1);
    return formatted({ flags, width, precision, verb, payment }, value);
  });
  if (next >= args.length || /\[\d+\]/.test(format)) return text;
  const extra = args.slice(next).map((value) => {
    chargeTree(value, payment, 1);
    return `${goType(value)}=${verbV(value)}`;
  });
  return `${text}%!(EXTRA ${extra.join(', ')})`;
}

function formatted(directive: Directive, value: Value): string {
  const { verb, flags, payment } = directive;
  payment.build(Math.abs(directive.width ?? 0) + Math.max(0, directive.precision ?? 0));
  const body = bodyOf(directive, value);
  if (body === undefined)
    return `%!${verb}(${value === null ? '<nil>' : `${goType(value)}=${verbV(value)}`})`;
  const width = directive.width ?? 0;
  const isLeft = flags.includes('-') || width < 0;
  const missing = Math.abs(width) - [...body].length;
  if (missing <= 0) return body;
  if (isLeft) return body + ' '.repeat(missing);
  const isNumeric = isNumber(value) && 'vdbofFeEgGxX'.includes(verb);
  if (!flags.includes('0') || (!isNumeric && verb !== 's')) return ' '.repeat(missing) + body;
  const sign = isNumeric ? (/^[+-]/.exec(body)?.[0] ?? '') : '';
  return sign + '0'.repeat(missing) + body.slice(sign.length);
}

/** The text without padding; `undefined` if the verb does not fit the type. */
function bodyOf(directive: Directive, value: Value): string | undefined {
  const { verb } = directive;
  if (verb === 'v') return isNumber(value) ? signed(directive, numberV(value)) : verbV(value);
  if (verb === 'T') return goType(value);
  if (verb === 't') return typeof value === 'boolean' ? String(value) : undefined;
  if (isNumber(value))
    return isFloat(value) ? floatBody(directive, asFloat(value)) : integerBody(directive, value);
  const text =
    typeof value === 'string' ? value : value instanceof Bytes ? value.buffer.toString('utf8') : undefined;
  if (text !== undefined) return textBody(directive, text);
  if (value instanceof Timestamp && verb === 's') return verbV(value);
  if ((Array.isArray(value) || isObject(value)) && 'sdqxX'.includes(verb))
    return collectionBody(directive, value);
  return undefined;
}

function collectionBody(directive: Directive, value: Value): string {
  const inner = { ...directive, width: undefined };
  if (Array.isArray(value)) return `[${value.map((element) => formatted(inner, element)).join(' ')}]`;
  const object = value as { [key: string]: Value };
  const keys = Object.keys(object).sort(compareAsUtf8);
  return `map[${keys.map((key) => `${formatted(inner, key)}:${formatted(inner, object[key]!)}`).join(' ')}]`;
}

function textBody({ verb, precision, flags }: Directive, text: string): string | undefined {
  const cut = precision === undefined ? text : [...text].slice(0, precision).join('');
  if (verb === 's') return cut;
  if (verb === 'q') return flags.includes('#') && !cut.includes('`') ? `\`${cut}\`` : quote(cut);
  if (verb === 'x') return Buffer.from(cut, 'utf8').toString('hex');
  if (verb === 'X') return Buffer.from(cut, 'utf8').toString('hex').toUpperCase();
  return undefined;
}

function signed({ flags }: Directive, text: string): string {
  if (text.startsWith('-') || text.startsWith('+')) return text;
  if (flags.includes('+')) return `+${text}`;
  return flags.includes(' ') ? ` ${text}` : text;
}

function integerBody(directive: Directive, value: number | bigint | Float): string | undefined {
  const { verb, flags, precision } = directive;
  const integer = typeof value === 'bigint' ? value : asInt(value);
  const isNegative = integer < 0n;
  const absolute = isNegative ? -integer : integer;
  const radix = ({ d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 } as Record<string, number>)[verb];
  if (radix === undefined) {
    if (verb === 'c') return String.fromCodePoint(absolute <= 0x10ffffn ? Number(absolute) : 0xfffd);
    if (verb === 'q')
      return `'${quote(String.fromCodePoint(Number(absolute & 0x1fffffn) % 0x110000)).slice(1, -1)}'`;
    if (verb === 'U') return `U+${absolute.toString(16).toUpperCase().padStart(4, '0')}`;
    return undefined;
  }
  let digits = absolute.toString(radix).padStart(precision ?? 0, '0');
  if (verb === 'X') digits = digits.toUpperCase();
  if (flags.includes('#'))
    digits = ({ b: '0b', o: '0', x: '0x', X: '0X' } as Record<string, string>)[verb] + digits;
  if (verb === 'O') digits = `0o${digits}`;
  return signed(directive, isNegative ? `-${digits}` : digits);
}

function floatBody(directive: Directive, value: number): string | undefined {
  const { verb, precision } = directive;
  if (!Number.isFinite(value))
    return 'eEfFgGv'.includes(verb) ? signed(directive, printFloat(value)) : undefined;
  const exponent = (text: string): string => text.replace(/e([+-])(\d)$/, 'e$10$2');
  switch (verb) {
    case 'f':
    case 'F':
      return signed(directive, fixed(value, precision ?? 6));
    case 'e':
      return signed(directive, exponent(value.toExponential(Math.min(precision ?? 6, 100))));
    case 'E':
      return signed(directive, exponent(value.toExponential(Math.min(precision ?? 6, 100))).toUpperCase());
    case 'g':
    case 'G': {
      const text = precision === undefined ? printFloat(value, 21) : general(value, Math.max(1, precision));
      return signed(directive, verb === 'G' ? text.toUpperCase() : text);
    }
  }
  return undefined;
}

/** Digits after the point; JavaScript switches to exponents at 1e21. */
function fixed(value: number, digits: number): string {
  if (Math.abs(value) < 1e21) {
    const text = roundedHalfEven(value, Math.min(digits, 100));
    return Object.is(value, -0) ? `-${text}` : text;
  }
  return `${BigInt(value)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
}

/** JavaScript rounds halves up, Go to the even digit. */
function roundedHalfEven(value: number, digits: number): string {
  const text = value.toFixed(digits);
  const exact = Math.abs(value).toFixed(100);
  const rest = exact.slice(exact.length - 100 + digits);
  if (!/^50*$/.test(rest) || Number(text.at(-1)) % 2 === 0) return text;
  const below = exact.slice(0, exact.length - 100 + digits).replace(/\.$/, '');
  return value < 0 ? `-${below}` : below;
}

function general(value: number, precision: number): string {
  return printFloat(Number(value.toPrecision(Math.min(precision, 100))), precision);
}

function numberV(value: number | bigint | Float): string {
  return isFloat(value) && typeof value !== 'bigint' ? printFloat(asFloat(value), 21) : String(value);
}

/** `%v`. */
function verbV(value: Value): string {
  if (value === null || value instanceof Sentinel) return '<nil>';
  if (isNumber(value)) return numberV(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Bytes) return `[${[...value.buffer].join(' ')}]`;
  if (value instanceof Timestamp) return formatTime(value, '2006-01-02 15:04:05.999999999 -0700 MST');
  if (Array.isArray(value)) return `[${value.map(verbV).join(' ')}]`;
  if (!isObject(value)) return '';
  const keys = Object.keys(value).sort(compareAsUtf8);
  return `map[${keys.map((key) => `${key}:${verbV(value[key]!)}`).join(' ')}]`;
}

function goType(value: Value): string {
  if (value === null || value instanceof Sentinel) return '<nil>';
  if (isNumber(value)) return isFloat(value) ? 'float64' : 'int64';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof Bytes) return '[]uint8';
  if (value instanceof Timestamp) return 'time.Time';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
