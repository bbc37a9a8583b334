import type { Clock } from '@weir/core';
import { linkedAbort, unlessAborted } from '../store/abort.ts';
import { StoreError } from '../store/store-error.ts';

/** A token, or the credentials of a role or of a session. */
export interface Expiring {
  readonly expiresMs: number;
}

interface RenewedOptions<Value> {
  readonly clock: Clock;
  /** Names the bucket in errors. */
  readonly subject: string;
  /** Requests a new one. The signal fires when that takes too long, or the store is closed. */
  readonly renew: (signal: AbortSignal) => Promise<Value>;
  /** So long before it expires, it is renewed while requests still use it. */
  readonly renewAheadMs: number;
}

/** A request that is sent now reaches the server before a value with this much time left expires. */
const lastUseMs = 5_000;
/** Between attempts to renew one that is still valid. */
const retryMs = 10_000;
/** Time limit of a renewal. It belongs to all calls that wait for it, so that none of them aborts it. */
const renewMsMax = 10_000;

/** What requests are authorized with and expires. It is requested when it is first needed, once for all callers. */
export class Renewed<Value extends Expiring> {
  readonly #options: RenewedOptions<Value>;
  readonly #closing = new AbortController();
  #current: Value | undefined;
  #renewal: Promise<Value> | undefined;
  #retryAtMs = 0;

  constructor(options: RenewedOptions<Value>) {
    this.#options = options;
  }

  async get(signal: AbortSignal | undefined): Promise<Value> {
    signal?.throwIfAborted();
    const { clock, renewAheadMs } = this.#options;
    const current = this.#current;
    const nowMs = clock.nowMs();
    if (current === undefined || nowMs >= current.expiresMs - lastUseMs)
      return unlessAborted(this.#renew(), signal);
    if (nowMs >= current.expiresMs - renewAheadMs && nowMs >= this.#retryAtMs) {
      this.#retryAtMs = nowMs + retryMs;
      // Requests go on with the current one, and the next attempt may succeed.
      this.#renew().catch(() => undefined);
    }
    return current;
  }

  /** The server refused this one, whatever the clock says here: the next call requests another. */
  drop(used: Value): void {
    if (this.#current === used) this.#current = undefined;
  }

  close(): void {
    this.#closing.abort(new StoreError('unavailable', this.#options.subject, 'the store was closed'));
  }

  #renew(): Promise<Value> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewOnce(): Promise<Value> {
    const { clock, subject, renew } = this.#options;
    const abort = linkedAbort(this.#closing.signal);
    const cancel = clock.after(renewMsMax, () =>
      abort.abort(new StoreError('timeout', subject, `no credentials within ${renewMsMax} ms`)),
    );
    try {
      this.#current = await renew(abort.signal);
      return this.#current;
    } finally {
      cancel();
      abort.release();
    }
  }
}
