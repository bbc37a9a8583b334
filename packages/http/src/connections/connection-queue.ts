/** A response as far as it matters for the order of requests. */
export interface QueuedResponse {
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

interface Line {
  /** The response after which the next request runs. */
  last: QueuedResponse;
  waiting: number;
}

/**
 * Serializes the requests of a connection. A peer may pipeline requests before it has read the first response; if all
 * of them ran at once, one connection could hold any number of responses in memory.
 */
export class ConnectionQueue {
  readonly #waitingMax: number;
  readonly #lines = new WeakMap<object, Line>();

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /**
   * Runs the work when the previous responses are sent. Returns false if too many requests wait, and the connection
   * should end.
   */
  take(socket: { readonly destroyed: boolean }, response: QueuedResponse, work: () => void): boolean {
    const line = this.#lines.get(socket);
    const last = line?.last;
    const isFree = last === undefined || last.writableFinished || last.destroyed;
    if (line !== undefined && !isFree && line.waiting >= this.#waitingMax) return false;
    if (line === undefined) this.#lines.set(socket, { last: response, waiting: 0 });
    else line.last = response;
    if (isFree) {
      work();
      return true;
    }
    line!.waiting++;
    last.once('close', () => {
      line!.waiting--;
      if (!socket.destroyed) work();
    });
    return true;
  }
}
