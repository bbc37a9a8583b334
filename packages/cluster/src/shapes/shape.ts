/** Numbers that are sent in their in-memory format. */
export type Column = Uint8Array | Int16Array | Uint32Array | Int32Array | Float64Array;

/**
 * Returns what is wrong with a value from the wire, as `where: what`, or `undefined` if it is a `T`. A well-formed
 * frame may still contain anything.
 */
export type Shape<T> = ((value: unknown, where: string) => string | undefined) & {
  readonly _?: readonly [T] | undefined;
};

/** The type of the values that a shape accepts. */
export type TypeOf<S> = S extends Shape<infer T> ? T : never;

export const text: Shape<string> = (value, where) =>
  typeof value === 'string' ? undefined : `${where}: not a text`;

export const flag: Shape<boolean> = (value, where) =>
  typeof value === 'boolean' ? undefined : `${where}: not true or false`;

export const number: Shape<number> = (value, where) =>
  typeof value === 'number' ? undefined : `${where}: not a number`;

/** A safe integer from -1. */
export const whole: Shape<number> = (value, where) =>
  Number.isSafeInteger(value) && (value as number) >= -1 ? undefined : `${where}: not a whole number`;

/** A value that is not validated here. */
export const anything: Shape<unknown> = () => undefined;

/** A column over any kind of buffer: one that was received may lie in shared memory. */
type ColumnOf<T extends Column> = Extract<
  Column,
  { readonly [Symbol.toStringTag]: T[typeof Symbol.toStringTag] }
>;

export function column<T extends Column>(type: new (length: number) => T): Shape<ColumnOf<T>> {
  return (value, where) => (value instanceof type ? undefined : `${where}: not a column of ${type.name}`);
}

export function oneOf<const T extends string>(...names: readonly T[]): Shape<T> {
  return (value, where) =>
    names.includes(value as T) ? undefined : `${where}: not one of ${names.join(', ')}`;
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, where) => (value === undefined ? undefined : shape(value, where));
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value, where) => (value === null ? undefined : shape(value, where));
}

export function list<T>(shape: Shape<T>): Shape<readonly T[]> {
  return (value, where) => {
    if (!Array.isArray(value)) return `${where}: not a list`;
    for (let index = 0; index < value.length; index++) {
      const problem = shape(value[index], where);
      if (problem !== undefined) return `${problem} (entry ${index})`;
    }
    return undefined;
  };
}

/** A list with one shape per index. */
export function tuple<T extends readonly unknown[]>(
  ...shapes: { readonly [I in keyof T]: Shape<T[I]> }
): Shape<T> {
  const places = shapes.map((_, index) => `[${index}]`);
  return (value, where) => {
    if (!Array.isArray(value) || value.length !== shapes.length) {
      return `${where}: not a list of ${shapes.length}`;
    }
    for (let index = 0; index < shapes.length; index++) {
      const problem = shapes[index]!(value[index], places[index]!);
      if (problem !== undefined) return where + problem;
    }
    return undefined;
  };
}

/** An object of strings. */
export const texts: Shape<Readonly<Record<string, string>>> = (value, where) => {
  if (!isObject(value)) return `${where}: not an object`;
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'string') return `${where}.${key}: not a text`;
  }
  return undefined;
};

type Members = Readonly<Record<string, Shape<unknown>>>;

type OptionalKeys<M extends Members> = {
  [K in keyof M]: undefined extends TypeOf<M[K]> ? K : never;
}[keyof M];

type StructOf<M extends Members> = {
  readonly [K in Exclude<keyof M, OptionalKeys<M>>]: TypeOf<M[K]>;
} & {
  readonly [K in OptionalKeys<M>]?: TypeOf<M[K]>;
};

/** An object whose type derives from its members, so that each is stated once; `optional` ones may be absent. */
export function struct<const M extends Members>(
  members: M,
): Shape<{ [K in keyof StructOf<M>]: StructOf<M>[K] }> {
  return object(members as never);
}

/** An object of a type that is declared elsewhere. */
export function object<T extends object>(
  members: {
    readonly [K in keyof T]-?: Shape<T[K]>;
  },
): Shape<T> {
  // Places are joined only when there is a problem: formatting one per member took most of the time of a call.
  const rows = Object.entries<Shape<unknown>>(members).map(([key, shape]) => ({
    key,
    shape,
    place: `.${key}`,
  }));
  return (value, where) => {
    if (!isObject(value)) return `${where}: not an object`;
    for (const { key, shape, place } of rows) {
      const problem = shape(value[key], place);
      if (problem !== undefined) return where + problem;
    }
    return undefined;
  };
}

/** An object whose columns of these names have equal length. */
export function equallyLong<T extends object>(
  shape: Shape<T>,
  first: keyof T & string,
  ...others: (keyof T & string)[]
): Shape<T> {
  return (value, where) => {
    const problem = shape(value, where);
    if (problem !== undefined) return problem;
    const found = value as Readonly<Record<string, { readonly length: number }>>;
    const rowCount = found[first]!.length;
    for (const key of others) {
      const rows = found[key]!.length;
      if (rows !== rowCount) return `${where}.${key}: ${rows} rows, but ${first} has ${rowCount}`;
    }
    return undefined;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
