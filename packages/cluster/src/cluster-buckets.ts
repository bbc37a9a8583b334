import { createHash } from 'node:crypto';
import { fileBucketMax } from '@weir/core';

/**
 * The buckets of a cluster (ADR 0048). Ids of files name their bucket by its number, so a number is never given to
 * another bucket. Number 0 is the bucket that the first agent claimed; others are registered when they are first used.
 */
export interface KnownBucket {
  readonly number: number;
  /** The id that lies in the bucket. */
  readonly bucketId: string;
  /** Where it is, for agents that were not started with it; empty if that is not known. */
  readonly url: string;
  /**
   * The cluster below whose prefix the id lies, where that is another one: a clone knows the buckets of the cluster
   * that was cloned.
   */
  readonly idOf?: string | undefined;
}

/** The buckets that agents were started with, where they are two. */
export interface BucketPair {
  /** Number of the bucket for files of the write path. */
  readonly ingestion: number;
  /** Number of the bucket for compacted files. */
  readonly compaction: number;
}

/** A bucket that an agent found. */
export interface BucketToRegister {
  readonly bucketId: string;
  /** `null` leaves what is known. */
  readonly url: string | null;
}

const namespace = 'clusterFact';
const bucketIdKey = 'bucketId';
const keyPattern = /^bucket\/(\d{1,3})$/;

/** The entry that describes a bucket. That of bucket 0 says only where it is. */
export function bucketFact(number: number) {
  return { namespace, key: `bucket/${number}` } as const;
}

export const bucketPairFact = { namespace, key: 'bucketPair' } as const;

/**
 * The highest number that may have been given to a bucket before a restore, in digits. A restore may have forgotten a
 * bucket, and an agent that does not know yet must not commit its files as those of another.
 */
export const bucketsReservedFact = { namespace, key: 'bucketsReserved' } as const;

export function bucketsReserved(facts: ReadonlyMap<string, Uint8Array>): number {
  const value = facts.get(bucketsReservedFact.key);
  const number = value === undefined ? 0 : Number(Buffer.from(value).toString());
  return Number.isSafeInteger(number) ? number : 0;
}

/** The number of the next bucket; `undefined` if all are used. */
export function nextBucketNumber(facts: ReadonlyMap<string, Uint8Array>): number | undefined {
  const used = new Set(readBuckets(facts).map(({ number }) => number));
  const next = Math.max(bucketsReserved(facts), ...used) + 1;
  if (next <= fileBucketMax) return next;
  return Array.from({ length: fileBucketMax }, (_, number) => number + 1).find((number) => !used.has(number));
}

/** Reads the buckets of a cluster from its facts, by number. Entries that this release cannot read are left out. */
export function readBuckets(facts: ReadonlyMap<string, Uint8Array>): readonly KnownBucket[] {
  const firstId = facts.get(bucketIdKey);
  if (firstId === undefined) return [];
  const first = { number: 0, bucketId: Buffer.from(firstId).toString(), url: '' };
  const buckets = new Map<number, KnownBucket>([[0, first]]);
  for (const [key, value] of facts) {
    const number = Number(keyPattern.exec(key)?.[1] ?? Number.NaN);
    const bucket = number <= fileBucketMax ? readBucket(number, value) : undefined;
    if (bucket !== undefined) buckets.set(number, number === 0 ? { ...first, url: bucket.url } : bucket);
  }
  return [...buckets.values()].sort((one, other) => one.number - other.number);
}

export function writeBucket({ bucketId: id, url, idOf }: Omit<KnownBucket, 'number'>): Buffer {
  return Buffer.from(JSON.stringify({ id, url, ...(idOf === undefined ? {} : { idOf }) }));
}

function readBucket(number: number, value: Uint8Array): KnownBucket | undefined {
  const { id, url, idOf } = readObject(value);
  if (typeof id !== 'string' || typeof url !== 'string') return undefined;
  return { number, bucketId: id, url, ...(typeof idOf === 'string' ? { idOf } : {}) };
}

export function readBucketPair(facts: ReadonlyMap<string, Uint8Array>): BucketPair | undefined {
  const value = facts.get(bucketPairFact.key);
  if (value === undefined) return undefined;
  const { ingestion, compaction } = readObject(value);
  const isNumber = (number: unknown): number is number => Number.isSafeInteger(number);
  return isNumber(ingestion) && isNumber(compaction) ? { ingestion, compaction } : undefined;
}

export function writeBucketPair({ ingestion, compaction }: BucketPair): Buffer {
  return Buffer.from(JSON.stringify({ ingestion, compaction }));
}

function readObject(value: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(Buffer.from(value).toString());
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Identifies the value of `service.bucket.url` in reports of agents, which need not repeat it. */
export function namedBucketDigest(url: string): string {
  return createHash('sha256').update(url.trim()).digest('hex').slice(0, 16);
}
