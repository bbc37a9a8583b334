import { unescapeGo } from '../go/quote.ts';
import { bloblangLimits } from '../limits.ts';
import { BloblangError } from './syntax-error.ts';

const identifier = /[A-Za-z0-9_]+/y;
const snakeCase = /[a-z0-9_]+/y;
const spaces = /[ \t]+/y;
const newline = /(?:#[^\n]*)?\r?\n/y;
const comment = /#[^\n]*$/y;
const digits = /\d+/y;

/**
 * Reads characters of a mapping. The language has no separate tokens: whether spaces and line breaks are allowed
 * depends on the place. Methods that begin with `try` leave the place as it is if they find nothing.
 */
export class Scanner {
  readonly text: string;
  readonly file: string | undefined;
  at = 0;
  #depth = 0;
  /** How far the text could be read by any rule, and what those that went so far expected there. */
  #furthest = 0;
  #expected: string[] = [];

  constructor(text: string, file?: string) {
    this.text = text;
    this.file = file;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Notes what a rule expected here; returns `undefined` for the rule to return. */
  missing(what: string): undefined {
    if (this.at > this.#furthest) {
      this.#furthest = this.at;
      this.#expected = [];
    }
    if (this.at === this.#furthest && !this.#expected.includes(what)) this.#expected.push(what);
    return undefined;
  }

  /** The error of the rule that went furthest. */
  furthestError(): BloblangError {
    const expected = this.#expected.length === 0 ? ['a statement'] : this.#expected;
    const last = expected.at(-1)!;
    const list = expected.length === 1 ? last : `${expected.slice(0, -1).join(', ')} or ${last}`;
    return this.errorAt(this.#furthest, `expected ${list}, ${this.#got(this.#furthest)}`);
  }

  #got(at: number): string {
    if (at >= this.text.length) return 'but reached end of input';
    return `got: ${this.text.slice(at, at + 5).replaceAll('\n', '\\n')}`;
  }

  errorAt(at: number, message: string): BloblangError {
    return new BloblangError(this.text, at, message, this.file);
  }

  /** The place must continue as a rule says. */
  required(what: string): BloblangError {
    return this.errorAt(this.at, `required: expected ${what}, ${this.#got(this.at)}`);
  }

  /** Runs a rule one level deeper. */
  nested<Result>(rule: () => Result): Result {
    if (++this.#depth > bloblangLimits.nestingMax)
      throw this.errorAt(this.at, `expressions are nested more than ${bloblangLimits.nestingMax} deep`);
    const result = rule();
    this.#depth--;
    return result;
  }

  #tryPattern(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  tryTerm(term: string): boolean {
    if (!this.text.startsWith(term, this.at)) return false;
    this.at += term.length;
    return true;
  }

  tryIdentifier(): string | undefined {
    return this.#tryPattern(identifier);
  }

  trySnakeCase(): string | undefined {
    return this.#tryPattern(snakeCase);
  }

  tryDigits(): string | undefined {
    return this.#tryPattern(digits);
  }

  trySpaces(): boolean {
    return this.#tryPattern(spaces) !== undefined;
  }

  /** A line break, with a comment before it. A comment may also end the text. */
  tryNewline(): boolean {
    return this.#tryPattern(newline) !== undefined || (this.#tryPattern(comment) ?? '') !== '';
  }

  /** Spaces, line breaks and comments, if any. */
  skipWhitespace(): void {
    while (this.trySpaces() || this.tryNewline());
  }

  /** A string in double quotes. */
  tryQuoted(): string | undefined {
    if (this.text[this.at] !== '"') return undefined;
    const start = this.at;
    for (let index = start + 1; index < this.text.length; index++) {
      const character = this.text[index];
      if (character === '\\') index++;
      else if (character === '"') {
        const inner = unescapeGo(this.text.slice(start + 1, index));
        if (inner === undefined)
          throw this.errorAt(start, 'failed to unescape quoted string contents: invalid syntax');
        this.at = index + 1;
        return inner;
      }
    }
    throw this.errorAt(this.text.length, 'required: expected end quote, but reached end of input');
  }

  /** A string in three double quotes, which has no escapes. */
  tryTripleQuoted(): string | undefined {
    if (!this.text.startsWith('"""', this.at)) return undefined;
    const end = this.text.indexOf('"""', this.at + 3);
    if (end < 0)
      throw this.errorAt(this.text.length, 'required: expected end triple-quote, but reached end of input');
    const inner = this.text.slice(this.at + 3, end);
    this.at = end + 3;
    return inner;
  }
}
