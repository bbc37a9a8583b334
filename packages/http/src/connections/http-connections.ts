import type { Clock } from '@weir/core';
import { ConnectionQueue, type QueuedResponse } from './connection-queue.ts';
import { ConnectionShares, type SharesLimits } from './connection-shares.ts';
import { UnreadAnswers, type UnreadLimits, type WatchedResponse } from './unread-answers.ts';

/** Why a connection was ended: what its peer left unread, what it sent at once, or that others needed its place. */
type CutReason = 'slow' | 'memory' | 'requests' | 'share' | 'full';

export const cutReasonsHelp =
  'the peer read its responses too slowly (slow), too much was unread (memory), it sent too many requests before it had read a response (requests), it sent no whole request or was idle while the port was full (share), or the port was full (full)';

interface HttpConnectionsLimits {
  readonly connections: SharesLimits;
  /** Requests that a connection may send before it has read the answer to the first. */
  readonly requestsWaitingMax: number;
  readonly unread: UnreadLimits;
}

interface HttpConnectionsOptions {
  readonly limits: HttpConnectionsLimits;
  readonly clock: Clock;
  /** Called for each connection that is ended. */
  readonly onCut: (reason: CutReason) => void;
}

interface HttpSocket {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

interface HttpServer {
  prependListener(event: 'connection', listener: (socket: HttpSocket) => void): unknown;
}

/** What every HTTP port does about its peers: fair shares of connections, requests in turn, no unread answers. */
export class HttpConnections {
  readonly #options: HttpConnectionsOptions;
  readonly #queue: ConnectionQueue;
  readonly #unread: UnreadAnswers;
  readonly #shares: ConnectionShares<HttpSocket>;
  /** By their peers: with TLS, requests come from another object than connections. */
  readonly #sockets = new Map<string, HttpSocket>();
  /** The connections of sockets that sent a request, so that the peer is looked at once for each. */
  readonly #counted = new WeakMap<HttpSocket, HttpSocket>();

  constructor(options: HttpConnectionsOptions) {
    const { limits, clock, onCut } = options;
    this.#options = options;
    this.#queue = new ConnectionQueue(limits.requestsWaitingMax);
    this.#unread = new UnreadAnswers({ limits: limits.unread, clock, onCut });
    this.#shares = new ConnectionShares(limits.connections);
  }

  /** The connections of a server count from now on. */
  attach(server: HttpServer): void {
    server.prependListener('connection', (socket) => this.#entered(socket));
  }

  /** Runs the work when the previous requests of the connection are answered; ends the connection if too many wait. */
  serve(
    request: { readonly socket: HttpSocket },
    response: QueuedResponse & WatchedResponse,
    work: () => void,
  ): void {
    const { socket } = request;
    // Requests that came together with the one that was too many.
    if (socket.destroyed) return;
    this.#busy(socket, response);
    const isTaken = this.#queue.take(socket, response, () => {
      this.#unread.watch(response);
      work();
    });
    if (isTaken) return;
    this.#options.onCut('requests');
    socket.destroy();
  }

  /** The connection has become one of another protocol, which has rules of its own. */
  upgraded(socket: HttpSocket): void {
    this.#busy(socket);
  }

  #entered(socket: HttpSocket): void {
    const replaced = this.#shares.enter(socket, socket.remoteAddress ?? '');
    if (replaced === 'refused') {
      this.#options.onCut('full');
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    this.#sockets.set(peer, socket);
    socket.once('close', () => {
      if (this.#sockets.get(peer) === socket) this.#sockets.delete(peer);
      this.#shares.leave(socket);
    });
    if (replaced === undefined) return;
    this.#options.onCut('share');
    replaced.destroy();
  }

  #busy(socket: HttpSocket, until?: QueuedResponse): void {
    let counted = this.#counted.get(socket);
    if (counted === undefined) {
      counted = this.#sockets.get(peerOf(socket));
      if (counted === undefined) return;
      this.#counted.set(socket, counted);
    }
    this.#shares.began(counted);
    until?.once('close', () => this.#shares.ended(counted));
  }
}

function peerOf({ remoteAddress, remotePort, localAddress }: HttpSocket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
