import type { Bytes, Timestamp, Value } from '../values/value.ts';
import type { Query } from './query.ts';

/** Arguments by the names of their parameters; their types have been checked. */
export class Args {
  readonly #values: ReadonlyMap<string, Value | Query>;
  /** All of a variadic list. */
  readonly list: readonly Value[];
  constructor(values: ReadonlyMap<string, Value | Query>, list: readonly Value[]) {
    this.#values = values;
    this.list = list;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }
  string(name: string): string {
    return this.#values.get(name) as string;
  }
  optionalString(name: string): string | undefined {
    return this.#values.get(name) as string | undefined;
  }
  binary(name: string): Buffer {
    return (this.#values.get(name) as Bytes).buffer;
  }
  optionalBinary(name: string): Buffer | undefined {
    return this.has(name) ? this.binary(name) : undefined;
  }
  bool(name: string): boolean {
    return this.#values.get(name) as boolean;
  }
  optionalBool(name: string): boolean | undefined {
    return this.#values.get(name) as boolean | undefined;
  }
  float(name: string): number {
    return this.#values.get(name) as number;
  }
  optionalFloat(name: string): number | undefined {
    return this.#values.get(name) as number | undefined;
  }
  bigint(name: string): bigint {
    return this.#values.get(name) as bigint;
  }
  /** For positions and counts, which are small. */
  integer(name: string): number {
    return Number(this.bigint(name));
  }
  optionalInteger(name: string): number | undefined {
    return this.has(name) ? this.integer(name) : undefined;
  }
  array(name: string): readonly Value[] {
    return this.#values.get(name) as Value[];
  }
  optionalArray(name: string): readonly Value[] | undefined {
    return this.#values.get(name) as Value[] | undefined;
  }
  timestamp(name: string): Timestamp {
    return this.#values.get(name) as Timestamp;
  }
  any(name: string): Value {
    return this.#values.get(name) as Value;
  }
  query(name: string): Query {
    return this.#values.get(name) as Query;
  }
  optionalQuery(name: string): Query | undefined {
    return this.#values.get(name) as Query | undefined;
  }
}
