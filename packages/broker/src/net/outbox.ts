import type { Socket } from 'node:net';
import { brokerLimits } from '../limits.ts';
import type { AnswerQueue } from './connection-link.ts';

const nothing = Buffer.alloc(0);

/**
 * Slices that wait to be sent on a connection. They go to the socket in portions, one `writev` each, and every portion
 * that the socket accepts is progress; for a slow reader only one portion is buffered in the socket.
 */
export class Outbox implements AnswerQueue {
  readonly #socket: Socket;
  readonly #onProgress: () => void;
  #slices: Buffer[] = [];
  /** Slices before this index were handed to the socket. */
  #next = 0;
  #queuedBytes = 0;
  /** Bytes of all slices so far, and of those that the socket has accepted. */
  #pushedBytes = 0;
  #sentBytes = 0;
  /** What to call when the socket has accepted this many bytes. */
  #sent: { readonly atBytes: number; readonly onSent: () => void }[] = [];
  #isWriting = false;
  #isScheduled = false;
  #isEnding = false;

  /** `onProgress` is called whenever the socket has accepted a portion. */
  constructor(socket: Socket, onProgress: () => void) {
    this.#socket = socket;
    this.#onProgress = onProgress;
  }

  /** Bytes that the socket has not accepted yet. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** `onSent` is called once, when the slices are no longer used: the socket has accepted them or is closed. */
  push(slices: readonly Buffer[], onSent?: () => void): void {
    for (const slice of slices) {
      if (slice.length === 0) continue;
      this.#slices.push(slice);
      this.#queuedBytes += slice.length;
      this.#pushedBytes += slice.length;
    }
    if (onSent !== undefined) this.#sent.push({ atBytes: this.#pushedBytes, onSent });
    // The requests of one log file are answered in one turn of the event loop, and their answers are sent together.
    if (this.#isScheduled || this.#isWriting) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#write();
    });
  }

  /** Sends queued slices and then closes our side. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#endIfEmpty();
  }

  /** Called when the socket is closed, and not before: until then the system may read the slices. */
  close(): void {
    for (const { onSent } of this.#sent.splice(0)) onSent();
    this.#slices = [];
    this.#next = 0;
  }

  #endIfEmpty(): void {
    if (this.#isEnding && this.#queuedBytes === 0 && !this.#socket.destroyed) this.#socket.end();
  }

  #write(): void {
    if (this.#isWriting || this.#next === this.#slices.length || this.#socket.destroyed) return;
    this.#isWriting = true;
    const { portion, bytes } = this.#takePortion();
    const last = portion.length - 1;
    this.#socket.cork();
    for (const [index, slice] of portion.entries()) {
      if (index < last) this.#socket.write(slice);
      else this.#socket.write(slice, (error) => this.#taken(bytes, error));
    }
    this.#socket.uncork();
  }

  #takePortion(): { portion: Buffer[]; bytes: number } {
    const portion: Buffer[] = [];
    let bytes = 0;
    while (this.#next < this.#slices.length && bytes < brokerLimits.socketWriteBytesMax) {
      const slice = this.#slices[this.#next]!;
      const room = brokerLimits.socketWriteBytesMax - bytes;
      if (slice.length > room) {
        portion.push(slice.subarray(0, room));
        this.#slices[this.#next] = slice.subarray(room);
        bytes += room;
      } else {
        portion.push(slice);
        // The list lives until its last slice is sent, and must not retain slices that were sent.
        this.#slices[this.#next++] = nothing;
        bytes += slice.length;
      }
    }
    if (this.#next === this.#slices.length) {
      this.#slices = [];
      this.#next = 0;
    }
    return { portion, bytes };
  }

  #taken(bytes: number, error: Error | null | undefined): void {
    this.#isWriting = false;
    // A failed socket emits its own error; here it only means that nothing more can be sent.
    if (error !== null && error !== undefined) return;
    this.#queuedBytes -= bytes;
    this.#sentBytes += bytes;
    while (this.#sent.length > 0 && this.#sent[0]!.atBytes <= this.#sentBytes) this.#sent.shift()!.onSent();
    this.#onProgress();
    this.#write();
    this.#endIfEmpty();
  }
}
