import {
  constants,
  createZstdDecompress,
  type ZstdOptions,
  zstdCompress,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import type { OffThreadOptions } from './off-thread.ts';
import { OutputLimitExceeded } from './output-limit.ts';
import { decompressStream, offThreadChunkBytes, outputChunkBytes, zlibFailure } from './zlib-output.ts';

const subject = 'zstd';

export function compressZstd(bytes: Buffer, level: number | undefined): Buffer {
  return zstdCompressSync(bytes, optionsOf(level));
}

/** In a thread of the pool. The bytes must not change before it is done. */
export function compressZstdOffThread(bytes: Buffer, level: number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Given the size of the input, it compresses as well as the synchronous call. Every chunk of output is a round trip
    // between threads, so the chunks are large.
    const pieces = { pledgedSrcSize: bytes.length, chunkSize: outputChunkBytes(bytes.length) };
    zstdCompress(bytes, { ...optionsOf(level), ...pieces }, (error, compressed) => {
      if (error === null) resolve(compressed);
      else reject(error);
    });
  });
}

function optionsOf(level: number | undefined): ZstdOptions {
  return level === undefined ? {} : { params: { [constants.ZSTD_c_compressionLevel]: level } };
}

/**
 * node:zlib stops after the first frame without reporting the rest, so the consumed length is checked here and further
 * frames are read in turn.
 *
 * Memory: the output is limited piece by piece. A frame may also require a window, which the library caps at 128 MiB
 * (window log 27); that is what the highest compression level writes, so it is not lowered here.
 */
export function decompressZstd(bytes: Buffer, outputBytesMax: number): Buffer {
  const frames = new Frames(bytes, outputBytesMax);
  do {
    try {
      const frame = zstdDecompressSync(frames.rest, frames.options) as unknown as DecompressedFrame;
      frames.take(frame.buffer, frame.engine.bytesWritten);
    } catch (cause) {
      throw frames.failure(cause);
    }
  } while (!frames.isAtEnd);
  return frames.output;
}

/** In a thread of the pool. The bytes must not change before it is done. */
export async function decompressZstdOffThread(
  bytes: Buffer,
  outputBytesMax: number,
  { watch }: OffThreadOptions,
): Promise<Buffer> {
  const frames = new Frames(bytes, outputBytesMax);
  do {
    const { rest, outputBytesLeft } = frames;
    const stream = createZstdDecompress({ chunkSize: offThreadChunkBytes(rest.length) });
    const failure = (cause: unknown) => frames.failure(cause);
    const { output, inputBytes } = await decompressStream(stream, rest, outputBytesLeft, watch, failure);
    frames.take(output, inputBytes);
  } while (!frames.isAtEnd);
  return frames.output;
}

/** The result of node:zlib with `info`. */
interface DecompressedFrame {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** The frames of one batch, read in turn. */
class Frames {
  readonly #bytes: Buffer;
  readonly #outputBytesMax: number;
  readonly #outputs: Buffer[] = [];
  #outputBytes = 0;
  #at = 0;

  constructor(bytes: Buffer, outputBytesMax: number) {
    this.#bytes = bytes;
    this.#outputBytesMax = outputBytesMax;
  }

  get rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  get outputBytesLeft(): number {
    return this.#outputBytesMax - this.#outputBytes;
  }

  get options(): ZstdOptions {
    return {
      maxOutputLength: Math.max(this.outputBytesLeft, 1),
      chunkSize: outputChunkBytes(this.#bytes.length - this.#at),
      info: true,
    };
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  get output(): Buffer {
    return this.#outputs.length === 1 ? this.#outputs[0]! : Buffer.concat(this.#outputs, this.#outputBytes);
  }

  take(output: Buffer, inputBytes: number): void {
    this.#outputs.push(output);
    this.#outputBytes += output.length;
    this.#at += inputBytes;
    if (this.#outputBytes > this.#outputBytesMax) {
      throw new OutputLimitExceeded(subject, this.#at, this.#outputBytesMax);
    }
    if (!this.isAtEnd && this.#outputs.length === wireLimits.zstdFramesMax) {
      throw new DecodeError(subject, 'frame', this.#at, `is one more than ${wireLimits.zstdFramesMax}`);
    }
  }

  failure(cause: unknown): DecodeError {
    if (cause instanceof DecodeError) return cause;
    return zlibFailure(subject, this.#at, this.#outputBytesMax, cause);
  }
}
