import type { Clock } from '@weir/core';
import { linkedAbort, onAbort } from '../store/abort.ts';
import { StoreError } from '../store/store-error.ts';

export interface AccessToken {
  readonly token: string;
  readonly expiresMs: number;
}

/** Requests a new token. */
export type TokenSource = (signal: AbortSignal) => Promise<AccessToken>;

/** From here on a token is replaced while requests still use it. Metadata services have a new one at this time. */
const renewalMs = 225_000;
/** From here on a token is not used any more: the request has to arrive before it expires. */
const marginMs = 20_000;
const requestMsMax = 10_000;
/** A renewal in the background that failed is repeated after this. */
const renewalPauseMs = 10_000;

interface AccessTokensOptions {
  readonly clock: Clock;
  readonly source: TokenSource;
  /** Names the bucket in errors. */
  readonly subject: string;
}

/** Holds the token of all requests of a store. Callers that need a new one share a request for it. */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #closing = new AbortController();
  #current: AccessToken | undefined;
  #pending: Promise<AccessToken> | undefined;
  #renewedMs = Number.NEGATIVE_INFINITY;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  async token(signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted();
    const nowMs = this.#options.clock.nowMs();
    const current = this.#current;
    if (current === undefined || nowMs >= current.expiresMs - marginMs) {
      return (await unlessAborted(this.#request(), signal)).token;
    }
    if (nowMs >= current.expiresMs - renewalMs && nowMs - this.#renewedMs >= renewalPauseMs) {
      this.#renewedMs = nowMs;
      this.#request().catch(() => undefined);
    }
    return current.token;
  }

  /** The server refused a token; the next call requests another. */
  refused(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  close(): void {
    this.#closing.abort(new StoreError('unavailable', this.#options.subject, 'the store was closed'));
  }

  #request(): Promise<AccessToken> {
    this.#pending ??= this.#requestOne().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #requestOne(): Promise<AccessToken> {
    const { clock, source, subject } = this.#options;
    const abort = linkedAbort(this.#closing.signal);
    const cancel = clock.after(requestMsMax, () =>
      abort.abort(new StoreError('timeout', subject, `no access token after ${requestMsMax / 1000} s`)),
    );
    try {
      this.#current = await source(abort.signal);
      return this.#current;
    } finally {
      cancel();
      abort.release();
    }
  }
}

/** Others may wait for the same promise, so that an abort ends only the wait. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, reject);
    promise.then(resolve, reject).finally(release);
  });
}
