/**
 * The 32-bit xxHash (seed 0) that LZ4 frames use for their checksums. Header checksums cover at most 14 bytes and the
 * common clients disable the others, so plain JavaScript is fast enough.
 */
const prime1 = 0x9e3779b1;
const prime2 = 0x85ebca77;
const prime3 = 0xc2b2ae3d;
const prime4 = 0x27d4eb2f;
const prime5 = 0x165667b1;
const stripeBytes = 16;

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function accumulate(lane: number, word: number): number {
  return Math.imul(rotateLeft((lane + Math.imul(word, prime2)) | 0, 13), prime1);
}

/** Takes its input in pieces. */
export class Xxhash32 {
  #lane1 = (prime1 + prime2) | 0;
  #lane2 = prime2 | 0;
  #lane3 = 0;
  #lane4 = -prime1 | 0;
  #bytes = 0;
  /** The bytes after the last whole stripe. */
  readonly #rest = Buffer.alloc(stripeBytes);
  #restBytes = 0;

  update(bytes: Buffer): void {
    this.#bytes += bytes.length;
    let at = 0;
    if (this.#restBytes > 0) {
      at = Math.min(stripeBytes - this.#restBytes, bytes.length);
      bytes.copy(this.#rest, this.#restBytes, 0, at);
      this.#restBytes += at;
      if (this.#restBytes < stripeBytes) return;
      this.#stripes(this.#rest, 0);
    }
    at = this.#stripes(bytes, at);
    this.#restBytes = bytes.copy(this.#rest, 0, at);
  }

  /** The hash of all input so far. */
  digest(): number {
    let hash = prime5;
    if (this.#bytes >= stripeBytes) {
      hash =
        rotateLeft(this.#lane1, 1) +
        rotateLeft(this.#lane2, 7) +
        rotateLeft(this.#lane3, 12) +
        rotateLeft(this.#lane4, 18);
    }
    hash = (hash + this.#bytes) | 0;

    const end = this.#restBytes;
    let at = 0;
    for (; at + 4 <= end; at += 4) {
      hash = Math.imul(rotateLeft((hash + Math.imul(this.#rest.readInt32LE(at), prime3)) | 0, 17), prime4);
    }
    for (; at < end; at++) {
      hash = Math.imul(rotateLeft((hash + Math.imul(this.#rest[at]!, prime5)) | 0, 11), prime1);
    }
    hash = Math.imul(hash ^ (hash >>> 15), prime2);
    hash = Math.imul(hash ^ (hash >>> 13), prime3);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  /** Returns where the last whole stripe ends. */
  #stripes(bytes: Buffer, from: number): number {
    let lane1 = this.#lane1;
    let lane2 = this.#lane2;
    let lane3 = this.#lane3;
    let lane4 = this.#lane4;
    let at = from;
    for (; at + stripeBytes <= bytes.length; at += stripeBytes) {
      lane1 = accumulate(lane1, bytes.readInt32LE(at));
      lane2 = accumulate(lane2, bytes.readInt32LE(at + 4));
      lane3 = accumulate(lane3, bytes.readInt32LE(at + 8));
      lane4 = accumulate(lane4, bytes.readInt32LE(at + 12));
    }
    this.#lane1 = lane1;
    this.#lane2 = lane2;
    this.#lane3 = lane3;
    this.#lane4 = lane4;
    return at;
  }
}

export function xxhash32(bytes: Buffer): number {
  const hash = new Xxhash32();
  hash.update(bytes);
  return hash.digest();
}
