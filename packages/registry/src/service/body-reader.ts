import { RegistryError, type RegistryErrorName } from '../registry-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads the fields of a JSON body. A field of another type is 400, as Confluent's registry answers; any other mistake
 * has the error of the endpoint. As there, numbers and booleans pass as texts, and texts of them as numbers and
 * booleans.
 */
export class BodyReader {
  readonly #error: RegistryErrorName;
  readonly #typeError: RegistryErrorName;

  constructor(error: RegistryErrorName, typeError: RegistryErrorName = 'malformedBody') {
    this.#error = error;
    this.#typeError = typeError;
  }

  refuse(problem: string): never {
    throw new RegistryError(this.#error, problem);
  }

  #malformed(problem: string): never {
    throw new RegistryError(this.#typeError, problem);
  }

  object(value: unknown, where = 'The body'): JsonObject {
    if (value === undefined || value === null)
      throw new RegistryError('missingBody', `${where} is missing: send a JSON object.`);
    if (typeof value !== 'object' || Array.isArray(value)) this.#malformed(`${where} is not a JSON object.`);
    return value as JsonObject;
  }

  /** A field that is absent or null is undefined. */
  field(object: JsonObject, name: string): unknown {
    return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
  }

  text(object: JsonObject, name: string, charsMax = Infinity): string | undefined {
    const value = this.field(object, name);
    if (value === undefined) return undefined;
    const text = textOf(value) ?? this.#malformed(`The field ${name} is not a string.`);
    if (text.length > charsMax) this.refuse(`The field ${name} has more than ${charsMax} characters.`);
    return text;
  }

  integer(object: JsonObject, name: string): number | undefined {
    const given = this.field(object, name);
    const value = typeof given === 'string' && /^[+-]?\d{1,10}$/.test(given) ? Number(given) : given;
    if (value === undefined) return undefined;
    if (!Number.isInteger(value) || Math.abs(value as number) > 2 ** 31 - 1)
      this.#malformed(`The field ${name} is not an integer of 32 bits.`);
    return value as number;
  }

  boolean(object: JsonObject, name: string): boolean | undefined {
    const value = this.field(object, name);
    if (value === undefined) return undefined;
    if (value === 'true' || value === 'false') return value === 'true';
    if (typeof value !== 'boolean') this.#malformed(`The field ${name} is neither true nor false.`);
    return value;
  }

  list(object: JsonObject, name: string, countMax: number): readonly unknown[] | undefined {
    const value = this.field(object, name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) this.#malformed(`The field ${name} is not an array.`);
    if (value.length > countMax) this.refuse(`The field ${name} has more than ${countMax} elements.`);
    return value;
  }

  texts(object: JsonObject, name: string, countMax: number): readonly string[] | undefined {
    return this.list(object, name, countMax)?.map(
      (value) => textOf(value) ?? this.#malformed(`The field ${name} is not an array of strings.`),
    );
  }

  /** A map from names to strings. */
  textMap(object: JsonObject, name: string): Readonly<Record<string, string>> | undefined {
    return this.#map(
      object,
      name,
      (value) => textOf(value) ?? this.#malformed(`The field ${name} is not a map of strings.`),
    );
  }

  /** A map from names to lists of strings. */
  textsMap(object: JsonObject, name: string): Readonly<Record<string, readonly string[]>> | undefined {
    return this.#map(object, name, (value) => {
      const texts = Array.isArray(value) ? value.map(textOf) : [undefined];
      if (texts.includes(undefined)) this.#malformed(`The field ${name} is not a map of arrays of strings.`);
      return texts as readonly string[];
    });
  }

  #map<Value>(
    object: JsonObject,
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

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : undefined;
}
