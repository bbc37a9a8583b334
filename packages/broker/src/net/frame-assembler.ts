import { KiB } from '@weir/core';
import { apis, checkFrameLength } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import { type Frame, type FrameMemory, unpooledFrame } from './frame-pool.ts';

const lengthBytes = 4;
const apiKeyBytes = 2;
/** A frame that misses at least this many bytes is read straight into its memory. */
const directBytesMin = 64 * KiB;

/**
 * Assembles the frames of one connection, each in contiguous memory. The caller may overwrite the received bytes as
 * soon as `push` returns.
 *
 * An invalid length is a `DecodeError`, after which the rest of the stream cannot be decoded.
 */
export class FrameAssembler {
  readonly #frameBytesMax: () => number;
  readonly #memory: FrameMemory;
  /** Length and API key, if they arrived in pieces or without the rest. */
  readonly #head = Buffer.alloc(lengthBytes + apiKeyBytes);
  #headBytes = 0;
  /** The incomplete frame: its memory, its length, and how much of it has arrived. */
  #frame: Frame | undefined;
  #length = 0;
  #received = 0;

  /** The size limit is evaluated for each frame, since authenticated clients may send larger ones. */
  constructor(frameBytesMax: number | (() => number), memory: FrameMemory) {
    this.#frameBytesMax = typeof frameBytesMax === 'number' ? () => frameBytesMax : frameBytesMax;
    this.#memory = memory;
  }

  /** Bytes that are held until the rest of their frame arrives. */
  get pendingBytes(): number {
    return this.#headBytes + this.#received;
  }

  /** Where the next bytes of the stream belong, if a large part of a frame is missing. */
  get place(): Buffer | undefined {
    if (this.#frame === undefined || this.#length - this.#received < directBytesMin) return undefined;
    return this.#room(this.#frame.bytes).subarray(this.#received, this.#length);
  }

  /** Adds bytes that were read into `place`. Returns the frame if they complete it. */
  placed(bytes: number): Frame | undefined {
    this.#received += bytes;
    return this.#received === this.#length ? this.#finish() : undefined;
  }

  /** Copies received bytes into their frames and appends the completed frames to `frames`. */
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
      if (this.#received === this.#length) frames.push(this.#finish());
    }
  }

  /** Releases the memory of a frame that will never be complete. */
  forget(): void {
    this.#frame?.release();
    this.#frame = undefined;
    this.#received = 0;
    this.#headBytes = 0;
  }

  /** Reads the head of a frame and returns how many bytes of the chunk it consumed. */
  #begin(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#head, this.#headBytes, at);
    this.#headBytes += taken;
    if (this.#headBytes < lengthBytes) return taken;
    const length = this.#head.readInt32BE(0);
    checkFrameLength(length, this.#frameBytesMax());
    const known = Math.min(length, this.#headBytes - lengthBytes);
    if (known < Math.min(length, apiKeyBytes)) return taken;
    // A frame may be shorter than the head; the remaining bytes belong to the next frame.
    const surplus = this.#headBytes - lengthBytes - known;
    this.#frame = this.#take(length);
    this.#length = length;
    this.#received = this.#head.copy(this.#frame.bytes, 0, lengthBytes, lengthBytes + known);
    this.#headBytes = 0;
    return taken - surplus;
  }

  #take(length: number): Frame {
    // A length is only a claim until its bytes arrive: beyond `believedFrameBytesMax` the memory grows with the
    // received bytes.
    if (length > wireLimits.believedFrameBytesMax)
      return this.#memory.takeLarge(wireLimits.believedFrameBytesMax);
    const carriesRecords = length >= apiKeyBytes && this.#head.readInt16BE(lengthBytes) === apis.Produce.key;
    return this.#memory.take(length, carriesRecords);
  }

  /** Returns the memory of the frame, with room for at least `moreBytes` more. */
  #room(bytes: Buffer, moreBytes = 1): Buffer {
    const needed = this.#received + moreBytes;
    if (needed <= bytes.length) return bytes;
    const larger = this.#memory.takeLarge(Math.min(this.#length, Math.max(needed, bytes.length * 2)));
    bytes.copy(larger.bytes, 0, 0, this.#received);
    this.#frame = larger;
    return larger.bytes;
  }

  #finish(): Frame {
    const { bytes } = this.#frame!;
    // Memory that grew may be larger than the frame.
    const frame =
      bytes.length === this.#length ? this.#frame! : unpooledFrame(bytes.subarray(0, this.#length));
    this.#frame = undefined;
    this.#received = 0;
    return frame;
  }
}
