import { KiB } from '@weir/core';
import { DecodeError } from '../decode-error.ts';
import { OutputLimitExceeded } from './output-limit.ts';

/**
 * The size of the pieces in which node:zlib hands out its output. Measured on 64 KiB of JSON: one piece that fits it all
 * is twice as fast as the default of 16 KiB, and one of 1 MiB half as fast as the default.
 */
export function outputChunkBytes(inputBytes: number): number {
  return Math.min(Math.max(inputBytes * 6, 1 * KiB), 256 * KiB);
}

/**
 * Turns what node:zlib throws into a decode error. The stream behind a failure is freed on a later turn of the event loop,
 * about 10 KiB each; it looks like a leak only in a loop that never yields.
 */
export function zlibFailure(
  subject: string,
  offset: number,
  outputBytesMax: number,
  cause: unknown,
): DecodeError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ERR_BUFFER_TOO_LARGE') return new OutputLimitExceeded(subject, offset, outputBytesMax);
  return new DecodeError(subject, 'compressed data', offset, message);
}
