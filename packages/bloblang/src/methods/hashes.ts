import { createHash, createHmac } from 'node:crypto';
import { fail } from '../values/mapping-error.ts';

const polynomials: Readonly<Record<string, number>> = {
  IEEE: 0xedb88320,
  Castagnoli: 0x82f63b78,
  Koopman: 0xeb31d82e,
};

function crc32(bytes: Buffer, polynomial: number): Buffer {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return sum;
}

function fnv32(bytes: Buffer): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return hash;
}

const primes = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const;
const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotated = (value: bigint, bits: bigint): bigint => u64((value << bits) | (u64(value) >> (64n - bits)));
const mixed = (accumulator: bigint, lane: bigint): bigint =>
  u64(rotated(u64(accumulator + lane * primes[1]), 31n) * primes[0]);

/** XXH64 with seed 0. */
function xxhash64(bytes: Buffer): bigint {
  let at = 0;
  let hash: bigint;
  if (bytes.length >= 32) {
    const lanes = [u64(primes[0] + primes[1]), primes[1], 0n, u64(-primes[0])];
    for (; at + 32 <= bytes.length; at += 32)
      for (let lane = 0; lane < 4; lane++)
        lanes[lane] = mixed(lanes[lane]!, bytes.readBigUInt64LE(at + lane * 8));
    hash = u64(
      rotated(lanes[0]!, 1n) + rotated(lanes[1]!, 7n) + rotated(lanes[2]!, 12n) + rotated(lanes[3]!, 18n),
    );
    for (const lane of lanes) hash = u64((hash ^ mixed(0n, lane)) * primes[0] + primes[3]);
  } else hash = primes[4];
  hash = u64(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8)
    hash = u64(rotated(hash ^ mixed(0n, bytes.readBigUInt64LE(at)), 27n) * primes[0] + primes[3]);
  if (at + 4 <= bytes.length) {
    hash = u64(rotated(hash ^ u64(BigInt(bytes.readUInt32LE(at)) * primes[0]), 23n) * primes[1] + primes[2]);
    at += 4;
  }
  for (; at < bytes.length; at++)
    hash = u64(rotated(hash ^ u64(BigInt(bytes[at]!) * primes[4]), 11n) * primes[0]);
  hash = u64((hash ^ (hash >> 33n)) * primes[1]);
  hash = u64((hash ^ (hash >> 29n)) * primes[2]);
  return hash ^ (hash >> 32n);
}

/** The function of an algorithm; throws if there is none, or if it lacks its key. */
export function hashNamed(
  name: string,
  key: Buffer | undefined,
  polynomial: string,
): (bytes: Buffer) => Buffer {
  const hmac = /^hmac[_-](sha1|sha256|sha512)$/.exec(name)?.[1];
  if (hmac !== undefined) {
    if (key === undefined || key.length === 0) return fail(`hash algorithm ${name} requires a key argument`);
    return (bytes) => createHmac(hmac, key).update(bytes).digest();
  }
  switch (name) {
    case 'md5':
    case 'sha1':
    case 'sha256':
    case 'sha512':
      return (bytes) => createHash(name).update(bytes).digest();
    case 'xxhash64':
      return (bytes) => Buffer.from(String(xxhash64(bytes)));
    case 'crc32': {
      const chosen = Object.hasOwn(polynomials, polynomial) ? polynomials[polynomial]! : undefined;
      return (bytes) =>
        chosen === undefined ? fail(`unsupported crc32 hash key "${polynomial}"`) : crc32(bytes, chosen);
    }
    case 'fnv32':
      return (bytes) => Buffer.from(String(fnv32(bytes)));
  }
  return fail(`unrecognized hash type: ${name}`);
}
