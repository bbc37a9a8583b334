import { InvalidSchema } from '../schema-format.ts';

/**
 * JSON as Avro's Java library reads and prints it. `JSON.parse` would round long defaults, move numeric keys to the
 * front and treat `__proto__` as a setter, so schemas are read into maps, and numbers keep their text.
 */
export type JsonNode = null | boolean | string | JsonNumber | readonly JsonNode[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonNode>;

export class JsonNumber {
  /** As Java prints it: integers of any length, and doubles such as `1.0E10`. */
  readonly text: string;
  readonly isInteger: boolean;

  constructor(text: string, isInteger: boolean) {
    this.text = text;
    this.isInteger = isInteger;
  }
}

export function isObject(node: JsonNode | undefined): node is JsonObject {
  return node instanceof Map;
}

export function isArray(node: JsonNode | undefined): node is readonly JsonNode[] {
  return Array.isArray(node);
}

const quote = 0x22;
const backslash = 0x5c;

/** Digits of a number, as in the Java library. */
const numberCharsMax = 1000;
const numberPattern = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Reads a JSON text. Takes comments, as the Java library does; of a key that occurs twice, the last value counts. */
export function parseJson(text: string, depthMax: number): JsonNode {
  const reader = new JsonReader(text, depthMax);
  const node = reader.readValue(0);
  reader.expectEnd();
  return node;
}

class JsonReader {
  readonly #text: string;
  readonly #depthMax: number;
  #at = 0;

  constructor(text: string, depthMax: number) {
    this.#text = text;
    this.#depthMax = depthMax;
  }

  readValue(depth: number): JsonNode {
    this.#skipSpace();
    const text = this.#text;
    switch (text[this.#at]) {
      case '{':
        return this.#readObject(depth + 1);
      case '[':
        return this.#readArray(depth + 1);
      case '"':
        return this.#readString();
      case 't':
        return this.#readWord('true', true);
      case 'f':
        return this.#readWord('false', false);
      case 'n':
        return this.#readWord('null', null);
      case undefined:
        throw this.#problem(text.length === 0 ? 'the text is empty' : 'the text ends too early');
      default:
        return this.#readNumber();
    }
  }

  expectEnd(): void {
    // Like the Java library, which takes comments in a schema but not after it.
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
    if (this.#at < this.#text.length) throw this.#problem('expected the end of the schema');
  }

  #readObject(depth: number): JsonObject {
    this.#checkDepth(depth);
    this.#at += 1;
    const entries = new Map<string, JsonNode>();
    this.#skipSpace();
    if (this.#takes('}')) return entries;
    for (;;) {
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#at) !== quote) throw this.#problem('expected a key in quotes');
      const key = this.#readString();
      this.#skipSpace();
      if (!this.#takes(':')) throw this.#problem('expected ":"');
      entries.set(key, this.readValue(depth));
      this.#skipSpace();
      if (this.#takes('}')) return entries;
      if (!this.#takes(',')) throw this.#problem('expected "," or "}"');
    }
  }

  #readArray(depth: number): readonly JsonNode[] {
    this.#checkDepth(depth);
    this.#at += 1;
    const items: JsonNode[] = [];
    this.#skipSpace();
    if (this.#takes(']')) return items;
    for (;;) {
      items.push(this.readValue(depth));
      this.#skipSpace();
      if (this.#takes(']')) return items;
      if (!this.#takes(',')) throw this.#problem('expected "," or "]"');
    }
  }

  #readString(): string {
    const text = this.#text;
    let start = this.#at + 1;
    let at = start;
    let read = '';
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.#at = at + 1;
        return read === '' ? text.slice(start, at) : read + text.slice(start, at);
      }
      if (code === backslash) {
        read += text.slice(start, at);
        this.#at = at;
        read += this.#readEscape();
        at = this.#at;
        start = at;
      } else if (code < 0x20 || Number.isNaN(code)) {
        this.#at = at;
        throw this.#problem(
          Number.isNaN(code) ? 'the text ends inside a string' : 'a control character is not escaped',
        );
      } else {
        at += 1;
      }
    }
  }

  #readEscape(): string {
    const name = this.#text[this.#at + 1] ?? '';
    if (name === 'u') {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#problem('expected four hexadecimal digits');
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const read = Object.hasOwn(escapes, name) ? escapes[name] : undefined;
    if (read === undefined) throw this.#problem('unknown escape sequence');
    this.#at += 2;
    return read;
  }

  #readNumber(): JsonNumber {
    numberPattern.lastIndex = this.#at;
    const found = numberPattern.exec(this.#text);
    const next = found === null ? '' : (this.#text[this.#at + found[0].length] ?? '');
    // `01` and `1x` begin like numbers.
    if (found === null || /[0-9A-Za-z.+-]/.test(next)) throw this.#problem('expected a JSON value');
    const [read, fraction, exponent] = found;
    if (read.length > numberCharsMax) {
      throw this.#problem(`a number is longer than ${numberCharsMax} characters`);
    }
    let number: JsonNumber;
    if (fraction === undefined && exponent === undefined) {
      number = new JsonNumber(read === '-0' ? '0' : read, true);
    } else {
      const value = Number(read);
      // Java would print it as the text "Infinity", which is no number any more.
      if (!Number.isFinite(value)) throw this.#problem('a number is beyond the range of a double');
      number = new JsonNumber(javaDoubleText(value), false);
    }
    this.#at += read.length;
    return number;
  }

  #readWord<T extends JsonNode>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#problem('expected a JSON value');
    const next = this.#text[this.#at + word.length] ?? '';
    if (/[0-9A-Za-z_$]/.test(next)) throw this.#problem('expected a JSON value');
    this.#at += word.length;
    return value;
  }

  #takes(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (isSpace(code)) {
        this.#at += 1;
      } else if (code === 0x2f && text[this.#at + 1] === '/') {
        while (this.#at < text.length && !'\r\n'.includes(text[this.#at]!)) this.#at += 1;
      } else if (code === 0x2f && text[this.#at + 1] === '*') {
        const end = text.indexOf('*/', this.#at + 2);
        if (end === -1) throw this.#problem('a comment does not end');
        this.#at = end + 2;
      } else {
        return;
      }
    }
  }

  #checkDepth(depth: number): void {
    if (depth > this.#depthMax) throw this.#problem(`the text nests deeper than ${this.#depthMax} levels`);
  }

  #problem(what: string): InvalidSchema {
    return new InvalidSchema(`the schema is not valid JSON: ${what} (at character ${this.#at + 1})`);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

const numberText = /^[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)$/;

/** A double that is written as text, as Java reads it; undefined if it is none. */
export function javaNumber(text: string): JsonNumber | undefined {
  const trimmed = text.trim();
  if (trimmed.length > numberCharsMax || !numberText.test(trimmed)) return undefined;
  return new JsonNumber(javaDoubleText(Number(trimmed.replace(/[fFdD]$/, '').replace(/^\+/, ''))), false);
}

/** The shortest text of a double, in the notation of Java. */
export function javaDoubleText(value: number): string {
  return notationOfJava(value, String(value), value.toExponential());
}

/** The shortest text of a float, in the notation of Java. */
export function javaFloatText(value: number): string {
  const float = Math.fround(value);
  if (!Number.isFinite(float)) return javaDoubleText(float);
  let digits = 1;
  while (digits < 9 && Math.fround(Number(float.toPrecision(digits))) !== float) digits += 1;
  const shortest = Number(float.toPrecision(digits));
  return notationOfJava(float, String(shortest), shortest.toExponential());
}

function notationOfJava(value: number, plain: string, exponential: string): string {
  // Java prints them as text in quotes, and so takes them as defaults.
  if (!Number.isFinite(value)) return JSON.stringify(String(value));
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return plain.includes('.') ? plain : `${plain}.0`;
  const [mantissa = '', exponent = ''] = exponential.split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${exponent.replace('+', '')}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON has to escape
const escaped = /["\\\u0000-\u001f]/g;
const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A string in quotes, with the escapes of the Java library. */
export function jsonString(text: string): string {
  return `"${text.replace(escaped, escapeOf)}"`;
}

function escapeOf(character: string): string {
  return (
    shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  );
}

/** The compact text of a node. */
export function jsonText(node: JsonNode): string {
  const parts: string[] = [];
  writeJson(node, parts);
  return parts.join('');
}

export function writeJson(node: JsonNode, parts: string[]): void {
  if (node === null || typeof node === 'boolean') {
    parts.push(String(node));
  } else if (typeof node === 'string') {
    parts.push(jsonString(node));
  } else if (node instanceof JsonNumber) {
    parts.push(node.text);
  } else if (isArray(node)) {
    parts.push('[');
    for (const [at, item] of node.entries()) {
      if (at > 0) parts.push(',');
      writeJson(item, parts);
    }
    parts.push(']');
  } else {
    parts.push('{');
    let separator = '';
    for (const [key, value] of node) {
      parts.push(separator, jsonString(key), ':');
      writeJson(value, parts);
      separator = ',';
    }
    parts.push('}');
  }
}

/** Whether two nodes are the same for the Java library: numbers by kind and value, objects without regard to order. */
export function sameJson(a: JsonNode, b: JsonNode): boolean {
  if (a === b) return true;
  if (a instanceof JsonNumber)
    return b instanceof JsonNumber && a.isInteger === b.isInteger && a.text === b.text;
  if (isArray(a)) {
    return isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at]!));
  }
  if (!isObject(a) || !isObject(b) || a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !sameJson(value, other)) return false;
  }
  return true;
}

/** How deep a text that was printed nests. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code === backslash) at += 1;
      else if (code === quote) isQuoted = false;
    } else if (code === quote) {
      isQuoted = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return deepest;
}
