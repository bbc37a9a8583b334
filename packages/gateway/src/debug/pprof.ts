/**
 * Profiles as `go tool pprof` and others read them: the protobuf messages of github.com/google/pprof, profile.proto.
 * Only what V8's profiles need of them is written.
 */

/** A function of a stack. */
interface Frame {
  readonly name: string;
  readonly file: string;
  /** Counted from 1; 0 if unknown. */
  readonly line: number;
}

interface ValueType {
  readonly type: string;
  readonly unit: string;
}

interface PprofOptions {
  readonly valueTypes: readonly ValueType[];
  readonly period: ValueType & { readonly value: number };
  readonly timeMs: number;
  readonly durationMs: number;
}

/** Field numbers of profile.proto. */
const profileFields = {
  sampleType: 1,
  sample: 2,
  location: 4,
  function: 5,
  stringTable: 6,
  timeNanos: 9,
  durationNanos: 10,
  periodType: 11,
  period: 12,
} as const;

export class PprofBuilder {
  readonly #profile = new MessageWriter();
  readonly #strings = new Map<string, number>([['', 0]]);
  readonly #locations = new Map<string, number>();

  constructor({ valueTypes, period, timeMs, durationMs }: PprofOptions) {
    for (const valueType of valueTypes)
      this.#profile.message(profileFields.sampleType, this.#valueType(valueType));
    this.#profile.integer(profileFields.timeNanos, BigInt(Math.round(timeMs)) * 1_000_000n);
    this.#profile.integer(profileFields.durationNanos, BigInt(Math.round(durationMs * 1_000_000)));
    this.#profile.message(profileFields.periodType, this.#valueType(period));
    this.#profile.integer(profileFields.period, period.value);
  }

  /** Returns the number of a function, for stacks. */
  location(frame: Frame): number {
    const key = `${frame.line} ${frame.name} ${frame.file}`;
    const known = this.#locations.get(key);
    if (known !== undefined) return known;
    // Numbers begin with 1. Functions and locations are one to one, so they share them.
    const id = this.#locations.size + 1;
    this.#locations.set(key, id);
    const name = this.#string(frame.name);
    this.#profile.message(
      profileFields.function,
      new MessageWriter()
        .integer(1, id)
        .integer(2, name)
        .integer(3, name)
        .integer(4, this.#string(frame.file))
        .integer(5, frame.line),
    );
    const line = new MessageWriter().integer(1, id).integer(2, frame.line);
    this.#profile.message(profileFields.location, new MessageWriter().integer(1, id).message(4, line));
    return id;
  }

  /** Adds a stack, the function that ran first, with a value of each type. */
  sample(locations: readonly number[], values: readonly number[]): void {
    this.#profile.message(
      profileFields.sample,
      new MessageWriter().packed(1, locations).packed(2, values.map(Math.round)),
    );
  }

  finish(): Buffer {
    for (const text of this.#strings.keys()) this.#profile.text(profileFields.stringTable, text);
    return this.#profile.bytes();
  }

  #valueType({ type, unit }: ValueType): MessageWriter {
    return new MessageWriter().integer(1, this.#string(type)).integer(2, this.#string(unit));
  }

  #string(text: string): number {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    this.#strings.set(text, this.#strings.size);
    return this.#strings.size - 1;
  }
}

/** Writes the fields of one protobuf message. */
class MessageWriter {
  #bytes = Buffer.allocUnsafe(64);
  #length = 0;

  /** A field of 0 is absent. */
  integer(field: number, value: number | bigint): this {
    if (value === 0 || value === 0n) return this;
    this.#varint(field * 8);
    if (typeof value === 'number') this.#varint(value);
    else this.#long(value);
    return this;
  }

  text(field: number, value: string): this {
    return this.#delimited(field, Buffer.from(value));
  }

  message(field: number, value: MessageWriter): this {
    return this.#delimited(field, value.bytes());
  }

  packed(field: number, values: readonly number[]): this {
    const packed = new MessageWriter();
    for (const value of values) packed.#varint(value);
    return this.#delimited(field, packed.bytes());
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #delimited(field: number, bytes: Buffer): this {
    this.#varint(field * 8 + 2);
    this.#varint(bytes.length);
    this.#reserve(bytes.length);
    bytes.copy(this.#bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) | 128;
    this.#bytes[this.#length++] = rest;
  }

  /** An integer beyond those that a double has exactly. */
  #long(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    for (; rest > 127n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 127n) | 128;
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
