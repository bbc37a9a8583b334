/**
 * Collects small fields into one growing buffer that is reused. Counts are varints, because most are small; integers
 * are exact up to 2^53.
 */
export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** 0 to 2^53, seven bits per byte, lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    const bytes = this.#bytes;
    let position = this.#length;
    let rest = value;
    // Bit operations are limited to 32 bits; larger numbers are split by division.
    while (rest > 0x7fff_ffff) {
      bytes[position++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      bytes[position++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[position++] = rest;
    this.#length = position;
  }

  /** -2^52 to 2^52, small magnitudes in few bytes. */
  zigzag(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  f64(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  text(value: string): void {
    const byteLength = Buffer.byteLength(value);
    this.varint(byteLength);
    this.#reserve(byteLength);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /** 32 hex digits as 16 bytes. */
  hex16(digits: string): void {
    this.#reserve(16);
    this.#length += this.#bytes.write(digits, this.#length, 16, 'hex');
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Returns a copy of what was written, and empties the writer. */
  take(): Buffer {
    const taken = Buffer.allocUnsafe(this.#length);
    this.#bytes.copy(taken, 0, 0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
