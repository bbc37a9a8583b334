import { printFloat } from './print-float.ts';
import { Float, typeOf, type Value } from './value.ts';

/** Longer texts are cut in messages. */
const shownCharsMax = 200;

/**
 * A mapping failed on a message. Mappings catch such errors in normal operation, so they are no errors of the runtime:
 * its stack would cost more than the rest.
 */
export class MappingError {
  readonly #message: string;
  /** Whether the text already says where the value came from, or must not. */
  isPlaced = false;
  constructor(message: string) {
    this.#message = message;
  }
  static of(message: string): MappingError {
    return new MappingError(message);
  }
  get message(): string {
    return this.#message;
  }
}

/** A value has the wrong type. */
class TypeError_ extends MappingError {
  readonly #value: Value;
  readonly #expected: readonly string[];
  /** What the value came from, such as "field `this.a`"; it is named once. */
  from: string | undefined;
  constructor(value: Value, expected: readonly string[]) {
    super('');
    this.#value = value;
    this.#expected = expected;
  }
  /** The text, with the source if it is known by now. */
  override get message(): string {
    const expected = this.#expected;
    const kinds =
      expected.length < 3
        ? expected.join(' or ')
        : `${expected.slice(0, -1).join(', ')} or ${expected.at(-1)}`;
    const source = this.from === undefined ? '' : ` from ${this.from}`;
    const shown = shownValue(this.#value);
    return `expected ${kinds} value, got ${typeOf(this.#value)}${source}${shown === '' ? '' : ` (${shown})`}`;
  }
}

/** One run of a mapping exceeded a limit; a mapping cannot catch this. */
export class LimitError extends Error {}

export const fail = (message: string): never => {
  throw MappingError.of(message);
};

export function wrongType(value: Value, ...expected: string[]): MappingError {
  return new TypeError_(value, expected);
}

function shownValue(value: Value): string {
  if (typeof value === 'string') return `"${cut(value)}"`;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return printFloat(value, 21);
  if (value instanceof Float) return printFloat(value.value, 21);
  return '';
}

export function cut(text: string): string {
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}

/** Says where the value came from that a method could not use, if nothing said so yet. */
export function placed(error: unknown, annotation: string): unknown {
  if (!(error instanceof MappingError) || error.isPlaced) return error;
  error.isPlaced = true;
  if (error instanceof TypeError_) {
    error.from ??= annotation;
    return error;
  }
  return prefixed(error, annotation);
}

/** The same error with more text before it. */
export function prefixed(error: unknown, prefix: string): unknown {
  if (!(error instanceof MappingError)) return error;
  const other = MappingError.of(`${prefix}: ${error.message}`);
  other.isPlaced = error.isPlaced || !(error instanceof TypeError_);
  return other;
}
