/**
 * Values of mappings. Numbers are 64-bit integers or floats, as in Go: a safe integer is an int64, a `bigint` is an
 * integer beyond that, every other number is a float64. A float64 that looks like a safe integer, or is not finite, is
 * a `Float`; so is a computed one that is large or tiny, because its text has an exponent. So most numbers need no
 * object, and documents from `JSON.parse` are values as they are.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Bytes
  | Timestamp
  | Sentinel
  | Value[]
  | ValueObject;

export interface ValueObject {
  [key: string]: Value;
}

/** What an assignment does instead of setting a value. */
export class Sentinel {
  readonly name: 'delete' | 'nothing';
  constructor(name: 'delete' | 'nothing') {
    this.name = name;
  }
}

/** The target of the assignment, the element or the message is removed. */
export const deletedValue = new Sentinel('delete');
/** The assignment is skipped. */
export const nothingValue = new Sentinel('nothing');

/** A float64 that would be taken for an integer, that is not finite, or that is printed with an exponent. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  toJSON(): number {
    if (!Number.isFinite(this.value)) throw new UnprintableNumber(this.value);
    return this.value;
  }
}

/** JSON has no text for a number that is not finite. */
class UnprintableNumber extends Error {
  constructor(value: number) {
    super(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  }
}

/** A byte array; base64 in JSON. */
export class Bytes {
  readonly buffer: Buffer;
  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }
  toJSON(): string {
    return this.buffer.toString('base64');
  }
}

/** The zone of a timestamp: its offset at a time, and what it is called. */
export interface Zone {
  readonly name: string;
  offsetSecondsAt(unixSeconds: number): number;
  abbreviationAt(unixSeconds: number): string;
}

/** A point in time with nanoseconds and a zone. */
export class Timestamp {
  readonly unixSeconds: number;
  /** From 0 to 999,999,999. */
  readonly nanos: number;
  readonly zone: Zone;
  /** Set by `time-format.ts`, so that values need not know layouts. */
  static print: (timestamp: Timestamp) => string = () => '';
  constructor(unixSeconds: number, nanos: number, zone: Zone) {
    this.unixSeconds = unixSeconds;
    this.nanos = nanos;
    this.zone = zone;
  }
  toJSON(): string {
    return Timestamp.print(this);
  }
}

export type TypeName =
  | 'null'
  | 'bool'
  | 'number'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'array'
  | 'object'
  | 'delete'
  | 'nothing';

export function typeOf(value: Value): TypeName {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'bool';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Float) return 'number';
  if (value instanceof Bytes) return 'bytes';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Sentinel) return value.name;
  return 'object';
}

export function isObject(value: Value): value is ValueObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Whether `or` and `|` take the other value. */
export function isAbsent(value: Value): boolean {
  return value === null || value === deletedValue || value === nothingValue;
}
