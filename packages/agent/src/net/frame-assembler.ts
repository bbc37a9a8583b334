import { KiB } from '@weir/core';
import { apis, checkFrameLength } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import { type Frame, type FramePool, unpooledFrame } from './frame-pool.ts';

const lengthBytes = 4;
const apiKeyBytes = 2;
/** A frame of which this much is missing is worth a read of its own, straight to its place. */
const directBytesMin = 64 * KiB;

/**
 * Puts the frames of one connection together, each in one piece. What was received may be overwritten as soon as `push` returns.
 *
 * Frames that carry records lie in the pool; the rest, which some handler may keep a part of, in memory of their own. A length
 * that no peer in its right mind sends is a `DecodeError`, after which the stream has no meaning any more.
 */
export class FrameAssembler {
  readonly #frameBytesMax: () => number;
  readonly #pool: FramePool;
  /** Length and API key, when they came in pieces or without the rest. */
  readonly #head = Buffer.alloc(lengthBytes + apiKeyBytes);
  #headBytes = 0;
  /** The frame that is not yet whole: its memory, its length, and how much of it is there. */
  #frame: Frame | undefined;
  #length = 0;
  #received = 0;

  /** How large a frame may be is asked for each, since clients that are known may send more. */
  constructor(frameBytesMax: number | (() => number), pool: FramePool) {
    this.#frameBytesMax = typeof frameBytesMax === 'number' ? () => frameBytesMax : frameBytesMax;
    this.#pool = pool;
  }

  /** Bytes that are held until the rest of their frame comes. */
  get pendingBytes(): number {
    return this.#headBytes + this.#received;
  }

  /** Where the next bytes of the stream belong, when a large part of a frame is missing. */
  get place(): Buffer | undefined {
    if (this.#frame === undefined || this.#length - this.#received < directBytesMin) return undefined;
    return this.#room(this.#frame.bytes).subarray(this.#received, this.#length);
  }

  /** Adds bytes that were read into `place`. Gives the frame that they complete. */
  placed(bytes: number): Frame | undefined {
    this.#received += bytes;
    return this.#received === this.#length ? this.#take() : undefined;
  }

  /** Copies what was received to where it belongs and adds the frames that it completes. */
  push(chunk: Buffer, frames: Frame[]): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#frame === undefined) {
        at += this.#begin(chunk, at);
        if (this.#frame === undefined) return;
      } else {
        const take = Math.min(chunk.length - at, this.#length - this.#received);
        const into = this.#room(this.#frame.bytes, take);
        chunk.copy(into, this.#received, at, at + take);
        this.#received += take;
        at += take;
      }
      if (this.#received === this.#length) frames.push(this.#take());
    }
  }

  /** Gives back the memory of the frame that will never be whole. */
  forget(): void {
    this.#frame?.release();
    this.#frame = undefined;
    this.#received = 0;
    this.#headBytes = 0;
  }

  /** Reads the head of a frame and returns how much of the chunk that took. */
  #begin(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#head, this.#headBytes, at);
    this.#headBytes += taken;
    if (this.#headBytes < lengthBytes) return taken;
    const length = this.#head.readInt32BE(0);
    checkFrameLength(length, this.#frameBytesMax());
    const known = Math.min(length, this.#headBytes - lengthBytes);
    if (known < Math.min(length, apiKeyBytes)) return taken;
    // A frame may be shorter than its own head is long, and then what follows is not its.
    const surplus = this.#headBytes - lengthBytes - known;
    this.#frame = this.#memory(length);
    this.#length = length;
    this.#received = this.#head.copy(this.#frame.bytes, 0, lengthBytes, lengthBytes + known);
    this.#headBytes = 0;
    return taken - surplus;
  }

  #memory(length: number): Frame {
    // A length is a claim until its bytes have come: beyond what is believed the memory grows with what was received.
    if (length > wireLimits.believedFrameBytesMax)
      return unpooledFrame(Buffer.allocUnsafe(wireLimits.believedFrameBytesMax));
    const carriesRecords = length >= apiKeyBytes && this.#head.readInt16BE(lengthBytes) === apis.Produce.key;
    return carriesRecords ? this.#pool.take(length) : unpooledFrame(Buffer.allocUnsafe(length));
  }

  /** The memory of the frame, with room for at least so many more bytes. */
  #room(bytes: Buffer, moreBytes = 1): Buffer {
    const needed = this.#received + moreBytes;
    if (needed <= bytes.length) return bytes;
    const larger = Buffer.allocUnsafe(Math.min(this.#length, Math.max(needed, bytes.length * 2)));
    bytes.copy(larger, 0, 0, this.#received);
    this.#frame = unpooledFrame(larger);
    return larger;
  }

  #take(): Frame {
    const { bytes } = this.#frame!;
    // Memory that grew may have grown further than the frame is long.
    const frame =
      bytes.length === this.#length ? this.#frame! : unpooledFrame(bytes.subarray(0, this.#length));
    this.#frame = undefined;
    this.#received = 0;
    return frame;
  }
}
