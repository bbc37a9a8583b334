import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';
import { type Answer, type AnswerListener, AnswerReader } from './answer-reader.ts';
import { PeerFailure } from './peer-failure.ts';

/** The peer closed an idle connection just when it was reused, which does not count as a failure of the agent. */
export class StaleConnection extends PeerFailure {}

interface Exchange {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: PeerFailure) => void;
}

/** One connection to another agent, for one request at a time. */
export class PeerConnection {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  /** Resolves when the peer is authenticated; absent for a plain connection. */
  readonly #secured: Promise<void> | undefined;
  #exchange: Exchange | undefined;
  #requestCount = 0;
  idleSinceMs = 0;

  /** With TLS options nothing is sent before the peer is authenticated. */
  constructor(host: string, port: number, tls?: ConnectionOptions) {
    const options: NetConnectOpts = {
      host,
      port,
      noDelay: true,
      onread: {
        buffer: () => this.#reader.buffer(),
        callback: (bytes) => {
          this.#onBytes(bytes);
          return true;
        },
      },
    };
    if (tls === undefined) {
      this.#socket = connect(options);
    } else {
      const socket = connectSecurely({ ...tls, ...options });
      this.#socket = socket;
      this.#secured = new Promise((resolve) => {
        socket.once('secureConnect', resolve);
      });
    }
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      // Node.js joins the errors of several addresses into one without a message.
      this.#fail(error.message === '' ? String(error.code) : error.message, error),
    );
    this.#socket.on('close', () => this.#fail('connection closed'));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readyState !== 'writeOnly';
  }

  /** Rejects only with a `PeerFailure`. */
  ask(request: string, listener: AnswerListener): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#exchange = { resolve, reject };
      this.#requestCount++;
      this.#reader.expect(listener);
      if (this.#socket.destroyed) this.#fail('connection closed');
      else if (this.#secured === undefined) this.#socket.write(request, 'latin1');
      else void this.#secured.then(() => this.#socket.write(request, 'latin1'));
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #onBytes(bytes: number): void {
    try {
      const answer = this.#reader.take(bytes);
      if (answer === undefined) return;
      if (!answer.isReusable) this.#socket.destroy();
      const exchange = this.#exchange;
      this.#exchange = undefined;
      exchange?.resolve(answer);
    } catch (error) {
      this.#socket.destroy();
      const failure =
        error instanceof PeerFailure ? error : new PeerFailure('broken', String(error), { cause: error });
      this.#end(failure);
    }
  }

  #fail(problem: string, cause?: Error): void {
    const isStale = this.#requestCount > 1 && !this.#reader.hasBegun;
    const Kind = isStale ? StaleConnection : PeerFailure;
    this.#end(new Kind('unreachable', problem, cause === undefined ? {} : { cause }));
  }

  #end(failure: PeerFailure): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.reject(failure);
  }
}
