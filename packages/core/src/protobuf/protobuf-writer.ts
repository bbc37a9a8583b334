const varintBytesMax = 10;

/** Writes the wire format of protobuf. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  /** Makes room for bytes, and returns where they start. */
  #reserve(count: number): number {
    const from = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length));
      this.#bytes.copy(larger, 0, 0, from);
      this.#bytes = larger;
    }
    return from;
  }

  /** An unsigned integer up to 2^53. */
  varint(value: number): this {
    let at = this.#reserve(varintBytesMax);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[at++] = (rest % 128) | 128;
    this.#bytes[at++] = rest;
    this.#length = at;
    return this;
  }

  /** A signed or unsigned integer of 64 bits. */
  varint64(value: bigint): this {
    let at = this.#reserve(varintBytesMax);
    let rest = BigInt.asUintN(64, value);
    for (; rest > 127n; rest >>= 7n) this.#bytes[at++] = Number(rest & 127n) | 128;
    this.#bytes[at++] = Number(rest);
    this.#length = at;
    return this;
  }

  /** A signed integer of 32 bits or more. */
  integer(value: number): this {
    return value < 0 ? this.varint64(BigInt(value)) : this.varint(value);
  }

  tag(number: number, wireType: number): this {
    return this.varint(number * 8 + wireType);
  }

  raw(bytes: Uint8Array): this {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  bytes(bytes: Uint8Array): this {
    return this.varint(bytes.length).raw(bytes);
  }

  text(value: string): this {
    const length = Buffer.byteLength(value);
    const at = this.varint(length).#reserve(length);
    this.#bytes.write(value, at);
    return this;
  }

  fixed32(value: number): this {
    const at = this.#reserve(4);
    this.#bytes.writeUInt32LE(value >>> 0, at);
    return this;
  }

  fixed64(value: bigint): this {
    const at = this.#reserve(8);
    this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), at);
    return this;
  }

  float(value: number): this {
    const at = this.#reserve(4);
    this.#bytes.writeFloatLE(value, at);
    return this;
  }

  double(value: number): this {
    const at = this.#reserve(8);
    this.#bytes.writeDoubleLE(value, at);
    return this;
  }

  textField(number: number, value: string): this {
    return this.tag(number, 2).text(value);
  }

  bytesField(number: number, value: Uint8Array): this {
    return this.tag(number, 2).bytes(value);
  }

  integerField(number: number, value: number): this {
    return this.tag(number, 0).integer(value);
  }

  /** A field with a message or packed values, which `write` writes with this writer. */
  messageField(number: number, write: () => void): this {
    this.tag(number, 2);
    const from = this.#reserve(1) + 1;
    write();
    const length = this.#length - from;
    // The length of most messages has one byte. Longer ones are moved.
    let extra = 0;
    for (let rest = length; rest > 127; rest = Math.floor(rest / 128)) extra += 1;
    this.#reserve(extra);
    if (extra > 0) this.#bytes.copyWithin(from + extra, from, from + length);
    this.#length = from - 1;
    this.varint(length);
    this.#length += length;
    return this;
  }
}
