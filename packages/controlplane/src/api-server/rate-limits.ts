import { hash } from 'node:crypto';
import { ApiError } from '@weir/api';
import type { Clock, TokenRate } from '@weir/core';
import { placeOf } from '../http/remote-address.ts';
import { controlPlaneLimits } from '../limits.ts';
import { TokenBuckets } from './token-buckets.ts';

export interface RateLimitSizes {
  /**
   * Failures to prove oneself, from one place, for one name at one place, and for one name at all places that are new
   * to it.
   */
  readonly failuresPerPlace: TokenRate;
  readonly failuresPerNameAtPlace: TokenRate;
  readonly failuresPerName: TokenRate;
  /** Unknown keys, from one place. */
  readonly unknownKeysPerPlace: TokenRate;
  /** Calls of one key or user. */
  readonly callsPerCaller: TokenRate;
}

/** What became of an attempt that was no wrong guess. */
type AttemptOutcome = 'succeeded' | 'not judged';

/**
 * A person who has forgotten a password tries some, a program that guesses tries many. Calls with a key are limited so
 * far only that one program cannot keep all others waiting.
 *
 * Who guesses at one place locks a name out there, and nowhere else: what one place may go on to try flows into the
 * bucket of the name twice as fast. Who guesses at many places at once empties that bucket, and is slowed down
 * everywhere; the places where the name has signed in before are spared, so that its owner is not.
 */
export const usualRateLimits: RateLimitSizes = {
  failuresPerPlace: { burst: 30, perSecond: 1 / 10 },
  failuresPerNameAtPlace: { burst: 10, perSecond: 1 / 30 },
  failuresPerName: { burst: 60, perSecond: 1 / 15 },
  unknownKeysPerPlace: { burst: 100, perSecond: 1 },
  callsPerCaller: { burst: 2_000, perSecond: 1_000 },
};

/** Says who has to wait. */
export class RateLimits {
  readonly #failuresPerPlace: TokenBuckets;
  readonly #failuresPerNameAtPlace: TokenBuckets;
  readonly #failuresPerName: TokenBuckets;
  readonly #unknownKeys: TokenBuckets;
  readonly #calls: TokenBuckets;
  /** Hashes of keys that were good once, the longest unused first. */
  readonly #goodKeys = new Set<string>();
  /** Names with places where they have signed in, the longest unused first. */
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
   * Counts an attempt to prove oneself before it is made, so that a thousand at once are a thousand. The returned
   * function is for those that succeed, or that fail for another reason.
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
   * Asks whose a key is. A sender of many unknown keys waits before the database is asked again; keys from the same
   * place that were good before are asked for all the same, because a program with an old key must not lock its
   * neighbours out.
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

/** Takes a token of each, or of none. */
function takeAll(counted: readonly (readonly [TokenBuckets, string])[]): void {
  for (const [index, [buckets, key]] of counted.entries()) {
    const waitSeconds = buckets.take(key);
    if (waitSeconds === 0) continue;
    for (const [taken, takenKey] of counted.slice(0, index)) taken.putBack(takenKey);
    orWait(waitSeconds);
  }
}

/** Adds to a set that forgets what was added the longest ago. */
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
