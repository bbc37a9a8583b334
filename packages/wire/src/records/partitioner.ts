/**
 * The partition of a key, as Kafka's own clients choose it: murmur2 of the key, without its sign, modulo the number of
 * partitions. Consumers by key find these records where those of a Java producer would be.
 */
export function partitionOfKey(key: Uint8Array, partitionCount: number): number {
  return (murmur2(key) & 0x7fff_ffff) % partitionCount;
}

/** The 32-bit murmur2 hash with the seed that Kafka uses, as a signed number. */
export function murmur2(bytes: Uint8Array): number {
  const mix = 0x5bd1e995;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wordsEnd = bytes.length & ~3;
  let hash = 0x9747b28c ^ bytes.length;
  for (let at = 0; at < wordsEnd; at += 4) {
    let word = Math.imul(view.getInt32(at, true), mix);
    word ^= word >>> 24;
    hash = Math.imul(hash, mix) ^ Math.imul(word, mix);
  }
  const left = bytes.length - wordsEnd;
  if (left === 3) hash ^= bytes[wordsEnd + 2]! << 16;
  if (left >= 2) hash ^= bytes[wordsEnd + 1]! << 8;
  if (left >= 1) hash = Math.imul(hash ^ bytes[wordsEnd]!, mix);
  hash = Math.imul(hash ^ (hash >>> 13), mix);
  return hash ^ (hash >>> 15);
}
