/**
 * Keeps requests of a connection in order where one of them takes several turns before it takes effect. Requests that
 * take one turn are in order anyway, and cost nothing here.
 */
export class RequestOrder {
  /** Per connection: resolves when its latest request that took several turns has taken effect. */
  readonly #latest = new WeakMap<AbortSignal, Promise<void>>();

  /** What a request of the connection has to wait for, if anything. A request that waits is itself waited for. */
  before(connection: AbortSignal): Promise<void> | undefined {
    return this.#latest.get(connection);
  }

  /** Lets later requests of the connection wait until the returned function is called. */
  hold(connection: AbortSignal): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#latest.set(connection, promise);
    return () => {
      resolve();
      if (this.#latest.get(connection) === promise) this.#latest.delete(connection);
    };
  }
}
