import type { Clock } from '@weir/core';
import type { Credentials } from './signature.ts';

export interface ExpiringCredentials extends Credentials {
  readonly expiresMs: number;
}

interface RenewedCredentialsOptions {
  readonly renew: () => Promise<ExpiringCredentials>;
  readonly clock: Clock;
  /** So long before they expire, credentials are renewed while requests still use them. */
  readonly renewAheadMs: number;
}

/** A request that is signed now reaches the server before credentials with this much time left expire. */
const lastUseMs = 5_000;
/** Between attempts to renew credentials that are still valid. */
const retryMs = 5_000;

/** Credentials that expire: those of a role, or of a session. At most one request for new ones is under way. */
export class RenewedCredentials {
  readonly #options: RenewedCredentialsOptions;
  #current: ExpiringCredentials | undefined;
  #renewal: Promise<ExpiringCredentials> | undefined;
  #renewAtMs = 0;

  constructor(options: RenewedCredentialsOptions) {
    this.#options = options;
  }

  async get(): Promise<Credentials> {
    const { clock, renewAheadMs } = this.#options;
    const current = this.#current;
    const nowMs = clock.nowMs();
    if (current === undefined || nowMs >= current.expiresMs - lastUseMs) return this.#renew();
    if (nowMs >= current.expiresMs - renewAheadMs && nowMs >= this.#renewAtMs) {
      this.#renewAtMs = nowMs + retryMs;
      // Requests go on with the current ones, and the next attempt may succeed.
      this.#renew().catch(() => {});
    }
    return current;
  }

  /** The server says that these have expired, whatever the clock says here. */
  drop(used: Credentials): void {
    if (this.#current === used) this.#current = undefined;
  }

  #renew(): Promise<ExpiringCredentials> {
    this.#renewal ??= this.#options
      .renew()
      .then((renewed) => {
        this.#current = renewed;
        return renewed;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }
}
