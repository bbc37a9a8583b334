import { createHash } from 'node:crypto';

/** Ranks buckets for a key. */
type RankBuckets = (key: string) => number[];

/**
 * Rendezvous hashing: each bucket gets a score from its name and the key, and the highest score is first. So the order
 * in which buckets are listed does not matter, a bucket that is added takes its share of the keys from all others, and
 * the keys of one that is removed go to all others.
 *
 * The scores are part of the format of a bucket: another function would look for objects in other places first.
 */
export function rendezvous(names: readonly string[]): RankBuckets {
  const seeds = names.map(hashOf);
  return (key) => {
    const [high, low] = hashOf(key);
    const scores = seeds.map(([seedHigh, seedLow]) => mix(mix(high ^ seedHigh) ^ low ^ seedLow));
    return scores.map((_, index) => index).sort((a, b) => scores[b]! - scores[a]! || a - b);
  };
}

/** 64 bits in two halves. */
function hashOf(text: string): readonly [high: number, low: number] {
  const digest = createHash('sha256').update(text).digest();
  return [digest.readUInt32BE(0), digest.readUInt32BE(4)];
}

/** The finalizer of MurmurHash3: every bit of the input changes half of the output. */
function mix(input: number): number {
  let hash = input >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
