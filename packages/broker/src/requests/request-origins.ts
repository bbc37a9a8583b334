import { randomUUID } from 'node:crypto';
import type { RequestOrigin } from '@weir/cluster';

/**
 * Assigns ids to connections and numbers to their requests, so that the control plane can distinguish a stale request
 * from one that its client still waits for.
 */
export class RequestOrigins {
  /** Unique across agents and restarts. */
  readonly #prefix = randomUUID();
  readonly #connections = new WeakMap<AbortSignal, { readonly connection: string; request: number }>();
  #count = 0;

  /**
   * Returns the origin of the next request of a connection, identified by its close signal. Numbers are even; see
   * `repeatedOrigin`.
   */
  next(closed: AbortSignal): RequestOrigin {
    let known = this.#connections.get(closed);
    if (known === undefined) {
      known = { connection: `${this.#prefix}/${this.#count++}`, request: 0 };
      this.#connections.set(closed, known);
    }
    const { connection, request } = known;
    known.request += 2;
    return { connection, request };
  }
}

/** Returns the origin under which an agent repeats a request by itself: later than it, earlier than the next one. */
export function repeatedOrigin({ connection, request }: RequestOrigin): RequestOrigin {
  return { connection, request: request + 1 };
}
