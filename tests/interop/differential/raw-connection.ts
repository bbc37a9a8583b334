import { connect, type Socket } from 'node:net';
import { type Address, printAddress } from '@weir/client';
import { DecodeError, FrameSplitter } from '@weir/wire';
import { within } from '../brokers/waiting.ts';

/** What became of a frame: its answer, the end of the connection, or nothing for a long time. */
export type Reply = Buffer | 'closed' | 'silent';

const replyBytesMax = 64 * 1024 * 1024;

/** One connection that sends any bytes, one frame at a time. */
export class RawConnection {
  readonly #socket: Socket;
  #waiting: ((reply: Reply) => void) | undefined;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const splitter = new FrameSplitter(replyBytesMax);
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const frame of splitter.push(chunk)) this.#settle(frame);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        socket.destroy();
      }
    });
    // A close event follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      this.#settle('closed');
    });
  }

  static open({ host, port }: Address): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true });
      const failed = (error: Error) =>
        reject(new Error(`failed to connect to ${printAddress({ host, port })}`, { cause: error }));
      socket.once('error', failed);
      socket.once('connect', () => {
        socket.off('error', failed);
        resolve(new RawConnection(socket));
      });
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends a frame, and waits for what follows. */
  async exchange(frame: readonly Uint8Array[], timeoutMs: number): Promise<Reply> {
    if (this.#isClosed) return 'closed';
    const replied = new Promise<Reply>((resolve) => {
      this.#waiting = resolve;
    });
    this.#socket.write(Buffer.concat(frame));
    const reply = await within(timeoutMs, replied);
    // An answer that comes later would be taken for that of the next frame.
    if (reply === undefined) this.close();
    return reply ?? 'silent';
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(reply);
  }
}
