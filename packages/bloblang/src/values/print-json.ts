import { bloblangLimits } from '../limits.ts';
import { LimitError } from './mapping-error.ts';
import { Bytes, Float, Sentinel, Timestamp, type Value } from './value.ts';

interface JsonStyle {
  /** Writes `<`, `>` and `&` as escapes, as Go does by default. */
  readonly escapesHtml?: boolean;
  /** What one level of nesting adds at the start of lines; everything is on one line without it. */
  readonly indent?: string | undefined;
}

/** JSON with the keys of objects in order, as Go prints it, so that equal values have equal texts. */
export function printJson(value: Value, style: JsonStyle = {}): string {
  const writer = new Writer(style);
  writer.write(value, 0);
  return writer.text;
}

/**
 * JSON as fast as the runtime prints it, with keys in the order in which they were set. For whole messages, where order
 * does not matter.
 */
export function printMessage(value: Value): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Integers beyond 53 bits.
    if (error instanceof TypeError) return JSON.stringify(value, exactInteger);
    throw error;
  }
}

function exactInteger(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be escaped
const needsEscape = /["\\\u0000-\u001f<>&\u2028\u2029\ud800-\udfff]/;

class Writer {
  text = '';
  #values = 0;
  readonly #escapesHtml: boolean;
  readonly #indent: string | undefined;
  constructor({ escapesHtml = false, indent }: JsonStyle) {
    this.#escapesHtml = escapesHtml;
    this.#indent = indent;
  }

  write(value: Value, depth: number): void {
    if (depth > bloblangLimits.valueDepthMax)
      throw new LimitError('the value is nested too deeply to be printed');
    if (++this.#values > bloblangLimits.printedValuesMax || this.text.length > bloblangLimits.builtBytesMax)
      throw new LimitError('the value is too large to be printed');
    if (typeof value === 'string') this.#string(value);
    else if (typeof value === 'number') this.text += numberText(value);
    else if (value === null || typeof value === 'boolean' || typeof value === 'bigint')
      this.text += String(value);
    else if (value instanceof Float) this.text += numberText(value.toJSON());
    else if (value instanceof Bytes || value instanceof Timestamp) this.#string(value.toJSON());
    else if (Array.isArray(value)) this.#array(value, depth);
    else if (value instanceof Sentinel) this.text += 'null';
    else this.#object(value, depth);
  }

  #string(text: string): void {
    if (!needsEscape.test(text)) {
      this.text += `"${text}"`;
      return;
    }
    let json = JSON.stringify(text.toWellFormed());
    json = json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
    if (this.#escapesHtml)
      json = json.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026');
    this.text += json;
  }

  #array(values: readonly Value[], depth: number): void {
    if (values.length === 0) {
      this.text += '[]';
      return;
    }
    this.text += '[';
    values.forEach((value, index) => {
      if (index > 0) this.text += ',';
      this.#line(depth + 1);
      this.write(value, depth + 1);
    });
    this.#line(depth);
    this.text += ']';
  }

  #object(object: { [key: string]: Value }, depth: number): void {
    const keys = Object.keys(object).sort(compareAsUtf8);
    if (keys.length === 0) {
      this.text += '{}';
      return;
    }
    this.text += '{';
    keys.forEach((key, index) => {
      if (index > 0) this.text += ',';
      this.#line(depth + 1);
      this.#string(key);
      this.text += this.#indent === undefined ? ':' : ': ';
      this.write(object[key]!, depth + 1);
    });
    this.#line(depth);
    this.text += '}';
  }

  #line(depth: number): void {
    if (this.#indent !== undefined) this.text += `\n${this.#indent.repeat(depth)}`;
  }
}

/** Go prints exponents with two digits, and 21 digits before it does. */
function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Order of strings by their UTF-8 bytes, which is that of code points. */
export function compareAsUtf8(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    let left = one.charCodeAt(index);
    let right = other.charCodeAt(index);
    if (left === right) continue;
    // Surrogates come after all other code units.
    if (left >= 0xd800 && right >= 0xd800) {
      left = left >= 0xe000 ? left - 0x800 : left + 0x2000;
      right = right >= 0xe000 ? right - 0x800 : right + 0x2000;
    }
    return left - right;
  }
  return one.length - other.length;
}
