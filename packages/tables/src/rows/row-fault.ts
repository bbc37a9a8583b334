import type { RowStep } from './row-reader.ts';

/**
 * A record cannot be a row. It is no error of the runtime: many records may fail, and stacks would cost more than the
 * rest.
 */
export class RowFault {
  readonly step: RowStep;
  readonly #place: string;
  readonly #why: string;

  /** `place` is the field, as far as it is known. */
  constructor(step: RowStep, why: string, place = '') {
    this.step = step;
    this.#why = why;
    this.#place = place;
  }

  /** One line. */
  get message(): string {
    return this.#place === '' ? this.#why : `${this.#place}: ${this.#why}`;
  }

  /** The same within a field. */
  within(field: string): RowFault {
    const place = this.#place === '' ? field : `${field}.${this.#place}`;
    return new RowFault(this.step, this.#why, place);
  }
}

export function fail(step: RowStep, why: string): never {
  throw new RowFault(step, why);
}

/** An error of a field: names the field if the error is about a value. */
export function placed(error: unknown, field: string): unknown {
  return error instanceof RowFault && error.step === 'convert' ? error.within(field) : error;
}

/** A value for a message: short, on one line. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 50 ? `${value.slice(0, 50)}…` : value);
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Uint8Array) return `a value of ${value.length} bytes`;
  if (typeof value === 'object') return 'an object';
  const text = String(value);
  return text.length > 50 ? `${text.slice(0, 50)}…` : text;
}
