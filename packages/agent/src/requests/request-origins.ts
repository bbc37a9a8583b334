import { randomUUID } from 'node:crypto';
import type { RequestOrigin } from '@weir/cluster';

/**
 * Names connections and numbers their requests, so that the control plane can tell a request that was under way for too long
 * from one that its client still waits for.
 */
export class RequestOrigins {
  /** No other agent, and not this one after a restart, names its connections the same. */
  readonly #prefix = randomUUID();
  readonly #connections = new WeakMap<AbortSignal, { readonly connection: string; request: number }>();
  #count = 0;

  /** The origin of the next request of a connection, which is known by the signal that it has closed. */
  next(closed: AbortSignal): RequestOrigin {
    let known = this.#connections.get(closed);
    if (known === undefined) {
      known = { connection: `${this.#prefix}/${this.#count++}`, request: 0 };
      this.#connections.set(closed, known);
    }
    return { connection: known.connection, request: known.request++ };
  }
}
