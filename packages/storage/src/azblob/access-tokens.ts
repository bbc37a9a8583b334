import type { Clock } from '@weir/core';
import { onAbort } from '../store/abort.ts';

export interface AccessToken {
  readonly token: string;
  readonly expiresMs: number;
}

interface AccessTokensOptions {
  readonly clock: Clock;
  /** Requests a new token. */
  readonly request: (signal: AbortSignal) => Promise<AccessToken>;
}

/** A new token is requested this long before the old one expires. */
const refreshAheadMs = 300_000;

/** How often that is tried again while the old token is still valid. */
const refreshPauseMs = 30_000;

/** Time limit of a request for a token. It belongs to all calls that wait for it, so that none of them aborts it. */
const requestMsMax = 10_000;

/** The token of all requests to a store: requested when it is first needed, and again before it expires. */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #closing = new AbortController();
  #current: AccessToken | undefined;
  #pending: Promise<AccessToken> | undefined;
  #refreshMs = 0;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  async get(signal: AbortSignal | undefined): Promise<string> {
    const nowMs = this.#options.clock.nowMs();
    const current = this.#current;
    if (current === undefined || nowMs >= current.expiresMs)
      return (await waitFor(this.#refresh(), signal)).token;
    if (nowMs >= this.#refreshMs) {
      this.#refreshMs = nowMs + refreshPauseMs;
      // The current token is still good; what fails now is tried again.
      this.#refresh().catch(() => undefined);
    }
    return current.token;
  }

  /** The service refused this token: the next call requests another one. */
  forget(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  close(): void {
    this.#closing.abort(new Error('the store was closed'));
  }

  #refresh(): Promise<AccessToken> {
    this.#pending ??= this.#request().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #request(): Promise<AccessToken> {
    const { clock, request } = this.#options;
    const abort = new AbortController();
    const release = onAbort(this.#closing.signal, (reason) => abort.abort(reason));
    const cancel = clock.after(requestMsMax, () =>
      abort.abort(new Error(`no response within ${requestMsMax} ms`)),
    );
    try {
      const token = await request(abort.signal);
      this.#current = token;
      this.#refreshMs = token.expiresMs - refreshAheadMs;
      return token;
    } finally {
      cancel();
      release();
    }
  }
}

/** The result of work that others share: an abort ends the wait, and not the work. */
function waitFor<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, reject);
    work.then(resolve, reject).finally(release);
  });
}
