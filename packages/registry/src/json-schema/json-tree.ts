import { registryLimits } from '../limits.ts';
import { InvalidSchema } from '../schema-format.ts';

/**
 * JSON as it was written. Objects of JavaScript would reorder keys such as "1", mistake `__proto__` for their prototype
 * and round numbers, so objects are maps and numbers keep their text.
 */
export type JsonTree = null | boolean | string | JsonNumber | readonly JsonTree[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonTree>;

export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function isObject(tree: JsonTree | undefined): tree is JsonObject {
  return tree instanceof Map;
}

export function isArray(tree: JsonTree | undefined): tree is readonly JsonTree[] {
  return Array.isArray(tree);
}

/** Parses JSON. A key that occurs twice keeps its first place and its last value, as in Jackson. */
export function parseJsonTree(text: string): JsonTree {
  if (text.length > registryLimits.jsonSchemaCharsMax) {
    throw new InvalidSchema(
      `the schema has ${text.length} characters; ${registryLimits.jsonSchemaCharsMax} are allowed`,
    );
  }
  return new TreeReader(text).read();
}

const space = /[ \t\n\r]*/y;
const numberText = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const quoteCode = 0x22;
const backslashCode = 0x5c;
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
const words: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class TreeReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonTree {
    const tree = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return tree;
  }

  #value(depth: number): JsonTree {
    if (depth > registryLimits.jsonSchemaDepthMax) {
      throw new InvalidSchema(
        `the schema is nested more than ${registryLimits.jsonSchemaDepthMax} levels deep`,
      );
    }
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"') return this.#string();
    for (const [word, value] of words) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#number();
  }

  #object(depth: number): JsonObject {
    const entries = new Map<string, JsonTree>();
    this.#at++;
    this.#skipSpace();
    if (this.#take('}')) return entries;
    for (;;) {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#unexpected();
      const key = this.#string();
      this.#skipSpace();
      if (!this.#take(':')) throw this.#unexpected();
      entries.set(key, this.#value(depth + 1));
      this.#skipSpace();
      if (this.#take('}')) return entries;
      if (!this.#take(',')) throw this.#unexpected();
    }
  }

  #array(depth: number): JsonTree[] {
    const items: JsonTree[] = [];
    this.#at++;
    this.#skipSpace();
    if (this.#take(']')) return items;
    for (;;) {
      items.push(this.#value(depth + 1));
      this.#skipSpace();
      if (this.#take(']')) return items;
      if (!this.#take(',')) throw this.#unexpected();
    }
  }

  #string(): string {
    this.#at++;
    let text = '';
    for (;;) {
      text += this.#plain();
      if (this.#take('"')) return text;
      if (!this.#take('\\')) throw this.#unexpected();
      const kind = this.#text[this.#at] ?? '';
      this.#at++;
      if (kind === 'u') {
        const hex = this.#text.slice(this.#at, this.#at + 4);
        if (!/^[0-9A-Fa-f]{4}$/.test(hex)) throw this.#unexpected();
        text += String.fromCharCode(Number.parseInt(hex, 16));
        this.#at += 4;
      } else {
        const character = Object.hasOwn(escapes, kind) ? escapes[kind] : undefined;
        if (character === undefined) throw this.#unexpected();
        text += character;
      }
    }
  }

  /** Characters up to a quote, a backslash or a control character, which may not be in a string. */
  #plain(): string {
    const start = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code < 0x20 || code === quoteCode || code === backslashCode) break;
    }
    return this.#text.slice(start, this.#at);
  }

  #number(): JsonNumber {
    const text = this.#match(numberText);
    if (text === '') throw this.#unexpected();
    if (text.length > registryLimits.jsonNumberCharsMax) {
      throw new InvalidSchema(
        `the schema has a number of ${text.length} characters; ${registryLimits.jsonNumberCharsMax} are allowed`,
      );
    }
    const exponent = /[eE]([+-]?\d+)$/.exec(text)?.[1];
    if (exponent !== undefined && Math.abs(Number(exponent)) > registryLimits.jsonExponentMax) {
      throw new InvalidSchema(
        `the schema has the number ${text.slice(0, 40)}, whose exponent exceeds ${registryLimits.jsonExponentMax}`,
      );
    }
    return new JsonNumber(text);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += text.length;
    return text;
  }

  #skipSpace(): void {
    this.#match(space);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #unexpected(): InvalidSchema {
    const { length } = this.#text;
    if (this.#at >= length) return new InvalidSchema('the schema is not JSON: it ends too early');
    const found = JSON.stringify(this.#text[this.#at]);
    return new InvalidSchema(`the schema is not JSON: unexpected ${found} at character ${this.#at + 1}`);
  }
}
