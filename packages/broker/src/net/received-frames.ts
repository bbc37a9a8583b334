import type { FrameQueue } from './connection-link.ts';
import { FrameAssembler } from './frame-assembler.ts';
import type { Frame, FrameMemory } from './frame-pool.ts';

/** The frames that were received on a socket of this thread, and the unfinished frame behind them. */
export class ReceivedFrames implements FrameQueue {
  readonly #assembler: FrameAssembler;
  readonly #frames: Frame[] = [];
  /** When each of them was received. */
  readonly #receivedMs: number[] = [];
  #waitingBytes = 0;
  /** Why the bytes after those frames cannot be decoded. */
  #broken: Error | undefined;

  constructor(frameBytesMax: () => number, memory: FrameMemory) {
    this.#assembler = new FrameAssembler(frameBytesMax, memory);
  }

  /** Where the next bytes of the stream belong, if a large part of a frame is missing. */
  get place(): Buffer | undefined {
    return this.#assembler.place;
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** Whether the rest of the stream cannot be decoded. */
  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** Bytes of the unfinished frame. */
  get unfinishedBytes(): number {
    return this.#assembler.pendingBytes;
  }

  /** Memory cost of the complete frames. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Adds bytes that were read into `place`. Returns whether they complete a frame. */
  placed(bytes: number, nowMs: number): boolean {
    const frame = this.#assembler.placed(bytes);
    if (frame === undefined) return false;
    this.#frames.push(frame);
    this.#receivedMs.push(nowMs);
    this.#waitingBytes += costOf(frame.bytes.length);
    return true;
  }

  push(chunk: Buffer, nowMs: number): void {
    const before = this.#frames.length;
    try {
      this.#assembler.push(chunk, this.#frames);
    } catch (error) {
      this.#broken = error as Error;
    }
    for (let at = before; at < this.#frames.length; at++) {
      this.#receivedMs.push(nowMs);
      this.#waitingBytes += costOf(this.#frames[at]!.bytes.length);
    }
  }

  /** Removes and returns the oldest frame. Throws after the last frame if the rest cannot be decoded. */
  take(): Frame | undefined {
    const frame = this.#frames.shift();
    if (frame !== undefined) this.#waitingBytes -= costOf(frame.bytes.length);
    else if (this.#broken !== undefined) throw this.#broken;
    return frame;
  }

  /** When the frame that `take` has just returned was received. Called once per frame. */
  takeReceivedMs(): number {
    return this.#receivedMs.shift()!;
  }

  /** Releases the complete frames. */
  drop(): void {
    for (const frame of this.#frames.splice(0)) frame.release();
    this.#receivedMs.length = 0;
    this.#waitingBytes = 0;
  }

  /** Releases the unfinished frame, once the socket no longer reads into it. */
  forgetUnfinished(): void {
    this.#assembler.forget();
  }
}

/** Memory that a frame needs in addition to its bytes. */
export function costOf(frameBytes: number): number {
  return frameBytes + 256;
}
