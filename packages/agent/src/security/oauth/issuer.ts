import type { Clock, Log } from '@weir/core';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { discover } from './discovery.ts';
import { type FetchJson, placeOf } from './fetch-json.ts';

/** What tokens are checked with. */
export interface IssuerKeys {
  readonly issuer: string;
  readonly algorithms: readonly string[];
  readonly find: ReturnType<typeof createLocalJWKSet>;
}

export interface IssuerOptions {
  readonly url: string;
  readonly fetchJson: FetchJson;
  readonly clock: Clock;
  readonly log: Log;
}

/** Keys are asked for again after this time. */
const freshMs = 3_600_000;
/** While the issuer cannot be reached its keys are good for as long. */
const keptMsMax = 24 * 3_600_000;
/** Nobody can make an agent ask more often, whatever keys his tokens name. */
const askIntervalMs = 30_000;
/** After a failure. */
const retryIntervalMs = 5_000;

/**
 * The issuer whose tokens are believed: it is asked for its keys when they are needed, are old, or do not have the one that a token names.
 * An issuer that cannot be reached fails logins and nothing else, and is asked again later.
 */
export class Issuer {
  readonly #options: IssuerOptions;
  readonly #stop = new AbortController();
  #keys: IssuerKeys | undefined;
  #keysMs = 0;
  #asking: Promise<void> | undefined;
  /** When it may be asked again. */
  #nextAskMs = Number.NEGATIVE_INFINITY;
  #problem = '';

  constructor(options: IssuerOptions) {
    this.#options = options;
  }

  /** The keys, asked for if need be. Throws when there are none. */
  async keys(): Promise<IssuerKeys> {
    if (this.#keys === undefined || this.#ageMs() >= freshMs) await this.#ask();
    if (this.#keys === undefined || this.#ageMs() >= keptMsMax) {
      throw new Error(`the issuer of tokens cannot be asked: ${this.#problem}`);
    }
    return this.#keys;
  }

  /** Newer keys than those in which a key was not found; `undefined` when there are none, or it is too early to ask. */
  async keysAfter(keys: IssuerKeys): Promise<IssuerKeys | undefined> {
    if (this.#keys === keys) await this.#ask();
    return this.#keys === keys ? undefined : this.#keys;
  }

  /** Whoever is asked nothing more gives up what is under way. */
  close(): void {
    this.#stop.abort();
  }

  #ageMs(): number {
    return this.#options.clock.monotonicMs() - this.#keysMs;
  }

  /** Asks, unless it was asked just now. Everybody who wants to know waits for the same answer. */
  async #ask(): Promise<void> {
    if (this.#asking === undefined) {
      if (this.#options.clock.monotonicMs() < this.#nextAskMs) return;
      this.#asking = this.#askNow().finally(() => {
        this.#asking = undefined;
      });
    }
    await this.#asking;
  }

  async #askNow(): Promise<void> {
    const { url, fetchJson, clock, log } = this.#options;
    const { signal } = this.#stop;
    try {
      const { issuer, keysUrl, algorithms } = await discover(url, fetchJson, signal);
      const find = createLocalJWKSet((await fetchJson(keysUrl, signal)) as JSONWebKeySet);
      this.#keys = { issuer, algorithms, find };
      this.#keysMs = clock.monotonicMs();
      this.#nextAskMs = this.#keysMs + askIntervalMs;
      if (algorithms.length === 0) {
        log.warn('the issuer of tokens signs them in no way that can be trusted', { issuer });
      }
    } catch (error) {
      this.#problem = (error as Error).message;
      this.#nextAskMs = clock.monotonicMs() + retryIntervalMs;
      if (signal.aborted) return;
      log.warn('the keys of the issuer of tokens could not be fetched; logins by OAUTHBEARER may fail', {
        issuer: placeOf(url),
        error: this.#problem,
      });
    }
  }
}
