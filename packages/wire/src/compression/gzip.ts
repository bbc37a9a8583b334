import { gunzipSync, gzipSync } from 'node:zlib';
import { outputChunkBytes, zlibFailure } from './zlib-output.ts';

export function compressGzip(bytes: Buffer, level: number | undefined): Buffer {
  return gzipSync(bytes, level === undefined ? {} : { level });
}

/** Members may follow each other; `maxOutputLength` counts them together and is checked after every piece. */
export function decompressGzip(bytes: Buffer, outputBytesMax: number): Buffer {
  try {
    return gunzipSync(bytes, {
      maxOutputLength: Math.max(outputBytesMax, 1),
      chunkSize: outputChunkBytes(bytes.length),
    });
  } catch (cause) {
    throw zlibFailure('gzip', 0, outputBytesMax, cause);
  }
}
