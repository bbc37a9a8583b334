import { registryLimits } from '../limits.ts';
import { InvalidSchema } from '../schema-format.ts';

type TokenKind = 'word' | 'integer' | 'float' | 'string' | 'symbol' | 'end';

const space = /[ \t\r\n\f\v]/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const integer = /^(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)$/;
const octal = /[0-7]{1,3}/y;

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '?': 63,
};

/** An error at an offset of a text. Descriptors have no offsets. */
export const invalidAt = (text: string, at: number, message: string): InvalidSchema => {
  if (at < 0) return new InvalidSchema(message);
  const before = text.lastIndexOf('\n', at - 1);
  let line = 1;
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1))
    line += 1;
  return new InvalidSchema(`${line}:${at - before}: ${message}`);
};

/** Shortens a name from a text, so that errors stay one line. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text);

/** The tokens of a `.proto` text, one at a time. The current one is in `kind`, `text` and `at`. */
export class Tokens {
  readonly source: string;
  kind: TokenKind = 'end';
  text = '';
  /** The bytes of a string. */
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  #end = 0;

  constructor(source: string) {
    this.source = source;
    this.next();
  }

  invalid(message: string, at = this.at): InvalidSchema {
    return invalidAt(this.source, at, message);
  }

  /** What the current token is, for messages. */
  describe(): string {
    if (this.kind === 'end') return 'the end of the file';
    return this.kind === 'string' ? 'a string' : quoted(this.text);
  }

  next(): void {
    this.#skip();
    const { source } = this;
    const at = this.#end;
    this.at = at;
    if (at >= source.length) {
      this.kind = 'end';
      this.text = '';
      return;
    }
    const code = source.charCodeAt(at);
    if (code === 34 || code === 39) {
      this.kind = 'string';
      this.text = '';
      this.#readString(source[at]!);
      return;
    }
    const wordText = this.#match(word);
    if (wordText !== undefined) {
      if (wordText.length > registryLimits.protobufNameCharsMax) {
        throw this.invalid(`a name is longer than ${registryLimits.protobufNameCharsMax} characters`);
      }
      this.kind = 'word';
      this.text = wordText;
      return;
    }
    const numberText = this.#match(number);
    if (numberText !== undefined) {
      if (numberText.length > registryLimits.protobufNameCharsMax) {
        throw this.invalid(`a number is longer than ${registryLimits.protobufNameCharsMax} characters`);
      }
      word.lastIndex = this.#end;
      if (word.test(source)) throw this.invalid('a number must not end in letters');
      this.text = numberText;
      this.kind = integer.test(numberText) ? 'integer' : 'float';
      if (this.kind === 'float' && /^0[0-9]/.test(numberText)) {
        throw this.invalid(`${quoted(numberText)} is not a number`);
      }
      return;
    }
    if (code < 32 || code > 126) throw this.invalid('unexpected character');
    this.kind = 'symbol';
    this.text = source[at]!;
    this.#end = at + 1;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#end;
    const found = pattern.exec(this.source)?.[0];
    if (found !== undefined) this.#end += found.length;
    return found;
  }

  #skip(): void {
    const { source } = this;
    if (this.#end === 0 && source.charCodeAt(0) === 0xfeff) this.#end = 1;
    for (;;) {
      space.lastIndex = this.#end;
      if (space.test(source)) {
        this.#end += 1;
      } else if (source.startsWith('//', this.#end)) {
        const line = source.indexOf('\n', this.#end);
        this.#end = line === -1 ? source.length : line + 1;
      } else if (source.startsWith('/*', this.#end)) {
        const close = source.indexOf('*/', this.#end + 2);
        if (close === -1) throw this.invalid('unterminated comment', this.#end);
        this.#end = close + 2;
      } else {
        return;
      }
    }
  }

  #readString(quote: string): void {
    const { source } = this;
    const parts: Buffer[] = [];
    let from = this.#end + 1;
    let at = from;
    for (;;) {
      const char = source[at];
      if (char === undefined || char === '\n' || char === '\0') throw this.invalid('unterminated string');
      if (char === quote) break;
      if (char !== '\\') {
        at += 1;
        continue;
      }
      if (at > from) parts.push(Buffer.from(source.slice(from, at), 'utf8'));
      const [bytes, end] = this.#readEscape(at);
      parts.push(bytes);
      at = end;
      from = end;
    }
    if (at > from) parts.push(Buffer.from(source.slice(from, at), 'utf8'));
    this.bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    this.#end = at + 1;
  }

  /** Reads an escape that begins with the backslash at `at`. Returns its bytes and where it ends. */
  #readEscape(at: number): [Buffer, number] {
    const { source } = this;
    const char = source[at + 1] ?? '';
    const simple = simpleEscapes[char];
    if (simple !== undefined) return [Buffer.of(simple), at + 2];
    octal.lastIndex = at + 1;
    const octalText = octal.exec(source)?.[0];
    if (octalText !== undefined) {
      const value = Number.parseInt(octalText, 8);
      if (value > 255) throw this.invalid('an octal escape is above \\377', at);
      return [Buffer.of(value), at + 1 + octalText.length];
    }
    const hex = (length: number, atLeast: number): string => {
      const digits = /^[0-9a-fA-F]*/.exec(source.slice(at + 2, at + 2 + length))![0];
      if (digits.length < atLeast) throw this.invalid('an escape lacks hexadecimal digits', at);
      return digits;
    };
    if (char === 'x' || char === 'X') {
      const digits = hex(2, 1);
      return [Buffer.of(Number.parseInt(digits, 16)), at + 2 + digits.length];
    }
    if (char === 'u' || char === 'U') {
      const length = char === 'u' ? 4 : 8;
      const value = Number.parseInt(hex(length, length), 16);
      if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
        throw this.invalid('an escape is not a Unicode character', at);
      }
      return [Buffer.from(String.fromCodePoint(value), 'utf8'), at + 2 + length];
    }
    throw this.invalid('a string has an unknown escape', at);
  }
}
