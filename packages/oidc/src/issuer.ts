import type { AllowedAddress } from '@weir/cluster/outbound';
import type { Clock, Log } from '@weir/core';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { isSafeAddress, placeOf } from './address.ts';
import { discover } from './discovery.ts';
import { type FetchJson, fetchJsonOver, type JsonRequest, onlyAtSafeAddresses } from './fetch-json.ts';
import type { SignInDescription } from './issuer-description.ts';

/** The keys that validate tokens. */
export interface IssuerKeys {
  /** The `iss` claim of its tokens. */
  readonly issuer: string;
  readonly algorithms: readonly string[];
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly signIn: SignInDescription;
}

export interface IssuerOptions {
  /** As configured by an operator. Never taken only from a token, because it will be called. */
  readonly url: string;
  /** What fails without its keys, as a field in the log: `logins by OAUTHBEARER`. */
  readonly purpose: string;
  /** Whether it may be called over HTTP if it is on this machine. */
  readonly allowsLoopbackHttp: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** The addresses it may have, where users name issuers: `isPublicAddress`. All if absent. */
  readonly allowedAddress?: AllowedAddress | undefined;
  /** Replaces requests over the network. */
  readonly fetchJson?: FetchJson | undefined;
}

/** The keys of an issuer, or a key that is needed, cannot be fetched. It says nothing about the validity of a token. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Keys are fetched again after this time. */
const freshMs = 3_600_000;
/** How long keys remain usable while the issuer cannot be reached. */
const cachedMsMax = 24 * 3_600_000;
/** Bounds how often clients can trigger a fetch, whatever keys their tokens name. */
const fetchIntervalMs = 30_000;
/** After a failure. */
const retryIntervalMs = 5_000;

/**
 * A trusted issuer. Its keys are fetched when they are needed, outdated, or lack the one that a token names. An
 * unreachable issuer fails only what needs its keys, and is retried later.
 */
export class Issuer {
  readonly #options: IssuerOptions;
  readonly #fetchJson: FetchJson;
  readonly #stop = new AbortController();
  #keys: IssuerKeys | undefined;
  #keysMs = 0;
  #asking: Promise<void> | undefined;
  /** When the next fetch is allowed. */
  #nextFetchMs = Number.NEGATIVE_INFINITY;
  /** The problem of the last fetch. */
  #problem: string | undefined;

  constructor(options: IssuerOptions) {
    const { fetchJson = fetchJsonOver(options.clock, options) } = options;
    this.#options = options;
    this.#fetchJson = onlyAtSafeAddresses(fetchJson, options);
  }

  /** The keys, fetched if necessary. Throws `IssuerUnavailable` when there are none. */
  async keys(): Promise<IssuerKeys> {
    if (this.#keys === undefined || this.#ageMs() >= freshMs) await this.#ask();
    if (this.#keys === undefined || this.#ageMs() >= cachedMsMax) throw this.#unavailable();
    return this.#keys;
  }

  /**
   * Keys newer than those in which a key was not found; `undefined` if there are none, or if the last fetch was too
   * recent. Throws `IssuerUnavailable` if the last fetch failed.
   */
  async keysAfter(keys: IssuerKeys): Promise<IssuerKeys | undefined> {
    if (this.#keys === keys) await this.#ask();
    if (this.#keys !== keys) return this.#keys;
    if (this.#problem !== undefined) throw this.#unavailable();
    return undefined;
  }

  /** Calls another endpoint of the issuer, under the same rules. */
  async ask(url: string, stop: AbortSignal, request: JsonRequest): Promise<unknown> {
    return await this.#fetchJson(url, AbortSignal.any([stop, this.#stop.signal]), request);
  }

  /** Whether a browser may be redirected to this URL. */
  isSafe(url: string): boolean {
    return isSafeAddress(url, this.#options);
  }

  /** Aborts pending requests. */
  close(): void {
    this.#stop.abort();
  }

  #ageMs(): number {
    return this.#options.clock.monotonicMs() - this.#keysMs;
  }

  #unavailable(): IssuerUnavailable {
    return new IssuerUnavailable(`the issuer of tokens cannot be asked: ${this.#problem}`);
  }

  /** Fetches the keys, unless the last fetch was too recent. Concurrent callers share one fetch. */
  async #ask(): Promise<void> {
    if (this.#asking === undefined) {
      if (this.#options.clock.monotonicMs() < this.#nextFetchMs) return;
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
      this.#nextFetchMs = this.#keysMs + fetchIntervalMs;
      this.#problem = undefined;
      if (algorithms.length === 0) {
        log.warn('found no trusted signature algorithm of token issuer', { issuer, purpose });
      }
    } catch (error) {
      this.#problem = (error as Error).message;
      this.#nextFetchMs = clock.monotonicMs() + retryIntervalMs;
      if (signal.aborted) return;
      log.warn('failed to fetch keys of token issuer', {
        issuer: placeOf(url),
        purpose,
        error: this.#problem,
      });
    }
  }
}
