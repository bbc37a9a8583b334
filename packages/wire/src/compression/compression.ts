import { caps } from '@weir/core';
import type { CompressionCodec } from './codec.ts';
import { compressGzip, decompressGzip, decompressGzipAside } from './gzip.ts';
import { compressLz4, decompressLz4 } from './lz4.ts';
import { OutputLimitExceeded } from './output-limit.ts';
import { compressSnappy, decompressSnappy, type SnappyFraming } from './snappy.ts';
import { compressZstd, compressZstdAside, decompressZstd, decompressZstdAside } from './zstd.ts';

export interface CompressOptions {
  /** For gzip (1 to 9) and zstd (negative to 22); the codec's default when not given. The others have no levels. */
  readonly level?: number;
  /** `xerial`, which the Java client writes, when not given. */
  readonly snappyFraming?: SnappyFraming;
}

interface Compression {
  compress(bytes: Buffer, options: CompressOptions): Buffer;
  decompress(bytes: Buffer, outputBytesMax: number): Buffer;
}

const compressions: Readonly<Record<CompressionCodec, Compression>> = {
  none: { compress: (bytes) => bytes, decompress: passThrough },
  gzip: { compress: (bytes, { level }) => compressGzip(bytes, level), decompress: decompressGzip },
  snappy: {
    compress: (bytes, { snappyFraming = 'xerial' }) => compressSnappy(bytes, snappyFraming),
    decompress: decompressSnappy,
  },
  lz4: { compress: compressLz4, decompress: decompressLz4 },
  zstd: { compress: (bytes, { level }) => compressZstd(bytes, level), decompress: decompressZstd },
};

function passThrough(bytes: Buffer, outputBytesMax: number): Buffer {
  if (bytes.length > outputBytesMax) throw new OutputLimitExceeded('uncompressed data', 0, outputBytesMax);
  return bytes;
}

/** With codec `none` the result is the input itself, not a copy. */
export function compress(codec: CompressionCodec, bytes: Buffer, options: CompressOptions = {}): Buffer {
  return compressions[codec].compress(bytes, options);
}

/** The same in a thread of the pool, where the codec can do that: zstd can, and the others are done when this returns. */
export async function compressAside(
  codec: CompressionCodec,
  bytes: Buffer,
  options: CompressOptions = {},
): Promise<Buffer> {
  return codec === 'zstd' ? compressZstdAside(bytes, options.level) : compress(codec, bytes, options);
}

/**
 * Throws `OutputLimitExceeded` when the output is, or claims to be, larger than `outputBytesMax`, and a plain `DecodeError`
 * when the bytes are broken. With codec `none` the result is the input itself, not a copy.
 */
export function decompress(
  codec: CompressionCodec,
  bytes: Buffer,
  outputBytesMax: number = caps.decompressedBatchBytesMax,
): Buffer {
  return compressions[codec].decompress(bytes, outputBytesMax);
}

/**
 * The same in a thread of the pool, where the codec can do that: gzip and zstd can. The others take some ten milliseconds for what this system takes
 * in one request, and are done when this returns.
 */
export async function decompressAside(
  codec: CompressionCodec,
  bytes: Buffer,
  outputBytesMax: number = caps.decompressedBatchBytesMax,
): Promise<Buffer> {
  if (codec === 'gzip') return decompressGzipAside(bytes, outputBytesMax);
  if (codec === 'zstd') return decompressZstdAside(bytes, outputBytesMax);
  return decompress(codec, bytes, outputBytesMax);
}
