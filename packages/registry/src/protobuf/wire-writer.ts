/** Writes the wire format of protobuf. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length);
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** An unsigned integer up to 2^53. */
  varint(value: number): this {
    this.#room(10);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
    return this;
  }

  /** A signed or unsigned integer of 64 bits. */
  varint64(value: bigint): this {
    this.#room(10);
    let rest = BigInt.asUintN(64, value);
    while (rest > 127n) {
      this.#bytes[this.#length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
    return this;
  }

  tag(number: number, wireType: number): this {
    return this.varint(number * 8 + wireType);
  }

  raw(bytes: Uint8Array): this {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  bytes(bytes: Uint8Array): this {
    return this.varint(bytes.length).raw(bytes);
  }

  fixed32(value: number): this {
    this.#room(4);
    this.#bytes.writeUInt32LE(value >>> 0, this.#length);
    this.#length += 4;
    return this;
  }

  fixed64(value: bigint): this {
    this.#room(8);
    this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length);
    this.#length += 8;
    return this;
  }

  float(value: number): this {
    this.#room(4);
    this.#bytes.writeFloatLE(value, this.#length);
    this.#length += 4;
    return this;
  }

  double(value: number): this {
    this.#room(8);
    this.#bytes.writeDoubleLE(value, this.#length);
    this.#length += 8;
    return this;
  }

  // Fields as descriptors have them.

  textField(number: number, value: string): this {
    return this.tag(number, 2).bytes(Buffer.from(value, 'utf8'));
  }

  bytesField(number: number, value: Uint8Array): this {
    return this.tag(number, 2).bytes(value);
  }

  numberField(number: number, value: number): this {
    this.tag(number, 0);
    return value < 0 ? this.varint64(BigInt(value)) : this.varint(value);
  }
}
