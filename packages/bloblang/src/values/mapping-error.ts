import { printFloat } from './print-float.ts';
import { Float, type TypeName, typeOf, type Value } from './value.ts';

/** Longer texts are cut in messages. */
const shownCharsMax = 200;

/**
 * A mapping failed on a message. Mappings catch such errors in normal operation, so they are made without a stack,
 * which would cost more than the rest.
 */
export class MappingError extends Error {
  /** What the value came from, such as "field `this.a`"; it is named once. */
  from: string | undefined;
  /** Whether the text already says where the value came from, or must not. */
  isPlaced = false;
  static of(message: string): MappingError {
    const error: MappingError = Object.create(MappingError.prototype);
    Object.defineProperty(error, 'message', { value: message, writable: true, configurable: true });
    error.from = undefined;
    error.isPlaced = false;
    return error;
  }
}

/** A value has the wrong type. */
class TypeError_ extends MappingError {
  expected: readonly string[] = [];
  actual: TypeName = 'null';
  shown = '';
  /** The text, with the source if it is known by now. */
  text(): string {
    const { expected, actual, from, shown } = this;
    const kinds =
      expected.length < 3
        ? expected.join(' or ')
        : `${expected.slice(0, -1).join(', ')} or ${expected.at(-1)}`;
    const source = from === undefined ? '' : ` from ${from}`;
    return `expected ${kinds} value, got ${actual}${source}${shown === '' ? '' : ` (${shown})`}`;
  }
}

/** One run of a mapping exceeded a limit; a mapping cannot catch this. */
export class LimitError extends Error {}

export const fail = (message: string): never => {
  throw MappingError.of(message);
};

export function wrongType(value: Value, ...expected: string[]): TypeError_ {
  const error: TypeError_ = Object.create(TypeError_.prototype);
  error.expected = expected;
  error.actual = typeOf(value);
  error.shown = shownValue(value);
  error.from = undefined;
  error.isPlaced = false;
  Object.defineProperty(error, 'message', { get: () => error.text(), configurable: true });
  return error;
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
