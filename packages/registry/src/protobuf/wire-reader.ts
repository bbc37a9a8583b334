import { InvalidPayload } from '../schema-format.ts';

/** Reads the wire format of protobuf. */
export class WireReader {
  readonly bytes: Uint8Array;
  #view: DataView | undefined;
  at: number;
  end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Made when the first fixed number is read, which a check of payloads does not do. */
  get #numbers(): DataView {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    return this.#view;
  }

  /** An unsigned integer of 32 bits; longer ones are cut, as all implementations do. */
  varint32(): number {
    const { bytes, end } = this;
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= end) throw new InvalidPayload('it ends within a number');
      const byte = bytes[this.at++]!;
      if (shift < 32) value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    throw new InvalidPayload('a number is longer than 10 bytes');
  }

  /** An unsigned integer of 64 bits. */
  varint64(): bigint {
    const { bytes, end } = this;
    let low = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.at >= end) throw new InvalidPayload('it ends within a number');
      const byte = bytes[this.at++]!;
      low |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, low);
    }
    throw new InvalidPayload('a number is longer than 10 bytes');
  }

  /** The tag of a field: its number times 8, plus the wire type. */
  tag(): number {
    const { bytes, end } = this;
    let value = 0;
    let factor = 1;
    for (let count = 0; count < 5; count += 1) {
      if (this.at >= end) throw new InvalidPayload('it ends within the number of a field');
      const byte = bytes[this.at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) {
        if (value < 8 || value > 0xffff_ffff) break;
        return value;
      }
      factor *= 128;
    }
    throw new InvalidPayload('the number of a field is invalid');
  }

  /** The length of what follows, which must be there. */
  length(): number {
    const { bytes, end } = this;
    let value = 0;
    let factor = 1;
    for (let count = 0; count < 5; count += 1) {
      if (this.at >= end) throw new InvalidPayload('it ends within a length');
      const byte = bytes[this.at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) {
        if (value > end - this.at) throw new InvalidPayload('a length is beyond the end');
        return value;
      }
      factor *= 128;
    }
    throw new InvalidPayload('a length is invalid');
  }

  skip(count: number): void {
    if (count > this.end - this.at) throw new InvalidPayload('it ends within a value');
    this.at += count;
  }

  slice(): Uint8Array {
    const length = this.length();
    const from = this.at;
    this.at += length;
    return this.bytes.subarray(from, this.at);
  }

  fixed32(): number {
    const from = this.at;
    this.skip(4);
    return this.#numbers.getUint32(from, true);
  }

  fixed64(): bigint {
    const from = this.at;
    this.skip(8);
    return this.#numbers.getBigUint64(from, true);
  }

  float(): number {
    const from = this.at;
    this.skip(4);
    return this.#numbers.getFloat32(from, true);
  }

  double(): number {
    const from = this.at;
    this.skip(8);
    return this.#numbers.getFloat64(from, true);
  }

  skipVarint(): void {
    const { bytes, end } = this;
    for (let count = 0; count < 10; count += 1) {
      if (this.at >= end) throw new InvalidPayload('it ends within a number');
      if (bytes[this.at++]! < 128) return;
    }
    throw new InvalidPayload('a number is longer than 10 bytes');
  }

  /** Skips a field that the schema does not have. */
  skipField(tag: number, depth: number, depthMax: number): void {
    switch (tag % 8) {
      case 0:
        this.skipVarint();
        return;
      case 1:
        this.skip(8);
        return;
      case 2:
        this.skip(this.length());
        return;
      case 3:
        if (depth >= depthMax) throw new InvalidPayload(`messages are nested deeper than ${depthMax}`);
        for (;;) {
          if (this.at >= this.end) throw new InvalidPayload('a group has no end');
          const inner = this.tag();
          if (inner % 8 === 4) {
            if (inner !== tag + 1) throw new InvalidPayload('a group ends with the number of another one');
            return;
          }
          this.skipField(inner, depth + 1, depthMax);
        }
      case 5:
        this.skip(4);
        return;
      default:
        throw new InvalidPayload(
          tag % 8 === 4 ? 'a group ends that did not begin' : `wire type ${tag % 8} does not exist`,
        );
    }
  }
}
