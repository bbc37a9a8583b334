import type { EventData } from '@weir/events/emission';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const zero = 0x30;

/** Longer texts are left to `JSON.stringify`, which is faster from about this length on. */
const shortCharsMax = 256;
const initialBytes = 4_096;

/**
 * Writes JSON directly into bytes, as `JSON.stringify` would. It allocates nothing: an agent writes events between
 * client requests, where `JSON.stringify` of objects runs with cold caches and takes four times as long as in a loop of
 * its own.
 */
export class JsonBytes {
  bytes: Buffer = Buffer.allocUnsafeSlow(initialBytes);
  /** Position of the next byte. */
  at = 0;
  /** Encoded names with quotes and colon. There are few of them. */
  readonly #names = new Map<string, Buffer>();

  raw(bytes: Buffer): void {
    this.#reserve(bytes.length);
    bytes.copy(this.bytes, this.at);
    this.at += bytes.length;
  }

  /** Writes the members of an object without its braces. Returns whether there were any. */
  members(data: EventData): boolean {
    const startAt = this.at;
    for (const name in data) {
      const value = data[name];
      if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue;
      if (this.at > startAt) this.#byte(comma);
      this.#name(name);
      this.#value(value);
    }
    return this.at > startAt;
  }

  #value(value: unknown): void {
    if (typeof value === 'string') this.#string(value);
    else if (typeof value === 'number' && value >= 0 && value <= 0x3fffffff && value === (value | 0))
      this.#count(value);
    else this.#text(JSON.stringify(value));
  }

  #name(name: string): void {
    let written = this.#names.get(name);
    if (written === undefined) {
      written = Buffer.from(`${JSON.stringify(name)}:`);
      if (this.#names.size < namesMax) this.#names.set(name, written);
    }
    this.#reserve(written.length);
    const { bytes } = this;
    let { at } = this;
    for (let n = 0; n < written.length; n++) bytes[at++] = written[n]!;
    this.at = at;
  }

  /** Copies plain ASCII; for any other character, `JSON.stringify` encodes the whole text. */
  #string(text: string): void {
    const { length } = text;
    if (length > shortCharsMax) {
      this.#text(JSON.stringify(text));
      return;
    }
    this.#reserve(length + 2);
    const { bytes } = this;
    let { at } = this;
    bytes[at++] = quote;
    for (let n = 0; n < length; n++) {
      const code = text.charCodeAt(n);
      if (code < 0x20 || code > 0x7f || code === quote || code === backslash) {
        this.#text(JSON.stringify(text));
        return;
      }
      bytes[at++] = code;
    }
    bytes[at++] = quote;
    this.at = at;
  }

  #count(count: number): void {
    this.#reserve(10);
    let digits = 1;
    for (let bound = 10; bound <= count; bound *= 10) digits++;
    let rest = count;
    for (let n = digits - 1; n >= 0; n--) {
      const left = (rest / 10) | 0;
      this.bytes[this.at + n] = zero + rest - left * 10;
      rest = left;
    }
    this.at += digits;
  }

  #text(text: string): void {
    this.#reserve(text.length * 3);
    this.at += this.bytes.write(text, this.at, 'utf8');
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.bytes[this.at++] = byte;
  }

  #reserve(count: number): void {
    const needed = this.at + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

/** Names come from our own code, which has far fewer; other names must not fill the memory. */
const namesMax = 1_000;
