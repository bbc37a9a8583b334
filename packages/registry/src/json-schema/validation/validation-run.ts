import { registryLimits } from '../../limits.ts';
import type { PayloadWork } from '../../payload-work.ts';

/** A payload takes more work than is allowed. */
export class ValidationTooLarge extends Error {
  override name = 'ValidationTooLarge';
}

/** Subschemas nest deeper than the stack is sure to have room for. */
export class ValidationTooDeep extends Error {
  override name = 'ValidationTooDeep';
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

/** What a step costs: a subschema that is applied, or a property that is looked at. */
const stepWork = 16;
/** What a pattern costs for each unit of its cost and each character: a tenth of the worst case, and more than most. */
const searchWork = 4;
/** What preparing a subschema for its first use costs. */
const makingWork = 1024;
/** What compiling a pattern costs in any case, and for each unit of its cost. */
const compilationWork = 100_000;
const compilationWorkPerCost = 500;

/** Objects with more properties list them slowly. */
const listedPropertiesMax = 128;

/**
 * The validation of one payload. All that takes time that grows with the payload or the schema is charged, because
 * subschemas that refer to each other can demand exponentially much of it.
 */
export class ValidationRun {
  readonly #work: PayloadWork;
  /** The names of large objects, which are listed once. */
  #names: Map<object, readonly string[]> | undefined;
  #depth = 0;
  #message = '';
  /** From the value that does not fit to the root. */
  #path: (string | number)[] = [];
  /** Set where unevaluated parts of the value at hand matter. */
  evaluated: Evaluated | undefined;

  constructor(work: PayloadWork) {
    this.#work = work;
  }

  /** Applies a subschema. */
  apply(check: Check, value: unknown): boolean {
    this.work(1);
    if (++this.#depth > registryLimits.jsonValidationDepthMax) throw new ValidationTooDeep();
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
    this.#work.spend(stepWork * steps);
    if (this.#work.isExceeded) throw new ValidationTooLarge();
  }

  /** The names of an object's properties. */
  namesOf(value: unknown): readonly string[] {
    const known = this.#names?.get(value as object);
    if (known !== undefined) return known;
    const names = Object.keys(value as object);
    if (names.length <= listedPropertiesMax) {
      this.work(names.length / 4);
      return names;
    }
    this.#names ??= new Map();
    this.#names.set(value as object, names);
    this.work(8 * names.length);
    return names;
  }

  /** Charges a subschema that is used for the first time. */
  made(): void {
    this.#work.spendOnce(makingWork);
  }

  /** Charges the compilation of a pattern, which is done again if the patterns of the process are too many. */
  compiled(cost: number, isFirst: boolean): void {
    const work = compilationWork + compilationWorkPerCost * cost;
    if (isFirst) this.#work.spendOnce(work);
    else this.#work.spend(work);
  }

  /** Charges the search for a pattern of a cost in so many characters. */
  search(cost: number, chars: number): void {
    this.#work.spend(searchWork * cost * (chars + 1));
    if (this.#work.isExceeded) throw new ValidationTooLarge();
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
