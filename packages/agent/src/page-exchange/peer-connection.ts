import { connect, type Socket } from 'node:net';
import { type Answer, type AnswerListener, AnswerReader } from './answer-reader.ts';
import { PeerFailure } from './peer-failure.ts';

/** The other side closed a connection that was idle just when it was used again, which says nothing about the agent. */
export class StaleConnection extends PeerFailure {}

interface Exchange {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: PeerFailure) => void;
}

/** One connection to another agent, for one question at a time. */
export class PeerConnection {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  #exchange: Exchange | undefined;
  #asked = 0;
  idleSinceMs = 0;

  constructor(host: string, port: number) {
    this.#socket = connect({
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
    });
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      // Node joins the errors of several addresses into one without a message.
      this.#fail(error.message === '' ? String(error.code) : error.message, error),
    );
    this.#socket.on('close', () => this.#fail('the connection was closed'));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readyState !== 'writeOnly';
  }

  /** Rejects with a `PeerFailure` and nothing else. */
  ask(request: string, listener: AnswerListener): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#exchange = { resolve, reject };
      this.#asked++;
      this.#reader.expect(listener);
      if (this.#socket.destroyed) this.#fail('the connection was closed');
      else this.#socket.write(request, 'latin1');
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
    const isStale = this.#asked > 1 && !this.#reader.hasBegun;
    const Kind = isStale ? StaleConnection : PeerFailure;
    this.#end(new Kind('unreachable', problem, cause === undefined ? {} : { cause }));
  }

  #end(failure: PeerFailure): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.reject(failure);
  }
}
