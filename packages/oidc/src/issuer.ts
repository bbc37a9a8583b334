import type { Clock, Log } from '@weir/core';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { isSafeAddress, placeOf } from './address.ts';
import { discover, type SignInDescription } from './discovery.ts';
import { type FetchJson, fetchJsonOver, type JsonRequest, onlyAtSafeAddresses } from './fetch-json.ts';
import type { AllowedAddress } from './public-address.ts';

/** What tokens are checked with. */
export interface IssuerKeys {
  /** What the issuer's tokens call it. */
  readonly issuer: string;
  readonly algorithms: readonly string[];
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly signIn: SignInDescription;
}

export interface IssuerOptions {
  /** As an operator has written it. Never one that a token names and nobody else: it is going to be called. */
  readonly url: string;
  /** What fails without its keys, a field in the log: `logins by OAUTHBEARER`. */
  readonly purpose: string;
  /** Whether it may be asked by HTTP if it is on this machine. */
  readonly allowsLoopbackHttp: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Which addresses it may have, where users name issuers: `isPublicAddress`. All if it is left out. */
  readonly allowedAddress?: AllowedAddress | undefined;
  /** How it is asked, if not over the network. */
  readonly fetchJson?: FetchJson | undefined;
}

/** The keys of an issuer cannot be had, or not those that are wanted, which says nothing of any token. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Keys are asked for again after this time. */
const freshMs = 3_600_000;
/** While the issuer cannot be reached its keys are good for as long. */
const keptMsMax = 24 * 3_600_000;
/** Clients cannot make us ask more often, whatever keys their tokens name. */
const askIntervalMs = 30_000;
/** After a failure. */
const retryIntervalMs = 5_000;

/**
 * An issuer whose tokens are believed: it is asked for its keys when they are needed, are old, or do not have the one that a token names.
 * One that cannot be reached fails what needs its keys and nothing else, and is asked again later.
 */
export class Issuer {
  readonly #options: IssuerOptions;
  readonly #fetchJson: FetchJson;
  readonly #stop = new AbortController();
  #keys: IssuerKeys | undefined;
  #keysMs = 0;
  #asking: Promise<void> | undefined;
  /** When it may be asked again. */
  #nextAskMs = Number.NEGATIVE_INFINITY;
  /** What was wrong when it was asked last. */
  #problem: string | undefined;

  constructor(options: IssuerOptions) {
    const { fetchJson = fetchJsonOver(options.clock, options) } = options;
    this.#options = options;
    this.#fetchJson = onlyAtSafeAddresses(fetchJson, options);
  }

  /** The keys, asked for if need be. Throws `IssuerUnavailable` when there are none. */
  async keys(): Promise<IssuerKeys> {
    if (this.#keys === undefined || this.#ageMs() >= freshMs) await this.#ask();
    if (this.#keys === undefined || this.#ageMs() >= keptMsMax) throw this.#unavailable();
    return this.#keys;
  }

  /**
   * Newer keys than those in which a key was not found; `undefined` when there are none, or it was asked just now. Throws
   * `IssuerUnavailable` when it cannot say.
   */
  async keysAfter(keys: IssuerKeys): Promise<IssuerKeys | undefined> {
    if (this.#keys === keys) await this.#ask();
    if (this.#keys !== keys) return this.#keys;
    if (this.#problem !== undefined) throw this.#unavailable();
    return undefined;
  }

  /** Asks it at another of its addresses, under the same rules. */
  async ask(url: string, stop: AbortSignal, request: JsonRequest): Promise<unknown> {
    return await this.#fetchJson(url, AbortSignal.any([stop, this.#stop.signal]), request);
  }

  /** Where a browser is to be sent, if it is safe to be sent there. */
  isSafe(url: string): boolean {
    return isSafeAddress(url, this.#options);
  }

  /** Gives up what is under way. */
  close(): void {
    this.#stop.abort();
  }

  #ageMs(): number {
    return this.#options.clock.monotonicMs() - this.#keysMs;
  }

  #unavailable(): IssuerUnavailable {
    return new IssuerUnavailable(`the issuer of tokens cannot be asked: ${this.#problem}`);
  }

  /** Asks, unless it was asked just now. All callers wait for the same answer. */
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
    const { url, purpose, clock, log } = this.#options;
    const { signal } = this.#stop;
    try {
      const { issuer, keysUrl, algorithms, signIn } = await discover(url, this.#fetchJson, signal);
      const find = createLocalJWKSet((await this.#fetchJson(keysUrl, signal)) as JSONWebKeySet);
      this.#keys = { issuer, algorithms, find, signIn };
      this.#keysMs = clock.monotonicMs();
      this.#nextAskMs = this.#keysMs + askIntervalMs;
      this.#problem = undefined;
      if (algorithms.length === 0) {
        log.warn('found no trusted signature algorithm of token issuer', { issuer, purpose });
      }
    } catch (error) {
      this.#problem = (error as Error).message;
      this.#nextAskMs = clock.monotonicMs() + retryIntervalMs;
      if (signal.aborted) return;
      log.warn('failed to fetch keys of token issuer', {
        issuer: placeOf(url),
        purpose,
        error: this.#problem,
      });
    }
  }
}
