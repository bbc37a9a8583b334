import { createGunzip, gunzipSync, gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import type { OffThreadOptions } from './off-thread.ts';
import { decompressStream, offThreadChunkBytes, outputChunkBytes, zlibFailure } from './zlib-output.ts';

export function compressGzip(bytes: Buffer, level: number | undefined): Buffer {
  return gzipSync(bytes, level === undefined ? {} : { level });
}

/** In a thread of the pool. The bytes must not change before it is done. */
export function compressGzipOffThread(bytes: Buffer, level: number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = {
      chunkSize: offThreadChunkBytes(bytes.length),
      ...(level === undefined ? {} : { level }),
    };
    gzip(bytes, options, (error, compressed) => {
      if (error === null) resolve(compressed);
      else reject(error);
    });
  });
}

/** Concatenated members are allowed; `maxOutputLength` counts them together and is checked after every piece. */
export function decompressGzip(bytes: Buffer, outputBytesMax: number): Buffer {
  try {
    return gunzipSync(bytes, optionsOf(bytes, outputBytesMax));
  } catch (cause) {
    throw zlibFailure('gzip', 0, outputBytesMax, cause);
  }
}

/** In a thread of the pool. The bytes must not change before it is done. */
export async function decompressGzipOffThread(
  bytes: Buffer,
  outputBytesMax: number,
  { watch }: OffThreadOptions,
): Promise<Buffer> {
  const stream = createGunzip({ chunkSize: offThreadChunkBytes(bytes.length) });
  const failure = (cause: unknown) => zlibFailure('gzip', 0, outputBytesMax, cause);
  const { output } = await decompressStream(stream, bytes, outputBytesMax, watch, failure);
  return output;
}

function optionsOf(bytes: Buffer, outputBytesMax: number): ZlibOptions {
  return { maxOutputLength: Math.max(outputBytesMax, 1), chunkSize: outputChunkBytes(bytes.length) };
}
