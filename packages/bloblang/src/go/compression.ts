import { deflateRawSync, deflateSync, gunzipSync, gzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { compress, decompress } from '@weir/wire';
import { decompressBzip2 } from './bzip2.ts';

type Compressor = (bytes: Buffer, level: number) => Buffer;
type Decompressor = (bytes: Buffer, outputBytesMax: number) => Buffer;

/** -1 is the usual level; zlib takes it as well. */
const zlibLevel = (level: number) => ({ level: Math.max(-1, Math.min(9, level)) });

/** By the names that Bento has for algorithms. */
export const compressors: Readonly<Record<string, Compressor>> = {
  flate: (bytes, level) => deflateRawSync(bytes, zlibLevel(level)),
  gzip: (bytes, level) => gzipSync(bytes, zlibLevel(level)),
  pgzip: (bytes, level) => gzipSync(bytes, zlibLevel(level)),
  zlib: (bytes, level) => deflateSync(bytes, zlibLevel(level)),
  lz4: (bytes) => compress('lz4', bytes),
  snappy: (bytes) => compress('snappy', bytes, { snappyFraming: 'raw' }),
  zstd: (bytes) => compress('zstd', bytes),
};

const limited = (maxOutputLength: number) => ({ maxOutputLength: Math.max(1, maxOutputLength) });

/** The same names and bzip2; they throw instead of making more than a number of bytes. */
export const decompressors: Readonly<Record<string, Decompressor>> = {
  bzip2: decompressBzip2,
  flate: (bytes, max) => inflateRawSync(bytes, limited(max)),
  gzip: (bytes, max) => gunzipSync(bytes, limited(max)),
  pgzip: (bytes, max) => gunzipSync(bytes, limited(max)),
  zlib: (bytes, max) => inflateSync(bytes, limited(max)),
  lz4: (bytes, max) => decompress('lz4', bytes, max),
  snappy: (bytes, max) => decompress('snappy', bytes, max),
  zstd: (bytes, max) => decompress('zstd', bytes, max),
};
