import { registryLimits } from '../limits.ts';
import { parseOption } from './parse-options.ts';
import type { OptionNode } from './syntax-tree.ts';
import { quoted, type Tokens } from './tokens.ts';

/** Reads the parts of which the statements of a `.proto` text consist. */
export class StatementReader {
  readonly tokens: Tokens;

  constructor(tokens: Tokens) {
    this.tokens = tokens;
  }

  optionStatement(): OptionNode {
    this.tokens.next();
    const option = parseOption(this.tokens);
    this.expectSymbol(';');
    return option;
  }

  /** A name with dots. Only a type may begin with one. */
  typeName(isType: boolean): string {
    const tokens = this.tokens;
    const { at } = tokens;
    let name = '';
    if (isType && this.takeSymbol('.')) name = '.';
    name += this.name('');
    while (this.takeSymbol('.')) {
      name += `.${this.name('')}`;
      if (name.length > registryLimits.protobufFullNameCharsMax) {
        throw tokens.invalid(
          `a name is longer than ${registryLimits.protobufFullNameCharsMax} characters`,
          at,
        );
      }
    }
    return name;
  }

  name(what: string): string {
    const tokens = this.tokens;
    if (tokens.kind !== 'word') throw this.unexpected(what === '' ? 'a name' : `the name ${what}`);
    const { text } = tokens;
    tokens.next();
    return text;
  }

  integer(min: number, max: number, what: string): number {
    const tokens = this.tokens;
    const { at } = tokens;
    const negative = this.takeSymbol('-');
    if (tokens.kind !== 'integer') throw this.unexpected(what);
    const { text } = tokens;
    const isOctal = /^0[0-7]/.test(text);
    const value = (isOctal ? Number.parseInt(text, 8) : Number(text)) * (negative ? -1 : 1);
    if (value < min || value > max) throw tokens.invalid(`${what} must be from ${min} to ${max}`, at);
    tokens.next();
    // Not the negative zero.
    return value + 0;
  }

  isWord(text: string): boolean {
    return this.tokens.kind === 'word' && this.tokens.text === text;
  }

  isSymbol(text: string): boolean {
    return this.tokens.kind === 'symbol' && this.tokens.text === text;
  }

  /** Whether a symbol follows the current word, for names that are keywords too. */
  nextIsSymbol(symbol: string): boolean {
    const { source, at, text } = this.tokens;
    return source
      .slice(at + text.length)
      .trimStart()
      .startsWith(symbol);
  }

  takeSymbol(text: string): boolean {
    if (!this.isSymbol(text)) {
      if (this.tokens.kind === 'end') throw this.unexpected(quoted(text));
      return false;
    }
    this.tokens.next();
    return true;
  }

  /** Reads statements in braces, each by `read`. */
  block(read: () => void): void {
    this.expectSymbol('{');
    while (!this.takeSymbol('}')) if (!this.takeSymbol(';')) read();
  }

  expectSymbol(text: string): void {
    if (!this.takeSymbol(text)) throw this.unexpected(quoted(text));
  }

  unexpected(expected: string) {
    return this.tokens.invalid(`expected ${expected}, found ${this.tokens.describe()}`);
  }
}
