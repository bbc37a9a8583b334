/**
 * Bytes that `ByteWriter` did not write, or not completely. A machine that applied part of them must restart from a
 * snapshot.
 */
export class UnreadableBytes extends Error {
  override readonly name = 'UnreadableBytes';
}

/** Reads what `ByteWriter` wrote. Every read is checked against the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#position;
  }

  u8(): number {
    if (this.#position >= this.#bytes.length) throw this.#short();
    return this.#bytes[this.#position++]!;
  }

  varint(): number {
    let byte = this.u8();
    if (byte < 128) return byte;
    let value = byte & 127;
    let scale = 128;
    do {
      byte = this.u8();
      value += (byte & 127) * scale;
      scale *= 128;
      if (scale > 2 ** 56) throw new UnreadableBytes('a number has more than 8 bytes');
    } while (byte >= 128);
    if (value > Number.MAX_SAFE_INTEGER) throw new UnreadableBytes('a number is beyond 2^53');
    return value;
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  f64(): number {
    if (this.left < 8) throw this.#short();
    this.#position += 8;
    return this.#bytes.readDoubleLE(this.#position - 8);
  }

  text(): string {
    const byteLength = this.varint();
    if (byteLength > this.left) throw this.#short();
    this.#position += byteLength;
    return this.#bytes.toString('utf8', this.#position - byteLength, this.#position);
  }

  hex16(): string {
    if (this.left < 16) throw this.#short();
    this.#position += 16;
    return this.#bytes.toString('hex', this.#position - 16, this.#position);
  }

  /** Returns a view, not a copy. */
  raw(byteLength: number): Buffer {
    if (byteLength > this.left) throw this.#short();
    this.#position += byteLength;
    return this.#bytes.subarray(this.#position - byteLength, this.#position);
  }

  /** Throws unless everything has been read: otherwise writer and reader disagree about the layout. */
  end(): void {
    if (this.left !== 0) throw new UnreadableBytes(`${this.left} unexpected bytes at the end`);
  }

  #short(): UnreadableBytes {
    return new UnreadableBytes(`the bytes end at ${this.#bytes.length}, within a field`);
  }
}
