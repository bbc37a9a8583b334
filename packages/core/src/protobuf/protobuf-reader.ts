/** The bytes are not a protobuf message. */
export class InvalidProtobuf extends Error {
  override readonly name = 'InvalidProtobuf';
}

export type ProtobufValue =
  | { readonly wireType: 'varint'; readonly value: bigint }
  | { readonly wireType: 'fixed64' | 'fixed32' | 'bytes'; readonly bytes: Buffer };

/** Iterates over the fields of one protobuf message in order. Nested messages are bytes, for the caller to parse. */
export function* protobufFields(message: Buffer): Generator<{ number: number } & ProtobufValue> {
  const reader = new ProtobufReader(message);
  const take = (length: number): Buffer => {
    reader.skip(length);
    return message.subarray(reader.at - length, reader.at);
  };
  while (reader.at < reader.end) {
    const tag = reader.tag();
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, wireType: 'varint', value: reader.varint64() };
        break;
      case 1:
        yield { number, wireType: 'fixed64', bytes: take(8) };
        break;
      case 2:
        yield { number, wireType: 'bytes', bytes: take(reader.length()) };
        break;
      case 5:
        yield { number, wireType: 'fixed32', bytes: take(4) };
        break;
      default:
        throw new InvalidProtobuf(`field ${number} has unsupported wire type ${tag & 7}`);
    }
  }
}

export function protobufBytes(field: ProtobufValue): Buffer {
  if (field.wireType !== 'bytes') throw new InvalidProtobuf('a number is in place of a message or string');
  return field.bytes;
}

export function protobufText(field: ProtobufValue): string {
  return protobufBytes(field).toString();
}

/** Reads the wire format of protobuf, from `at` up to `end`, and never beyond. */
export class ProtobufReader {
  readonly bytes: Uint8Array;
  #view: DataView | undefined;
  at: number;
  end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** The error to throw about bytes that are not protobuf. */
  protected invalid(message: string): Error {
    return new InvalidProtobuf(message);
  }

  /** Created for the first fixed-size number: checking a payload reads none. */
  get #numbers(): DataView {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    return this.#view;
  }

  /** Reads a varint of at most `bytesMax` bytes (up to 7, so that the number is exact), or the first bytes of one. */
  #varint(bytesMax: number): number {
    const { bytes, end } = this;
    let at = this.at;
    let value = 0;
    let factor = 1;
    let byte = 128;
    for (const last = at + bytesMax; byte > 127 && at < last; at += 1) {
      if (at >= end) throw this.invalid('truncated varint');
      byte = bytes[at]!;
      value += (byte & 127) * factor;
      factor *= 128;
    }
    this.at = at;
    return value;
  }

  /** Whether the byte that was read last says that the varint has more. */
  get #hasMore(): boolean {
    return this.bytes[this.at - 1]! > 127;
  }

  /** An unsigned integer of 32 bits; longer ones are truncated, as in all implementations. */
  varint32(): number {
    const first = this.bytes[this.at]!;
    if (first < 128 && this.at < this.end) {
      this.at += 1;
      return first;
    }
    const value = this.#varint(5);
    if (this.#hasMore) {
      this.#varint(5);
      this.#checkVarintEnd();
    }
    return value % 0x1_0000_0000;
  }

  /** An unsigned integer of 64 bits. */
  varint64(): bigint {
    const low = this.#varint(7);
    if (!this.#hasMore) return BigInt(low);
    const high = this.#varint(3);
    this.#checkVarintEnd();
    return BigInt.asUintN(64, BigInt(low) + (BigInt(high) << 49n));
  }

  #checkVarintEnd(): void {
    if (this.#hasMore) throw this.invalid('a varint is longer than 10 bytes');
  }

  skipVarint(): void {
    const { bytes, end } = this;
    for (let count = 0; count < 10; count += 1) {
      if (this.at >= end) throw this.invalid('truncated varint');
      if (bytes[this.at++]! < 128) return;
    }
    this.#checkVarintEnd();
  }

  /** The tag of a field: its number times 8, plus the wire type. */
  tag(): number {
    const first = this.bytes[this.at]!;
    // Most tags and lengths have one byte.
    if (first < 128 && first > 7 && this.at < this.end) {
      this.at += 1;
      return first;
    }
    const value = this.#varint(5);
    if (this.#hasMore || value < 8 || value > 0xffff_ffff) throw this.invalid('invalid field tag');
    return value;
  }

  /** The length of what follows, all of which is there. */
  length(): number {
    const first = this.bytes[this.at]!;
    if (first < 128 && first < this.end - this.at) {
      this.at += 1;
      return first;
    }
    const value = this.#varint(5);
    if (this.#hasMore || value > this.end - this.at)
      throw this.invalid('truncated field: its length exceeds the remaining bytes');
    return value;
  }

  skip(count: number): void {
    if (count > this.end - this.at) throw this.invalid('truncated field');
    this.at += count;
  }

  slice(): Uint8Array {
    const length = this.length();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  fixed32(): number {
    this.skip(4);
    return this.#numbers.getUint32(this.at - 4, true);
  }

  fixed64(): bigint {
    this.skip(8);
    return this.#numbers.getBigUint64(this.at - 8, true);
  }

  float(): number {
    this.skip(4);
    return this.#numbers.getFloat32(this.at - 4, true);
  }

  double(): number {
    this.skip(8);
    return this.#numbers.getFloat64(this.at - 8, true);
  }

  /** Skips the value of a field, and a group with all that it contains. */
  skipField(tag: number, depth: number, depthMax: number): void {
    switch (tag & 7) {
      case 0:
        this.skipVarint();
        break;
      case 1:
        this.skip(8);
        break;
      case 2:
        this.skip(this.length());
        break;
      case 3:
        if (depth >= depthMax) throw this.invalid(`messages are nested deeper than ${depthMax}`);
        for (;;) {
          if (this.at >= this.end) throw this.invalid('truncated group: its end tag is missing');
          const inner = this.tag();
          if (inner === tag + 1) return;
          this.skipField(inner, depth + 1, depthMax);
        }
      case 5:
        this.skip(4);
        break;
      default:
        throw this.invalid(
          (tag & 7) === 4
            ? 'an end-group tag does not match the group'
            : `field ${tag >>> 3} has unsupported wire type ${tag & 7}`,
        );
    }
  }
}
