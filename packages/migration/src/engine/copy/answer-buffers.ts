import { MiB } from '@weir/core';

/** Memory of one answer of the source. */
interface AnswerBuffer {
  /** Memory for an answer of so many bytes; absent if ordinary memory will do. It is asked for once. */
  readonly memory: (bytes: number) => Buffer | undefined;
  /** Says that the answer is read no more. Further calls do nothing. */
  release(): void;
}

/** Smaller answers are received into ordinary memory. */
const reusedBytesMin = 256 * 1024;
/** Buffers differ by so much, that one fits answers of about the same size. */
const granuleBytes = 4 * MiB;

/**
 * Memory for the answers of a source, which is used again. V8 marks the whole heap after every 64 MB of fresh memory,
 * and the system fills each page with zeros: that took more time than the copy. A buffer that is never released is left
 * to the garbage collector.
 */
export class AnswerBuffers {
  readonly #freeBytesMax: number;
  readonly #answerBytesMax: number;
  /** The largest last. */
  #free: Buffer[] = [];
  #freeBytes = 0;

  constructor(limits: { readonly answerBytesMax: number; readonly freeBytesMax: number }) {
    this.#answerBytesMax = limits.answerBytesMax;
    this.#freeBytesMax = limits.freeBytesMax;
  }

  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** Memory for the next answer, whose size is not known yet. */
  next(): AnswerBuffer {
    let taken: Buffer | undefined;
    return {
      memory: (bytes) => {
        if (bytes < reusedBytesMin || bytes > this.#answerBytesMax) return undefined;
        taken = this.#take(bytes);
        return taken;
      },
      release: () => {
        if (taken !== undefined) this.#give(taken);
        taken = undefined;
      },
    };
  }

  /** Gives back to the system what is not in use. */
  clear(): void {
    this.#free = [];
    this.#freeBytes = 0;
  }

  #take(bytes: number): Buffer {
    const at = this.#free.findIndex(({ length }) => length >= bytes);
    if (at === -1) return Buffer.allocUnsafeSlow(Math.ceil(bytes / granuleBytes) * granuleBytes);
    const [found] = this.#free.splice(at, 1);
    this.#freeBytes -= found!.length;
    return found!;
  }

  /** Keeps the largest ones: they fit every answer. */
  #give(buffer: Buffer): void {
    const at = this.#free.findIndex(({ length }) => length >= buffer.length);
    this.#free.splice(at === -1 ? this.#free.length : at, 0, buffer);
    this.#freeBytes += buffer.length;
    while (this.#freeBytes > this.#freeBytesMax) this.#freeBytes -= this.#free.shift()!.length;
  }
}
