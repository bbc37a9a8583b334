import { gunzip, gunzipSync, gzipSync, type ZlibOptions } from 'node:zlib';
import { outputChunkBytes, zlibFailure } from './zlib-output.ts';

export function compressGzip(bytes: Buffer, level: number | undefined): Buffer {
  return gzipSync(bytes, level === undefined ? {} : { level });
}

/** Members may follow each other; `maxOutputLength` counts them together and is checked after every piece. */
export function decompressGzip(bytes: Buffer, outputBytesMax: number): Buffer {
  try {
    return gunzipSync(bytes, optionsOf(bytes, outputBytesMax));
  } catch (cause) {
    throw zlibFailure('gzip', 0, outputBytesMax, cause);
  }
}

/** In a thread of the pool. The bytes may not change before it is done. */
export function decompressGzipAside(bytes: Buffer, outputBytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(bytes, optionsOf(bytes, outputBytesMax), (cause, output) => {
      if (cause === null) resolve(output);
      else reject(zlibFailure('gzip', 0, outputBytesMax, cause));
    });
  });
}

function optionsOf(bytes: Buffer, outputBytesMax: number): ZlibOptions {
  return { maxOutputLength: Math.max(outputBytesMax, 1), chunkSize: outputChunkBytes(bytes.length) };
}
