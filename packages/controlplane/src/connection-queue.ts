import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Line {
  /** The answer after which the next request has its turn. */
  last: ServerResponse;
  waiting: number;
}

/**
 * Lets the requests of a connection have their turn one after the other. A peer may send further ones before it has
 * read the answer to the first; if all of them were worked on at once, one connection could make as many answers wait
 * in memory as it likes.
 */
export class ConnectionQueue {
  readonly #waitingMax: number;
  readonly #lines = new WeakMap<Socket, Line>();

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /**
   * Runs the work when the answers before are on their way. Whether it will; otherwise the peer wants too much, and its
   * connection should end.
   */
  take({ socket }: IncomingMessage, response: ServerResponse, work: () => void): boolean {
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
