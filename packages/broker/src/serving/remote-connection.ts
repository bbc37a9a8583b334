import { DecodeError } from '@weir/wire';
import type { AcceptedPeer } from '../net/accepted-connections.ts';
import type { AnswerQueue, ConnectionLink, FrameQueue, LinkReceiver } from '../net/connection-link.ts';
import type { Frame } from '../net/frame-pool.ts';
import type { CloseReason } from '../net/listener-metrics.ts';
import { costOf } from '../net/received-frames.ts';
import { bytesOf } from '../net/requests-in-flight.ts';
import { readModes, takenStepBytes, toThread } from './thread-messages.ts';

/** What a connection of a serving thread needs of that thread. */
interface RemoteThread {
  write(record: readonly number[]): void;
  /** Has slices sent. Returns what to call when they are no longer used. */
  send(connection: number, slices: readonly Buffer[]): () => void;
}

/** A connection of a serving thread, as the main thread sees it, from the moment it was accepted. */
export class RemoteConnection implements AcceptedPeer, ConnectionLink {
  readonly id: number;
  readonly frames: RemoteFrames;
  readonly outbox: RemoteOutbox;
  readonly #thread: RemoteThread;
  #onClosed: (() => void)[] = [];
  #receiver: LinkReceiver | undefined;
  #frameBytesMax: (() => number) | undefined;
  #knownFrameBytesMax = 0;
  #isPaused = false;
  #isDestroyed = false;

  constructor(id: number, thread: RemoteThread) {
    this.id = id;
    this.#thread = thread;
    this.frames = new RemoteFrames((bytes) => thread.write([toThread.taken, id, bytes]));
    this.outbox = new RemoteOutbox({
      send: (slices) => {
        this.#limitFrames();
        return thread.send(id, slices);
      },
      end: () => thread.write([toThread.end, id]),
    });
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  /** Sets the source of the largest frame that the client may send next, before `start`. */
  withLimit(frameBytesMax: () => number): this {
    this.#frameBytesMax = frameBytesMax;
    return this;
  }

  start(receiver: LinkReceiver): void {
    this.#receiver = receiver;
    this.#knownFrameBytesMax = this.#frameBytesMax!();
    this.#thread.write([toThread.start, this.id, this.#knownFrameBytesMax]);
  }

  pause(finishesFrame: boolean): void {
    this.#isPaused = true;
    this.#thread.write([toThread.read, this.id, finishesFrame ? readModes.restOfFrame : readModes.nothing]);
  }

  resume(): void {
    this.#isPaused = false;
    this.#thread.write([toThread.read, this.id, readModes.all]);
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#thread.write([toThread.destroy, this.id]);
  }

  once(_event: 'close', run: () => void): void {
    this.#onClosed.push(run);
  }

  onFrame(frame: Frame, receivedBytes: number, receivedMs: number, nowMs: number): void {
    const receiver = this.#receiver;
    if (receiver?.isOpen !== true || this.#isDestroyed) {
      frame.release();
      this.frames.discard(frame.bytes.length);
      return;
    }
    this.frames.push(frame, receivedMs);
    receiver.onReceived(receivedBytes, nowMs, true);
  }

  onUnfinished(receivedBytes: number, unfinishedBytes: number, nowMs: number): void {
    const receiver = this.#receiver;
    if (receiver?.isOpen !== true || this.#isDestroyed) return;
    this.frames.unfinishedBytes = unfinishedBytes;
    // A frame that was begun although nothing should be read may need to be read to its end.
    receiver.onReceived(receivedBytes, nowMs, this.#isPaused);
  }

  onBroken(receivedBytes: number, problem: string, nowMs: number): void {
    const receiver = this.#receiver;
    if (receiver?.isOpen !== true || this.#isDestroyed) return;
    this.frames.break(new DecodeError('frame', 'length', 0, problem));
    receiver.onReceived(receivedBytes, nowMs, true);
  }

  onSent(bytes: number): void {
    this.outbox.sent(bytes);
    this.#receiver?.onProgress();
  }

  onEnded(): void {
    this.#receiver?.onEnd();
  }

  onLost(problem: string): void {
    this.#receiver?.onError(new Error(problem));
  }

  /** With a reason if its thread has ended. */
  onClosed(reason?: CloseReason): void {
    this.#isDestroyed = true;
    this.#receiver?.onClose(reason);
    for (const run of this.#onClosed.splice(0)) run();
  }

  /** A login allows larger frames. The thread learns that before the client learns of its login. */
  #limitFrames(): void {
    const bytesMax = this.#frameBytesMax!();
    if (bytesMax === this.#knownFrameBytesMax) return;
    this.#knownFrameBytesMax = bytesMax;
    this.#thread.write([toThread.frameBytesMax, this.id, bytesMax]);
  }
}

/** Frames that a serving thread has received. */
class RemoteFrames implements FrameQueue {
  unfinishedBytes = 0;
  readonly #onTaken: (bytes: number) => void;
  readonly #frames: Frame[] = [];
  readonly #receivedMs: number[] = [];
  #waitingBytes = 0;
  #takenBytes = 0;
  #broken: Error | undefined;

  constructor(onTaken: (bytes: number) => void) {
    this.#onTaken = onTaken;
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  push(frame: Frame, receivedMs: number): void {
    this.unfinishedBytes = 0;
    this.#frames.push(frame);
    this.#receivedMs.push(receivedMs);
    this.#waitingBytes += costOf(frame.bytes.length);
  }

  break(error: Error): void {
    this.unfinishedBytes = 0;
    this.#broken = error;
  }

  take(): Frame | undefined {
    const frame = this.#frames.shift();
    if (frame === undefined) {
      if (this.#broken !== undefined) throw this.#broken;
      return undefined;
    }
    this.#waitingBytes -= costOf(frame.bytes.length);
    this.discard(frame.bytes.length);
    return frame;
  }

  takeReceivedMs(): number {
    return this.#receivedMs.shift()!;
  }

  drop(): void {
    for (const frame of this.#frames.splice(0)) {
      frame.release();
      this.discard(frame.bytes.length);
    }
    this.#receivedMs.length = 0;
    this.#waitingBytes = 0;
  }

  forgetUnfinished(): void {
    this.unfinishedBytes = 0;
  }

  /** A frame of that many bytes is no longer in the way of others. */
  discard(frameBytes: number): void {
    this.#takenBytes += costOf(frameBytes);
    if (this.#takenBytes < takenStepBytes) return;
    this.#onTaken(this.#takenBytes);
    this.#takenBytes = 0;
  }
}

interface RemoteOutboxOptions {
  /** Returns what to call when the slices are no longer used. */
  send(slices: readonly Buffer[]): () => void;
  end(): void;
}

/** Answers that a serving thread sends. */
class RemoteOutbox implements AnswerQueue {
  readonly #options: RemoteOutboxOptions;
  #pushedBytes = 0;
  #sentBytes = 0;
  #isEnding = false;
  /** What to call when the socket has accepted this many bytes. */
  readonly #sent: {
    readonly atBytes: number;
    /** Referred to until then: memory that is collected here is forgotten there. */
    readonly slices: readonly Buffer[];
    readonly onSent: () => void;
  }[] = [];

  constructor(options: RemoteOutboxOptions) {
    this.#options = options;
  }

  get queuedBytes(): number {
    return this.#pushedBytes - this.#sentBytes;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  push(slices: readonly Buffer[], onSent?: () => void): void {
    this.#pushedBytes += bytesOf(slices);
    const release = this.#options.send(slices);
    this.#sent.push({
      atBytes: this.#pushedBytes,
      slices,
      onSent() {
        release();
        onSent?.();
      },
    });
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#options.end();
  }

  sent(bytes: number): void {
    this.#sentBytes += bytes;
    while (this.#sent.length > 0 && this.#sent[0]!.atBytes <= this.#sentBytes) this.#sent.shift()!.onSent();
  }

  close(): void {
    for (const { onSent } of this.#sent.splice(0)) onSent();
  }
}
