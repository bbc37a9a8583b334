import { hash } from 'node:crypto';

/** Bytes of an entry: 16 for the key, 8 for its offset. */
const entryBytes = 24;
/** Beyond this share of its entries, searches would take long. */
const loadMax = 0.9;
const keyWords = 4;
/** Longer keys are hashed. The first byte of an entry is the length of a short key. */
const shortKeyBytesMax = 15;
const hashedKey = 0xff;

/**
 * The latest offset of each key, in memory of a fixed size. A key of up to 15 bytes is kept as it is; of a longer one
 * 15 bytes of its SHA-256 are, so that no two keys are taken for one.
 */
export class OffsetMap {
  readonly #keys: Uint32Array;
  /** The offset plus one; 0 if the entry is free. */
  readonly #offsets: Float64Array;
  readonly #countMax: number;
  readonly #wantedWords = new Uint32Array(keyWords);
  readonly #wanted = Buffer.from(this.#wantedWords.buffer);
  #count = 0;

  /** `keysMax` is how many keys there can be at most, if less memory is enough for them. */
  constructor(bytesMax: number, keysMax = Number.POSITIVE_INFINITY) {
    const wanted = Math.floor(Math.min(bytesMax / entryBytes, keysMax / loadMax + 1));
    const entryCount = Math.max(2, wanted);
    this.#keys = new Uint32Array(keyWords * entryCount);
    this.#offsets = new Float64Array(entryCount);
    this.#countMax = Math.max(1, Math.floor(entryCount * loadMax));
  }

  get count(): number {
    return this.#count;
  }

  /** Returns false if there is no room for another key. Offsets of a key are given in order. */
  put(key: Buffer, offset: number): boolean {
    const entry = this.#find(key);
    if (this.#offsets[entry] === 0) {
      if (this.#count === this.#countMax) return false;
      this.#count++;
      this.#keys.set(this.#wantedWords, keyWords * entry);
    }
    this.#offsets[entry] = offset + 1;
    return true;
  }

  /** Returns -1 if the key is not in the map. */
  get(key: Buffer): number {
    return this.#offsets[this.#find(key)]! - 1;
  }

  /** Returns the entry of a key, or the free one that it would have. */
  #find(key: Buffer): number {
    const wanted = this.#wanted;
    if (key.length <= shortKeyBytesMax) {
      wanted.fill(0);
      wanted[0] = key.length;
      key.copy(wanted, 1);
    } else {
      hash('sha256', key, 'buffer').copy(wanted, 0, 0, wanted.length);
      wanted[0] = hashedKey;
    }
    const [a, b, c, d] = this.#wantedWords as unknown as [number, number, number, number];
    const keys = this.#keys;
    const entryCount = this.#offsets.length;
    let entry = mixed(a, b, c, d) % entryCount;
    for (;;) {
      if (this.#offsets[entry] === 0) return entry;
      const at = keyWords * entry;
      if (keys[at] === a && keys[at + 1] === b && keys[at + 2] === c && keys[at + 3] === d) return entry;
      entry = entry + 1 === entryCount ? 0 : entry + 1;
    }
  }
}

/** Spreads similar short keys over the entries. */
function mixed(a: number, b: number, c: number, d: number): number {
  let sum = Math.imul(a ^ (a >>> 15), 0x85ebca6b);
  sum = Math.imul(sum ^ b ^ (sum >>> 13), 0xc2b2ae35);
  sum = Math.imul(sum ^ c ^ (sum >>> 16), 0x27d4eb2f);
  sum = Math.imul(sum ^ d ^ (sum >>> 15), 0x165667b1);
  sum = Math.imul(sum ^ (sum >>> 13), 0x9e3779b1);
  return (sum ^ (sum >>> 16)) >>> 0;
}
