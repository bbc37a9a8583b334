import { constants, type ZstdOptions, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { caps } from '@weir/core';
import { DecodeError } from '../decode-error.ts';
import { OutputLimitExceeded } from './output-limit.ts';
import { outputChunkBytes, zlibFailure } from './zlib-output.ts';

const subject = 'zstd';

export function compressZstd(bytes: Buffer, level: number | undefined): Buffer {
  return zstdCompressSync(bytes, optionsOf(level));
}

/** In a thread of the pool. The bytes may not change before it is done. */
export function compressZstdAside(bytes: Buffer, level: number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Told how much there is, it compresses as well as the other does. Every piece of output is a trip between threads, so that there are few.
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
 * node:zlib stops behind the first frame and says nothing about the rest, so that what it consumed is checked here and
 * further frames are read in turn.
 *
 * Memory: output is limited piece by piece. A frame may also demand a window, which the library caps at 128 MiB (window
 * log 27); that is what the highest compression level writes, so it is not lowered here.
 */
export function decompressZstd(bytes: Buffer, outputBytesMax: number): Buffer {
  const outputs: Buffer[] = [];
  let outputBytes = 0;
  let at = 0;
  do {
    if (outputs.length === caps.zstdFramesMax)
      throw new DecodeError(subject, 'frame', at, `is one more than ${caps.zstdFramesMax}`);
    const { output, consumedBytes } = decompressFrame(bytes, at, outputBytes, outputBytesMax);
    outputs.push(output);
    outputBytes += output.length;
    at += consumedBytes;
    if (outputBytes > outputBytesMax) throw new OutputLimitExceeded(subject, at, outputBytesMax);
  } while (at < bytes.length);
  return outputs.length === 1 ? outputs[0]! : Buffer.concat(outputs, outputBytes);
}

function decompressFrame(
  bytes: Buffer,
  at: number,
  earlierOutputBytes: number,
  outputBytesMax: number,
): { output: Buffer; consumedBytes: number } {
  try {
    const { buffer, engine } = zstdDecompressSync(bytes.subarray(at), {
      maxOutputLength: Math.max(outputBytesMax - earlierOutputBytes, 1),
      chunkSize: outputChunkBytes(bytes.length - at),
      info: true,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    return { output: buffer, consumedBytes: engine.bytesWritten };
  } catch (cause) {
    throw zlibFailure(subject, at, outputBytesMax, cause);
  }
}
