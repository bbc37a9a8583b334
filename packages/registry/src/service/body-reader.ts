import { RegistryError, type RegistryErrorName } from '../registry-error.ts';

/** Reads the fields of a JSON body. Whatever is not as it should be is refused with the error of the endpoint. */
export class BodyReader {
  readonly #error: RegistryErrorName;

  constructor(error: RegistryErrorName) {
    this.#error = error;
  }

  refuse(problem: string): never {
    throw new RegistryError(this.#error, problem);
  }

  object(value: unknown, where = 'The body'): Readonly<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      this.refuse(`${where} is not a JSON object.`);
    return value as Readonly<Record<string, unknown>>;
  }

  /** A field that is absent or null is undefined. */
  field(object: Readonly<Record<string, unknown>>, name: string): unknown {
    return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
  }

  text(object: Readonly<Record<string, unknown>>, name: string, charsMax = Infinity): string | undefined {
    const value = this.field(object, name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') this.refuse(`The field ${name} is not a string.`);
    if (value.length > charsMax) this.refuse(`The field ${name} has more than ${charsMax} characters.`);
    return value;
  }

  integer(object: Readonly<Record<string, unknown>>, name: string): number | undefined {
    const value = this.field(object, name);
    if (value === undefined) return undefined;
    if (!Number.isInteger(value) || Math.abs(value as number) > 2 ** 31 - 1)
      this.refuse(`The field ${name} is not an integer of 32 bits.`);
    return value as number;
  }

  boolean(object: Readonly<Record<string, unknown>>, name: string): boolean | undefined {
    const value = this.field(object, name);
    if (value === undefined) return undefined;
    if (value === 'true' || value === 'false') return value === 'true';
    if (typeof value !== 'boolean') this.refuse(`The field ${name} is neither true nor false.`);
    return value;
  }

  list(
    object: Readonly<Record<string, unknown>>,
    name: string,
    countMax: number,
  ): readonly unknown[] | undefined {
    const value = this.field(object, name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) this.refuse(`The field ${name} is not an array.`);
    if (value.length > countMax) this.refuse(`The field ${name} has more than ${countMax} elements.`);
    return value;
  }

  texts(
    object: Readonly<Record<string, unknown>>,
    name: string,
    countMax: number,
  ): readonly string[] | undefined {
    const values = this.list(object, name, countMax);
    for (const value of values ?? [])
      if (typeof value !== 'string') this.refuse(`The field ${name} is not an array of strings.`);
    return values as readonly string[] | undefined;
  }

  /** A map from names to strings. */
  textMap(
    object: Readonly<Record<string, unknown>>,
    name: string,
  ): Readonly<Record<string, string>> | undefined {
    return this.#map(object, name, (value) => {
      if (typeof value !== 'string') this.refuse(`The field ${name} is not a map of strings.`);
      return value;
    });
  }

  /** A map from names to lists of strings. */
  textsMap(
    object: Readonly<Record<string, unknown>>,
    name: string,
  ): Readonly<Record<string, readonly string[]>> | undefined {
    return this.#map(object, name, (value) => {
      if (!Array.isArray(value) || !value.every((text) => typeof text === 'string'))
        this.refuse(`The field ${name} is not a map of arrays of strings.`);
      return value as readonly string[];
    });
  }

  #map<Value>(
    object: Readonly<Record<string, unknown>>,
    name: string,
    read: (value: unknown) => Value,
  ): Readonly<Record<string, Value>> | undefined {
    const value = this.field(object, name);
    if (value === undefined) return undefined;
    const entries = Object.entries(this.object(value, `The field ${name}`));
    // Assigning to it would change the prototype of the object.
    if (entries.some(([key]) => key === '__proto__')) this.refuse(`The field ${name} has the key __proto__.`);
    return Object.fromEntries(entries.map(([key, element]) => [key, read(element)]));
  }
}
