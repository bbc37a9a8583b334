import { hash } from 'node:crypto';
import { ApiError } from '@weir/api';
import type { Clock, TokenRate } from '@weir/core';
import { placeOf } from '../http/remote-address.ts';
import { controlPlaneLimits } from '../limits.ts';
import { TokenBuckets } from './token-buckets.ts';

export interface RateLimitSizes {
  /**
   * Failed sign-ins: from one address, for one name at one address, and for one name at all addresses that are new to
   * it.
   */
  readonly failuresPerPlace: TokenRate;
  readonly failuresPerNameAtPlace: TokenRate;
  readonly failuresPerName: TokenRate;
  /** Unknown keys, from one address. */
  readonly unknownKeysPerPlace: TokenRate;
  /** Calls of one key or user. */
  readonly callsPerCaller: TokenRate;
}

/** The outcome of an attempt that was not a wrong guess. */
type AttemptOutcome = 'succeeded' | 'not decided';

/**
 * A person who forgot a password tries a few, a guessing program tries many. The limit for calls with a key only
 * prevents one program from blocking all others.
 *
 * Guesses at one address lock a name out there and nowhere else: the bucket of the name refills twice as fast as one
 * address may continue to try. Guesses from many addresses empty that bucket and are slowed down everywhere; addresses
 * where the name has signed in before are exempt, so that its owner is not affected.
 */
export const usualRateLimits: RateLimitSizes = {
  failuresPerPlace: { burst: 30, perSecond: 1 / 10 },
  failuresPerNameAtPlace: { burst: 10, perSecond: 1 / 30 },
  failuresPerName: { burst: 60, perSecond: 1 / 15 },
  unknownKeysPerPlace: { burst: 100, perSecond: 1 },
  callsPerCaller: { burst: 2_000, perSecond: 1_000 },
};

/** Decides which callers have to wait. */
export class RateLimits {
  readonly #failuresPerPlace: TokenBuckets;
  readonly #failuresPerNameAtPlace: TokenBuckets;
  readonly #failuresPerName: TokenBuckets;
  readonly #unknownKeys: TokenBuckets;
  readonly #calls: TokenBuckets;
  /** Hashes of keys that were valid before, the least recently used first. */
  readonly #goodKeys = new Set<string>();
  /** Names with addresses where they have signed in, the least recently used first. */
  readonly #knownPlaces = new Set<string>();

  constructor(sizes: RateLimitSizes, clock: Clock) {
    this.#failuresPerPlace = new TokenBuckets(sizes.failuresPerPlace, clock);
    this.#failuresPerNameAtPlace = new TokenBuckets(sizes.failuresPerNameAtPlace, clock);
    this.#failuresPerName = new TokenBuckets(sizes.failuresPerName, clock);
    this.#unknownKeys = new TokenBuckets(sizes.unknownKeysPerPlace, clock);
    this.#calls = new TokenBuckets(sizes.callsPerCaller, clock);
  }

  countCall(callerId: string): void {
    orWait(this.#calls.take(callerId));
  }

  /**
   * Counts an attempt before it is made, so that a thousand concurrent ones count as a thousand. Callers use the
   * returned function if the attempt succeeds, or fails for another reason.
   */
  countAttempt(remoteAddress: string, name: string | undefined): (outcome: AttemptOutcome) => void {
    const place = placeOf(remoteAddress);
    const who = name === undefined ? undefined : hash('sha256', name);
    const whoAtPlace = `${who} ${place}`;
    const counted: (readonly [TokenBuckets, string])[] = [[this.#failuresPerPlace, place]];
    if (who !== undefined) counted.push([this.#failuresPerNameAtPlace, whoAtPlace]);
    if (who !== undefined && !this.#knownPlaces.has(whoAtPlace)) counted.push([this.#failuresPerName, who]);
    takeAll(counted);
    return (outcome) => {
      for (const [buckets, key] of counted) buckets.putBack(key);
      if (outcome === 'succeeded' && who !== undefined) remember(this.#knownPlaces, whoAtPlace);
    };
  }

  /**
   * Verifies a key. A sender of many unknown keys waits before the database is queried again; keys from the same
   * address that were valid before are still verified, because a program with an old key must not lock out others at
   * its address.
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
      remember(this.#goodKeys, known);
    }
    return key;
  }
}

/** Takes a token from each bucket, or from none. */
function takeAll(counted: readonly (readonly [TokenBuckets, string])[]): void {
  for (const [index, [buckets, key]] of counted.entries()) {
    const waitSeconds = buckets.take(key);
    if (waitSeconds === 0) continue;
    for (const [taken, takenKey] of counted.slice(0, index)) taken.putBack(takenKey);
    orWait(waitSeconds);
  }
}

/** Adds to a bounded set that evicts the oldest entry. */
function remember(known: Set<string>, text: string): void {
  known.delete(text);
  known.add(text);
  if (known.size <= controlPlaneLimits.apiCountedCallersMax) return;
  const [oldest] = known;
  known.delete(oldest!);
}

function orWait(waitSeconds: number): void {
  if (waitSeconds > 0) throw new ApiError('rate_limited', undefined, { retryAfterSeconds: waitSeconds });
}
