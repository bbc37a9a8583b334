import type { Token } from './language.ts';
import type { Place } from './problem.ts';

/** The tokens of a text, read from left to right. */
export class TokenReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  /** Returns the next token without consuming it. */
  peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** The token after the next one. */
  peekSecond(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  take(): Token | undefined {
    return this.#tokens[this.#at++];
  }

  takeIf(...names: readonly string[]): Token | undefined {
    const token = this.peek();
    return token !== undefined && names.includes(token.name) ? this.take() : undefined;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** The position right after the last consumed token. */
  get end(): Place {
    const to = this.#tokens[this.#at - 1]?.to ?? 0;
    return { from: to, to };
  }

  /**
   * Consumes the tokens that follow without a space, while `belongs` accepts them. Returns the range from the start on.
   */
  takeGlued(from: number, belongs: (token: Token) => boolean): Place {
    let next = this.peek();
    while (next !== undefined && next.from === this.end.to && belongs(next)) {
      this.take();
      next = this.peek();
    }
    return { from, to: this.end.to };
  }

  textOf({ from, to }: Place): string {
    return this.#text.slice(from, to);
  }
}
