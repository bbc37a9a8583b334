import { KiB } from '@weir/core';
import { checkFrameLength } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import { clientLimits } from './limits.ts';

/** Memory for an answer of so many bytes, at least as large; absent if there is none. */
export type AnswerMemory = (bytes: number) => Buffer | undefined;

interface AnswerReaderOptions {
  /** The memory that a request brought for its answer, if any. */
  readonly memoryFor: (correlationId: number) => AnswerMemory | undefined;
  /** Takes one answer, from its correlation id on. */
  readonly onAnswer: (frame: Buffer) => void;
}

/** What is read first, and where little is missing. All connections share it: it is consumed before the next read. */
export const receiveBuffer = Buffer.allocUnsafeSlow(64 * KiB);
/** An answer that misses at least this many bytes is read straight into its memory. */
const directBytesMin = 64 * KiB;
const lengthBytes = 4;
const headBytes = 2 * lengthBytes;

/**
 * Assembles the answers of one connection, each in memory of its own: that of its request, if it brought some. The
 * socket reads into `place`, and says by `received` how much arrived there.
 *
 * A length that is negative or beyond the limit is a `DecodeError`, after which the stream has no meaning any more.
 */
export class AnswerReader {
  readonly #options: AnswerReaderOptions;
  /** Length and correlation id, as far as they have arrived. */
  readonly #head = Buffer.alloc(headBytes);
  #headReceived = 0;
  /** The incomplete answer: its memory, its length, and how much of it has arrived. */
  #memory: Buffer | undefined;
  #length = 0;
  #received = 0;
  #isDirect = false;

  constructor(options: AnswerReaderOptions) {
    this.#options = options;
  }

  /** Where the next bytes of the stream are read to. */
  get place(): Buffer {
    this.#isDirect = this.#memory !== undefined && this.#length - this.#received >= directBytesMin;
    if (!this.#isDirect) return receiveBuffer;
    return this.#roomFor(1).subarray(this.#received, this.#length);
  }

  /** Takes bytes that were read into `place`. */
  received(bytes: number): void {
    if (!this.#isDirect) {
      this.#push(receiveBuffer.subarray(0, bytes));
      return;
    }
    this.#received += bytes;
    if (this.#received === this.#length) this.#finish();
  }

  #push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#memory === undefined) {
        at += this.#begin(chunk, at);
        if (this.#memory === undefined) return;
      } else {
        const taken = Math.min(chunk.length - at, this.#length - this.#received);
        chunk.copy(this.#roomFor(taken), this.#received, at, at + taken);
        this.#received += taken;
        at += taken;
      }
      if (this.#received === this.#length) this.#finish();
    }
  }

  /** Reads the head of an answer, and returns how many bytes of the chunk belong to it. */
  #begin(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#head, this.#headReceived, at);
    this.#headReceived += taken;
    if (this.#headReceived < lengthBytes) return taken;
    const length = this.#head.readInt32BE(0);
    checkFrameLength(length, clientLimits.responseFrameBytesMax);
    // An answer that is shorter than a correlation id is none; what reads it says so.
    const known = Math.min(length, headBytes - lengthBytes);
    if (this.#headReceived < lengthBytes + known) return taken;
    this.#length = length;
    this.#memory = this.#memoryOf(length);
    this.#received = this.#head.copy(this.#memory, 0, lengthBytes, lengthBytes + known);
    const surplus = this.#headReceived - lengthBytes - known;
    this.#headReceived = 0;
    return taken - surplus;
  }

  #memoryOf(length: number): Buffer {
    if (length >= lengthBytes) {
      const own = this.#options.memoryFor(this.#head.readInt32BE(lengthBytes))?.(length);
      if (own !== undefined) return own;
    }
    // A length is only a claim until its bytes arrive.
    return Buffer.allocUnsafe(Math.min(length, wireLimits.believedFrameBytesMax));
  }

  /** The memory of the answer, with room for so many bytes more. */
  #roomFor(bytes: number): Buffer {
    const memory = this.#memory!;
    const needed = this.#received + bytes;
    if (needed <= memory.length) return memory;
    const larger = Buffer.allocUnsafe(Math.min(this.#length, Math.max(needed, memory.length * 2)));
    memory.copy(larger, 0, 0, this.#received);
    this.#memory = larger;
    return larger;
  }

  #finish(): void {
    const frame = this.#memory!.subarray(0, this.#length);
    this.#memory = undefined;
    this.#received = 0;
    this.#options.onAnswer(frame);
  }
}
