import { DecodeError } from './decode-error.ts';
import { wireLimits } from './limits.ts';

const lengthBytes = 4;

/** Rejects a length prefix that no sane peer sends. */
export function checkFrameLength(length: number, frameBytesMax: number): void {
  if (length < 0) throw new DecodeError('frame', 'length', 0, `negative length ${length}`);
  if (length > frameBytesMax) {
    throw new DecodeError('frame', 'length', 0, `${length} bytes exceed the limit of ${frameBytesMax}`);
  }
}

/**
 * Splits a byte stream into frames. A frame within one chunk is a view of it; only a frame that spans chunks is
 * assembled in a buffer of its own.
 *
 * A length that is negative or beyond the limit is a `DecodeError`, after which the stream has no meaning any more and
 * the connection must be closed.
 */
export class FrameSplitter {
  readonly #frameBytesMax: number;
  /** Bytes of a length prefix that spans chunks. */
  #prefix: Buffer = Buffer.alloc(0);
  /** The frame that spans chunks: its buffer, its length, and how much of it has arrived. */
  #partial: Buffer | undefined;
  #partialLength = 0;
  #partialReceived = 0;

  constructor(frameBytesMax: number) {
    this.#frameBytesMax = frameBytesMax;
  }

  /** Bytes that are held until the rest of their frame arrives. */
  get pendingBytes(): number {
    return this.#prefix.length + this.#partialReceived;
  }

  /** Yields every frame that the chunk completes, in order. */
  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    let position = 0;
    while (position < chunk.length) {
      if (this.#partial !== undefined) {
        position += this.#receive(this.#partial, chunk, position);
        if (this.#partialReceived < this.#partialLength) return;
        yield this.#takePartial();
        continue;
      }
      const missing = lengthBytes - this.#prefix.length;
      if (chunk.length - position < missing) {
        this.#prefix = Buffer.concat([this.#prefix, chunk.subarray(position)]);
        return;
      }
      const length = this.#length(chunk, position, missing);
      position += missing;
      if (length <= chunk.length - position) {
        yield chunk.subarray(position, position + length);
        position += length;
      } else {
        this.#partial = Buffer.allocUnsafe(Math.min(length, wireLimits.believedFrameBytesMax));
        this.#partialLength = length;
      }
    }
  }

  #length(chunk: Buffer, position: number, missing: number): number {
    let length: number;
    if (missing === lengthBytes) {
      length = chunk.readInt32BE(position);
    } else {
      length = Buffer.concat([this.#prefix, chunk.subarray(position, position + missing)]).readInt32BE(0);
      this.#prefix = Buffer.alloc(0);
    }
    checkFrameLength(length, this.#frameBytesMax);
    return length;
  }

  #receive(partial: Buffer, chunk: Buffer, from: number): number {
    const take = Math.min(chunk.length - from, this.#partialLength - this.#partialReceived);
    const needed = this.#partialReceived + take;
    let target = partial;
    if (needed > partial.length) {
      target = Buffer.allocUnsafe(Math.min(this.#partialLength, Math.max(needed, partial.length * 2)));
      partial.copy(target, 0, 0, this.#partialReceived);
      this.#partial = target;
    }
    chunk.copy(target, this.#partialReceived, from, from + take);
    this.#partialReceived = needed;
    return take;
  }

  #takePartial(): Buffer {
    const frame = this.#partial!.subarray(0, this.#partialLength);
    this.#partial = undefined;
    this.#partialReceived = 0;
    return frame;
  }
}
