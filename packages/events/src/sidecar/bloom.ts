/** A bloom filter over values, with about 3 false positives in 1000. */

const bitsPerValue = 12;
const probes = 8;

type Scalar = string | number | boolean;

const kindOf = { string: 1, number: 2, boolean: 3 } as const;

/** Two independent hashes of a value and of its type. */
export function hashesOf(value: Scalar): readonly [number, number] {
  const text = typeof value === 'string' ? value : String(value);
  let one = 0x811c9dc5 ^ kindOf[typeof value as keyof typeof kindOf];
  let other = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
    other ^= other >>> 15;
  }
  return [mixed(one), mixed(other) | 1];
}

/** Spreads the last characters over all bits. */
function mixed(hash: number): number {
  let mix = hash ^ (hash >>> 16);
  mix = Math.imul(mix, 0x85ebca6b);
  mix ^= mix >>> 13;
  mix = Math.imul(mix, 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}

/** Builds the filter over values; their pairs of hashes are adjacent in the array. */
export function buildBloom(hashes: Uint32Array): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array(Math.max(1, Math.ceil(((hashes.length / 2) * bitsPerValue) / 8)));
  for (let index = 0; index < hashes.length; index += 2) {
    eachBit(bits, hashes[index]!, hashes[index + 1]!, (byte, bit) => {
      bits[byte]! |= bit;
      return true;
    });
  }
  return bits;
}

export function mayContain(bits: Uint8Array, value: Scalar): boolean {
  const [one, other] = hashesOf(value);
  return eachBit(bits, one, other, (byte, bit) => (bits[byte]! & bit) !== 0);
}

function eachBit(
  bits: Uint8Array,
  one: number,
  other: number,
  visit: (byte: number, bit: number) => boolean,
): boolean {
  const bitCount = bits.length * 8;
  let place = one;
  for (let probe = 0; probe < probes; probe++) {
    const bit = place % bitCount;
    if (!visit(bit >>> 3, 1 << (bit & 7))) return false;
    place = (place + other) >>> 0;
  }
  return true;
}
