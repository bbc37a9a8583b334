import { wireLimits } from '../limits.ts';
import type { CompressionCodec } from './codec.ts';
import { compressGzip, compressGzipOffThread, decompressGzip, decompressGzipOffThread } from './gzip.ts';
import { compressLz4, compressLz4OffThread, lz4Steps } from './lz4.ts';
import { decompressionBy, type OffThreadOptions } from './off-thread.ts';
import { OutputLimitExceeded } from './output-limit.ts';
import { compressSnappy, compressSnappyOffThread, type SnappyFraming, snappySteps } from './snappy.ts';
import { compressZstd, compressZstdOffThread, decompressZstd, decompressZstdOffThread } from './zstd.ts';

export interface CompressOptions {
  /** For gzip (1 to 9) and zstd (negative to 22); the codec's default if absent. The others have no levels. */
  readonly level?: number;
  /** `xerial`, which the Java client writes, if absent. */
  readonly snappyFraming?: SnappyFraming;
}

interface Compression {
  compress(bytes: Buffer, options: CompressOptions): Buffer;
  compressOffThread(bytes: Buffer, options: CompressOptions): Promise<Buffer>;
  decompress(bytes: Buffer, outputBytesMax: number): Buffer;
  decompressOffThread(bytes: Buffer, outputBytesMax: number, options: OffThreadOptions): Promise<Buffer>;
}

const compressions: Readonly<Record<CompressionCodec, Compression>> = {
  none: {
    compress: (bytes) => bytes,
    compressOffThread: async (bytes) => bytes,
    decompress: passThrough,
    decompressOffThread: async (bytes, outputBytesMax) => passThrough(bytes, outputBytesMax),
  },
  gzip: {
    compress: (bytes, { level }) => compressGzip(bytes, level),
    compressOffThread: (bytes, { level }) => compressGzipOffThread(bytes, level),
    decompress: decompressGzip,
    decompressOffThread: decompressGzipOffThread,
  },
  snappy: {
    compress: (bytes, { snappyFraming = 'xerial' }) => compressSnappy(bytes, snappyFraming),
    compressOffThread: (bytes, { snappyFraming = 'xerial' }) => compressSnappyOffThread(bytes, snappyFraming),
    ...decompressionBy(snappySteps),
  },
  lz4: {
    compress: compressLz4,
    compressOffThread: compressLz4OffThread,
    ...decompressionBy(lz4Steps),
  },
  zstd: {
    compress: (bytes, { level }) => compressZstd(bytes, level),
    compressOffThread: (bytes, { level }) => compressZstdOffThread(bytes, level),
    decompress: decompressZstd,
    decompressOffThread: decompressZstdOffThread,
  },
};

function passThrough(bytes: Buffer, outputBytesMax: number): Buffer {
  if (bytes.length > outputBytesMax) throw new OutputLimitExceeded('uncompressed data', 0, outputBytesMax);
  return bytes;
}

/** With codec `none` the result is the input itself, not a copy. */
export function compress(codec: CompressionCodec, bytes: Buffer, options: CompressOptions = {}): Buffer {
  return compressions[codec].compress(bytes, options);
}

/** Like `compress`, in threads of the pool. The bytes must not change before it is done. */
export function compressOffThread(
  codec: CompressionCodec,
  bytes: Buffer,
  options: CompressOptions = {},
): Promise<Buffer> {
  return compressions[codec].compressOffThread(bytes, options);
}

/**
 * Throws `OutputLimitExceeded` if the output is, or claims to be, larger than `outputBytesMax`, and a plain
 * `DecodeError` if the bytes are invalid. With codec `none` the result is the input itself, not a copy.
 */
export function decompress(
  codec: CompressionCodec,
  bytes: Buffer,
  outputBytesMax: number = wireLimits.decompressedBatchBytesMax,
): Buffer {
  return compressions[codec].decompress(bytes, outputBytesMax);
}

/**
 * Like `decompress`, in threads of the pool; blocks for which that would take longer than the work are decompressed
 * here, with pauses. The bytes must not change before it is done. Rejects with what `watch` throws as soon as it does.
 */
export function decompressOffThread(
  codec: CompressionCodec,
  bytes: Buffer,
  outputBytesMax: number,
  options: OffThreadOptions,
): Promise<Buffer> {
  return compressions[codec].decompressOffThread(bytes, outputBytesMax, options);
}
