import type { Gunzip, ZstdDecompress } from 'node:zlib';
import { KiB } from '@weir/core';
import { DecodeError } from '../decode-error.ts';
import { OutputLimitExceeded } from './output-limit.ts';

/**
 * The chunk size of node:zlib's output. Measured on 64 KiB of JSON: one chunk that fits it all is twice as fast as the
 * default of 16 KiB, and one of 1 MiB half as fast as the default.
 */
export function outputChunkBytes(inputBytes: number): number {
  return Math.min(Math.max(inputBytes * 6, 1 * KiB), 256 * KiB);
}

/** Like `outputChunkBytes`, for a thread of the pool: every chunk is a round trip, so chunks are not small. */
export function offThreadChunkBytes(inputBytes: number): number {
  return Math.max(outputChunkBytes(inputBytes), 64 * KiB);
}

/**
 * Decompresses in a thread of the pool, and stops at once beyond `outputBytesMax` or when `watch` throws. `failure`
 * converts errors of the library.
 */
export function decompressStream(
  stream: Gunzip | ZstdDecompress,
  input: Buffer,
  outputBytesMax: number,
  watch: ((piece: Buffer) => void) | undefined,
  failure: (cause: unknown) => DecodeError,
): Promise<{ readonly output: Buffer; readonly inputBytes: number }> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let outputBytes = 0;
    stream.on('error', (cause) => reject(failure(cause)));
    stream.on('data', (piece: Buffer) => {
      outputBytes += piece.length;
      try {
        if (outputBytes > outputBytesMax) throw failure({ code: tooLarge });
        watch?.(piece);
        pieces.push(piece);
      } catch (error) {
        stream.destroy();
        reject(error);
      }
    });
    stream.on('end', () => {
      const inputBytes = stream.bytesWritten;
      stream.close();
      const output = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, outputBytes);
      resolve({ output, inputBytes });
    });
    stream.end(input);
  });
}

const tooLarge = 'ERR_BUFFER_TOO_LARGE';

/**
 * Turns an error of node:zlib into a decode error. The stream behind a failure (about 10 KiB) is freed on a later turn
 * of the event loop; it looks like a leak only in a loop that never yields.
 */
export function zlibFailure(
  subject: string,
  offset: number,
  outputBytesMax: number,
  cause: unknown,
): DecodeError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === tooLarge) return new OutputLimitExceeded(subject, offset, outputBytesMax);
  return new DecodeError(subject, 'compressed data', offset, message);
}
