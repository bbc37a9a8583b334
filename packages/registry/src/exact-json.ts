import { InvalidSchema } from './schema-format.ts';

/**
 * JSON as it was written. `JSON.parse` would round long numbers, move numeric keys to the front and treat `__proto__`
 * as a setter, so objects are maps, and numbers keep their text.
 */
export type JsonNode = null | boolean | string | JsonNumber | readonly JsonNode[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonNode>;

export class JsonNumber {
  readonly text: string;
  /** Whether it has neither a fraction nor an exponent. */
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

interface ReadOptions {
  /** How deep lists and objects may nest. */
  readonly depthMax: number;
  /** Whether comments may be before and within the value. */
  readonly takesComments?: boolean;
  /** Digits of a number. */
  readonly numberCharsMax: number;
  /** Checks a number, and may change its text; returns what is wrong with it. */
  readonly numberOf?: (written: JsonNumber) => JsonNumber | { readonly problem: string };
}

const quote = 0x22;
const backslash = 0x5c;
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

/** Reads a schema as JSON. A key that occurs twice keeps its first place and its last value, as in Jackson. */
export function readJson(text: string, options: ReadOptions): JsonNode {
  const reader = new JsonReader(text, options);
  const node = reader.readValue(0);
  reader.expectEnd();
  return node;
}

class JsonReader {
  readonly #text: string;
  readonly #options: ReadOptions;
  #at = 0;

  constructor(text: string, options: ReadOptions) {
    this.#text = text;
    this.#options = options;
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
    const { numberCharsMax, numberOf } = this.#options;
    if (read.length > numberCharsMax)
      throw this.#problem(`a number is longer than ${numberCharsMax} characters`);
    const written = new JsonNumber(read, fraction === undefined && exponent === undefined);
    const number = numberOf?.(written) ?? written;
    if ('problem' in number) throw this.#problem(number.problem);
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
      } else if (this.#options.takesComments !== true) {
        return;
      } else if (code === 0x2f && text[this.#at + 1] === '/') {
        while (this.#at < text.length && !'\r\n'.includes(text[this.#at]!)) this.#at += 1;
      } else if (code === 0x2f && text[this.#at + 1] === '*') {
        const end = text.indexOf('*/', this.#at + 2);
        if (end === -1) throw this.#problem('unterminated comment');
        this.#at = end + 2;
      } else {
        return;
      }
    }
  }

  #checkDepth(depth: number): void {
    const { depthMax } = this.#options;
    if (depth > depthMax) throw this.#problem(`the text nests deeper than ${depthMax} levels`);
  }

  #problem(what: string): InvalidSchema {
    return new InvalidSchema(`the schema is not valid JSON: ${what} (at character ${this.#at + 1})`);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
