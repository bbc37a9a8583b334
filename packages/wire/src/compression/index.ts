export type { AsideOptions } from './aside.ts';
export { type CompressionCodec, codecIds, codecOfId } from './codec.ts';
export { type CompressOptions, compress, compressAside, decompress, decompressAside } from './compression.ts';
export { OutputLimitExceeded } from './output-limit.ts';
export { type SnappyFraming, snappyFramingOf } from './snappy.ts';
