import { InvalidTable } from '../table-errors.ts';
import type { Json, JsonObject } from './exact-json.ts';

const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

/**
 * Reads the fields of a JSON object that another program wrote. Each method throws an `InvalidTable` that names the
 * place; those that end in `IfAny` return `undefined` for an absent field or `null`.
 */
export class ObjectReader {
  readonly #object: JsonObject;
  /** The place in the document, for errors. */
  readonly place: string;

  constructor(value: Json | undefined, place: string) {
    this.place = place;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new InvalidTable(`${place}: must be a JSON object`);
    this.#object = value as JsonObject;
  }

  has(key: string): boolean {
    return this.#value(key) !== undefined;
  }

  keys(): string[] {
    return Object.keys(this.#object);
  }

  text(key: string): string {
    return this.#required(key, this.textIfAny(key), 'a string');
  }

  textIfAny(key: string): string | undefined {
    return this.#typed(key, 'a string', (value) => typeof value === 'string') as string | undefined;
  }

  flag(key: string): boolean {
    return this.#required(key, this.flagIfAny(key), 'true or false');
  }

  flagIfAny(key: string): boolean | undefined {
    return this.#typed(key, 'true or false', (value) => typeof value === 'boolean') as boolean | undefined;
  }

  /** A number without a fraction that fits 32 bits or is otherwise exact, such as milliseconds. */
  integer(key: string): number {
    return this.#required(key, this.integerIfAny(key), 'an integer');
  }

  integerIfAny(key: string): number | undefined {
    return this.#typed(key, 'an integer', Number.isSafeInteger) as number | undefined;
  }

  long(key: string): bigint {
    return this.#required(key, this.longIfAny(key), 'a 64-bit integer');
  }

  longIfAny(key: string): bigint | undefined {
    const value = this.#typed(key, 'a 64-bit integer', isLong);
    return value === undefined ? undefined : BigInt(value as number | bigint);
  }

  object(key: string): ObjectReader {
    return new ObjectReader(this.#value(key), this.#placeOf(key));
  }

  objectIfAny(key: string): ObjectReader | undefined {
    return this.has(key) ? this.object(key) : undefined;
  }

  list<Item>(key: string, read: (item: Json, place: string) => Item): Item[] {
    return this.#required(key, this.listIfAny(key, read), 'a list');
  }

  listIfAny<Item>(key: string, read: (item: Json, place: string) => Item): Item[] | undefined {
    const value = this.#typed(key, 'a list', Array.isArray) as readonly Json[] | undefined;
    return value?.map((item, at) => read(item, `${this.#placeOf(key)}[${at}]`));
  }

  /** An object whose values are strings. */
  texts(key: string): Record<string, string> {
    const found = this.objectIfAny(key);
    return Object.fromEntries(found?.keys().map((name) => [name, found.text(name)]) ?? []);
  }

  /** The value as it is; `undefined` if it is absent or `null`. */
  raw(key: string): Json | undefined {
    return this.#value(key);
  }

  #value(key: string): Json | undefined {
    return Object.hasOwn(this.#object, key) ? (this.#object[key] ?? undefined) : undefined;
  }

  #placeOf(key: string): string {
    return `${this.place}.${key}`;
  }

  #typed(key: string, wanted: string, isWanted: (value: Json) => boolean): Json | undefined {
    const value = this.#value(key);
    if (value !== undefined && !isWanted(value))
      throw new InvalidTable(`${this.#placeOf(key)}: must be ${wanted}`);
    return value;
  }

  #required<Value>(key: string, value: Value | undefined, wanted: string): Value {
    if (value === undefined) throw new InvalidTable(`${this.#placeOf(key)}: missing; must be ${wanted}`);
    return value;
  }
}

function isLong(value: Json): boolean {
  return typeof value === 'bigint' ? value >= longMin && value <= longMax : Number.isSafeInteger(value);
}

/** Reads an item of a list as an integer. */
export function readInteger(item: Json, place: string): number {
  if (!Number.isSafeInteger(item)) throw new InvalidTable(`${place}: must be an integer`);
  return item as number;
}

/** Reads an item of a list as a 64-bit integer. */
export function readLong(item: Json, place: string): bigint {
  if (!isLong(item)) throw new InvalidTable(`${place}: must be a 64-bit integer`);
  return BigInt(item as number | bigint);
}

/** Reads an item of a list as a string. */
export function readText(item: Json, place: string): string {
  if (typeof item !== 'string') throw new InvalidTable(`${place}: must be a string`);
  return item;
}
