export { type CompressionCodec, codecIds, codecOfId } from './codec.ts';
export {
  type CompressOptions,
  compress,
  compressOffThread,
  decompress,
  decompressOffThread,
} from './compression.ts';
export { withStandardHeaderChecksum } from './lz4-frame.ts';
export type { OffThreadOptions } from './off-thread.ts';
export { OutputLimitExceeded } from './output-limit.ts';
export { type SnappyFraming, snappyFramingOf } from './snappy.ts';
export { uncompressedBytesMax } from './uncompressed-size.ts';
