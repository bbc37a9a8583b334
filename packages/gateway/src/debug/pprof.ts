/**
 * Profiles as `go tool pprof` and others read them: the protobuf messages of github.com/google/pprof, profile.proto.
 * Only what V8's profiles need of them is written.
 */
import { ProtobufWriter } from '@weir/core';

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
  readonly #profile = new ProtobufWriter();
  readonly #strings = new Map<string, number>([['', 0]]);
  readonly #locations = new Map<string, number>();

  constructor({ valueTypes, period, timeMs, durationMs }: PprofOptions) {
    for (const valueType of valueTypes) this.#valueType(profileFields.sampleType, valueType);
    this.#profile.tag(profileFields.timeNanos, 0).varint64(BigInt(Math.round(timeMs)) * 1_000_000n);
    this.#profile.integerField(profileFields.durationNanos, Math.round(durationMs * 1_000_000));
    this.#valueType(profileFields.periodType, period);
    this.#profile.integerField(profileFields.period, period.value);
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
    const file = this.#string(frame.file);
    this.#integers(profileFields.function, [id, name, name, file, frame.line]);
    this.#profile.messageField(profileFields.location, () => {
      this.#profile.integerField(1, id);
      this.#integers(4, [id, frame.line]);
    });
    return id;
  }

  /** Adds a stack, the function that ran first, with a value of each type. */
  sample(locations: readonly number[], values: readonly number[]): void {
    this.#profile.messageField(profileFields.sample, () => {
      this.#packed(1, locations);
      this.#packed(2, values.map(Math.round));
    });
  }

  finish(): Buffer {
    for (const text of this.#strings.keys()) this.#profile.textField(profileFields.stringTable, text);
    return this.#profile.finish();
  }

  #valueType(number: number, { type, unit }: ValueType): void {
    this.#integers(number, [this.#string(type), this.#string(unit)]);
  }

  /** Writes a message whose fields, from 1 on, are integers. */
  #integers(number: number, values: readonly number[]): void {
    this.#profile.messageField(number, () => {
      for (const [index, value] of values.entries()) this.#profile.integerField(index + 1, value);
    });
  }

  #packed(number: number, values: readonly number[]): void {
    this.#profile.messageField(number, () => {
      for (const value of values) this.#profile.varint(value);
    });
  }

  #string(text: string): number {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    this.#strings.set(text, this.#strings.size);
    return this.#strings.size - 1;
  }
}
