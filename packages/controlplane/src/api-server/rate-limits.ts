import { hash } from 'node:crypto';
import { ApiError } from '@weir/api';
import { type Clock, caps } from '@weir/core';
import { placeOf } from './remote-address.ts';
import { type BucketSize, TokenBuckets } from './token-buckets.ts';

export interface RateLimitSizes {
  /** Failures to prove oneself, from one place and for one name. */
  readonly failuresPerPlace: BucketSize;
  readonly failuresPerName: BucketSize;
  /** Keys that nobody has, from one place. */
  readonly unknownKeysPerPlace: BucketSize;
  /** Calls of one key or user. */
  readonly callsPerCaller: BucketSize;
}

/**
 * A person who has forgotten a password tries some, a program that guesses tries many. Calls with a key are limited so far only that one
 * program cannot keep everybody else waiting.
 */
export const usualRateLimits: RateLimitSizes = {
  failuresPerPlace: { burst: 30, perSecond: 1 / 10 },
  failuresPerName: { burst: 10, perSecond: 1 / 30 },
  unknownKeysPerPlace: { burst: 100, perSecond: 1 },
  callsPerCaller: { burst: 2_000, perSecond: 1_000 },
};

/** Says who has to wait. */
export class RateLimits {
  readonly #failuresPerPlace: TokenBuckets;
  readonly #failuresPerName: TokenBuckets;
  readonly #unknownKeys: TokenBuckets;
  readonly #calls: TokenBuckets;
  /** Hashes of keys that were good once, the longest unused first. */
  readonly #goodKeys = new Set<string>();

  constructor(sizes: RateLimitSizes, clock: Clock) {
    this.#failuresPerPlace = new TokenBuckets(sizes.failuresPerPlace, clock);
    this.#failuresPerName = new TokenBuckets(sizes.failuresPerName, clock);
    this.#unknownKeys = new TokenBuckets(sizes.unknownKeysPerPlace, clock);
    this.#calls = new TokenBuckets(sizes.callsPerCaller, clock);
  }

  countCall(callerId: string): void {
    orWait(this.#calls.take(callerId));
  }

  /**
   * Counts an attempt to prove oneself before it is made, so that a thousand at once are a thousand. The returned function is for those
   * that succeed, or that fail for another reason.
   */
  countAttempt(remoteAddress: string, name: string | undefined): () => void {
    const place = placeOf(remoteAddress);
    orWait(this.#failuresPerPlace.take(place));
    const who = name === undefined ? undefined : hash('sha256', name);
    const waitSeconds = who === undefined ? 0 : this.#failuresPerName.take(who);
    if (waitSeconds > 0) {
      this.#failuresPerPlace.putBack(place);
      orWait(waitSeconds);
    }
    return () => {
      this.#failuresPerPlace.putBack(place);
      if (who !== undefined) this.#failuresPerName.putBack(who);
    };
  }

  /**
   * Asks whose a key is. Who sends many that nobody has waits before the database is asked again; keys from the same place that were good
   * before are asked for all the same, because a program with an old key must not lock its neighbours out.
   */
  async verify<Key>(
    secret: string,
    remoteAddress: string,
    verify: (secret: string) => Promise<Key | undefined>,
  ): Promise<Key | undefined> {
    const known = hash('sha256', secret);
    const place = placeOf(remoteAddress);
    const isGood = this.#goodKeys.has(known);
    if (!isGood) orWait(this.#unknownKeys.take(place));
    const key = await verify(secret);
    if (key === undefined) {
      this.#goodKeys.delete(known);
    } else if (!isGood) {
      this.#unknownKeys.putBack(place);
      this.#remember(known);
    }
    return key;
  }

  #remember(known: string): void {
    this.#goodKeys.add(known);
    if (this.#goodKeys.size <= caps.apiCountedCallersMax) return;
    const [oldest] = this.#goodKeys;
    this.#goodKeys.delete(oldest!);
  }
}

function orWait(waitSeconds: number): void {
  if (waitSeconds > 0) throw new ApiError('rate_limited', undefined, { retryAfterSeconds: waitSeconds });
}
