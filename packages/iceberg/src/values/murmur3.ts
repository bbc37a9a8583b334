/** The hash of Iceberg's buckets: MurmurHash3, x86, 32 bits, seed 0. Returns a signed number. */
export function murmur3(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks = bytes.length & ~3;
  let hash = 0;
  for (let at = 0; at < blocks; at += 4) {
    hash ^= mixed(view.getInt32(at, true));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= blocks; at--) tail = (tail << 8) | bytes[at]!;
  if (blocks < bytes.length) hash ^= mixed(tail);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function mixed(block: number): number {
  const multiplied = Math.imul(block, 0xcc9e2d51);
  return Math.imul((multiplied << 15) | (multiplied >>> 17), 0x1b873593);
}
