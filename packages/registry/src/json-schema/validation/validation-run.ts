import { registryLimits } from '../../limits.ts';

/** A payload takes more work than is allowed. */
export class ValidationTooLarge extends Error {
  override name = 'ValidationTooLarge';
}

/** Checks a value. If it does not fit, the run has the reason. */
export type Check = (value: unknown, run: ValidationRun) => boolean;

/** Properties and items of one value that subschemas looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Evaluated {
  readonly names = new Set<string>();
  readonly indexes = new Set<number>();
  hasAllNames = false;
  hasAllIndexes = false;
  /** Items below it were looked at. */
  count = 0;

  add(other: Evaluated): void {
    for (const name of other.names) this.names.add(name);
    for (const index of other.indexes) this.indexes.add(index);
    this.hasAllNames ||= other.hasAllNames;
    this.hasAllIndexes ||= other.hasAllIndexes;
    this.count = Math.max(this.count, other.count);
  }
}

/**
 * The validation of one payload, whose work is limited: subschemas that refer to each other can demand exponentially
 * much of it.
 */
export class ValidationRun {
  #stepsLeft: number;
  #searchLeft: number = registryLimits.jsonSearchStepsMax;
  #depth = 0;
  #message = '';
  /** From the value that does not fit to the root. */
  #path: (string | number)[] = [];
  /** Set where unevaluated parts of the value at hand matter. */
  evaluated: Evaluated | undefined;

  constructor(payloadBytes: number) {
    this.#stepsLeft = registryLimits.jsonValidationStepsMax + 4 * payloadBytes;
  }

  /** Applies a subschema. */
  apply(check: Check, value: unknown): boolean {
    this.work(1);
    if (++this.#depth > registryLimits.jsonValidationDepthMax) throw new ValidationTooLarge();
    const fits = check(value, this);
    this.#depth--;
    return fits;
  }

  /** Applies a subschema to a part of the value at hand. */
  applyTo(check: Check, part: unknown, key: string | number): boolean {
    const { evaluated } = this;
    this.evaluated = undefined;
    const fits = this.apply(check, part);
    this.evaluated = evaluated;
    if (!fits) this.#path.push(key);
    return fits;
  }

  /** Whether a subschema fits, without notes on what it evaluated. */
  tries(check: Check, value: unknown): boolean {
    const { evaluated } = this;
    this.evaluated = undefined;
    const fits = this.apply(check, value);
    this.evaluated = evaluated;
    return fits;
  }

  work(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new ValidationTooLarge();
  }

  search(steps: number): void {
    this.#searchLeft -= steps;
    if (this.#searchLeft < 0) throw new ValidationTooLarge();
  }

  /** Notes the reason why the value at hand does not fit. */
  fail(message: string): false {
    this.#message = message;
    this.#path = [];
    return false;
  }

  /** One line with the place of the value that does not fit. */
  get problem(): string {
    const keys = this.#path.toReversed().map((key) => String(key).slice(0, partCharsMax));
    const path = ['#', ...keys].join('/');
    const place = path.length <= pathCharsMax ? path : `${path.slice(0, pathCharsMax)}…`;
    return `${place}: ${this.#message}`.replaceAll(/\s+/g, ' ');
  }
}

const partCharsMax = 100;
const pathCharsMax = 300;
