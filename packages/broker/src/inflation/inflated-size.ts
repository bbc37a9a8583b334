import { type CompressionCodec, headerBytes, type RecordBatchView } from '@weir/wire';

/** How many bytes one byte of a codec can become at most, by its most compact form of repetition. */
const inflationMax = { none: 1, snappy: 22, lz4: 255, gzip: 1032 } as const satisfies Partial<
  Record<CompressionCodec, number>
>;

const zstdMagic = 0xfd2fb528;
const zstdBlockBytesMax = 128 * 1024;

/**
 * Returns the maximum size of the records of a batch without compression, computed without decompressing them. No
 * record can be larger, so most batches pass a limit on record size without decompression.
 */
export function inflatedBytesMax(batch: RecordBatchView): number {
  const { codec, recordsBytes } = batch;
  if (codec === undefined) return Number.POSITIVE_INFINITY;
  return codec === 'zstd' ? zstdBytesMax(recordsBytes) : recordsBytes.length * inflationMax[codec];
}

/** Compressed batches are about a quarter of their records; used only as an estimate. */
const usualInflation = 4;

/** Estimates the size of a batch without compression. */
export function inflatedBytesEstimate(batch: RecordBatchView): number {
  const { codec, recordsBytes } = batch;
  return headerBytes + recordsBytes.length * (codec === 'none' ? 1 : usualInflation);
}

/** Every zstd block contains its size, and none becomes more than 128 KiB. Infinity for data that is not zstd. */
function zstdBytesMax(bytes: Buffer): number {
  let total = 0;
  for (let at = 0; at < bytes.length; ) {
    const blocksAt = zstdBlocksAt(bytes, at);
    if (blocksAt === undefined) return Number.POSITIVE_INFINITY;
    const hasChecksum = (bytes[at + 4]! & 0x04) !== 0;
    at = blocksAt;
    for (let isLast = false; !isLast; ) {
      if (at + 3 > bytes.length) return Number.POSITIVE_INFINITY;
      const blockHeader = bytes.readUIntLE(at, 3);
      const kind = (blockHeader >> 1) & 0x03;
      const size = blockHeader >> 3;
      if (kind === 3 || size > zstdBlockBytesMax) return Number.POSITIVE_INFINITY;
      isLast = (blockHeader & 0x01) !== 0;
      total += kind === 2 ? zstdBlockBytesMax : size;
      at += 3 + (kind === 1 ? 1 : size);
    }
    if (hasChecksum) at += 4;
  }
  return total;
}

/** Returns where the blocks of the frame at `at` begin. */
function zstdBlocksAt(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at < 6 || bytes.readUInt32LE(at) !== zstdMagic) return undefined;
  const descriptor = bytes[at + 4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const windowBytes = isSingleSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0x03]!;
  const contentSizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  return at + 5 + windowBytes + dictionaryBytes + contentSizeBytes;
}
