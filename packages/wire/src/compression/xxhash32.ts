/**
 * The 32-bit xxHash (seed 0) that LZ4 frames use for their checksums. Header checksums cover at most 14 bytes and the
 * common clients switch the others off, so that plain JavaScript is fast enough.
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

export function xxhash32(bytes: Buffer): number {
  const end = bytes.length;
  let at = 0;
  let hash = prime5;
  if (end >= stripeBytes) {
    let lane1 = (prime1 + prime2) | 0;
    let lane2 = prime2 | 0;
    let lane3 = 0;
    let lane4 = -prime1 | 0;
    for (; at + stripeBytes <= end; at += stripeBytes) {
      lane1 = accumulate(lane1, bytes.readInt32LE(at));
      lane2 = accumulate(lane2, bytes.readInt32LE(at + 4));
      lane3 = accumulate(lane3, bytes.readInt32LE(at + 8));
      lane4 = accumulate(lane4, bytes.readInt32LE(at + 12));
    }
    hash = rotateLeft(lane1, 1) + rotateLeft(lane2, 7) + rotateLeft(lane3, 12) + rotateLeft(lane4, 18);
  }
  hash = (hash + end) | 0;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(rotateLeft((hash + Math.imul(bytes.readInt32LE(at), prime3)) | 0, 17), prime4);
  }
  for (; at < end; at++) {
    hash = Math.imul(rotateLeft((hash + Math.imul(bytes[at]!, prime5)) | 0, 11), prime1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), prime2);
  hash = Math.imul(hash ^ (hash >>> 13), prime3);
  return (hash ^ (hash >>> 16)) >>> 0;
}
