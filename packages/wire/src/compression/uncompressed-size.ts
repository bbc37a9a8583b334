import { KiB, MiB } from '@weir/core';
import { wireLimits } from '../limits.ts';
import type { CompressionCodec } from './codec.ts';

/**
 * The most bytes that compressed records can become, by what their frames claim. Only lengths are read, so the cost
 * grows with the number of blocks and not with their bytes. Exact for gzip, snappy and frames that state their size;
 * a block of lz4 or zstd without one counts as the largest that its frame allows. Bytes that are no frame of the codec
 * count as they are: no client can inflate them.
 */
export function uncompressedBytesMax(codec: CompressionCodec, pieces: readonly Buffer[]): number {
  const reader = new PieceReader(pieces);
  const { leftBytes } = reader;
  if (codec === 'none') return leftBytes;
  try {
    const bytes = claimOf[codec](reader);
    return Math.min(bytes, wireLimits.decompressedBatchBytesMax);
  } catch (error) {
    if (error instanceof TooManyBlocks) return wireLimits.decompressedBatchBytesMax;
    if (error instanceof NoFrame) return leftBytes;
    throw error;
  }
}

class NoFrame extends Error {}
class TooManyBlocks extends Error {}

const claimOf = { gzip, snappy, lz4, zstd } as const;

/** No deflate stream is smaller than its output by more. */
const deflateRatioMax = 1032;
const gzipSizeBytes = 4;

/** The last member ends with its size. Clients write one member. */
function gzip(reader: PieceReader): number {
  const bytes = reader.leftBytes;
  reader.skip(bytes - gzipSizeBytes);
  return Math.min(reader.uint32(), bytes * deflateRatioMax);
}

const xerialMagicStart = 0x82534e41;
const xerialHeaderRestBytes = 12;
/** Of a raw block with the largest size, which takes five bytes. */
const rawBlockBytesMin = 5;

/** Blocks begin with their size: one of them, or several behind the header that the Java client writes. */
function snappy(reader: PieceReader): number {
  if (reader.leftBytes < rawBlockBytesMin) return reader.varint();
  const start = reader.mark();
  if (reader.uint32BigEndian() !== xerialMagicStart) {
    reader.returnTo(start);
    return reader.varint();
  }
  reader.skip(xerialHeaderRestBytes);
  let bytes = 0;
  while (reader.leftBytes > 0) {
    const blockBytes = reader.uint32BigEndian();
    if (blockBytes === xerialMagicStart) {
      reader.skip(xerialHeaderRestBytes);
      continue;
    }
    const before = reader.leftBytes;
    reader.countBlock();
    bytes += reader.varint();
    reader.skip(blockBytes - (before - reader.leftBytes));
  }
  return bytes;
}

const lz4Magic = 0x184d2204;
const lz4ContentSizeBit = 0b1000;
const lz4BlockChecksumBit = 0b1_0000;
const lz4ContentChecksumBit = 0b100;
const lz4StoredBit = 0x8000_0000;
/** No lz4 block is smaller than its output by more. */
const lz4RatioMax = 255;
const lz4BlockBytesMax = [0, 0, 0, 0, 64 * KiB, 256 * KiB, MiB, 4 * MiB] as const;

function lz4(reader: PieceReader): number {
  return sumOfFrames(reader, lz4Magic, () => {
    const flags = reader.byte();
    const blockBytesMax = lz4BlockBytesMax[(reader.byte() >>> 4) & 0b111]!;
    const content = (flags & lz4ContentSizeBit) === 0 ? undefined : reader.uint64();
    reader.skip(1);
    const checksumBytes = (flags & lz4BlockChecksumBit) === 0 ? 0 : 4;
    let bytes = 0;
    for (let field = reader.uint32(); field !== 0; field = reader.uint32()) {
      const isStored = field >= lz4StoredBit;
      const blockBytes = isStored ? field - lz4StoredBit : field;
      bytes += isStored ? blockBytes : Math.min(blockBytesMax, blockBytes * lz4RatioMax);
      reader.countBlock();
      reader.skip(blockBytes + checksumBytes);
    }
    if ((flags & lz4ContentChecksumBit) !== 0) reader.skip(4);
    return content ?? bytes;
  });
}

const zstdMagic = 0xfd2fb528;
const zstdSingleSegmentBit = 0b10_0000;
const zstdChecksumBit = 0b100;
const zstdDictionaryIdBytes = [0, 1, 2, 4] as const;
const zstdBlockBytesMax = 128 * KiB;

function zstd(reader: PieceReader): number {
  return sumOfFrames(reader, zstdMagic, () => {
    const descriptor = reader.byte();
    const isSingleSegment = (descriptor & zstdSingleSegmentBit) !== 0;
    const windowBytes = isSingleSegment ? Number.POSITIVE_INFINITY : zstdWindowBytes(reader.byte());
    reader.skip(zstdDictionaryIdBytes[descriptor & 0b11]!);
    const content = zstdContentBytes(reader, descriptor >>> 6, isSingleSegment);
    const blockBytesMax = Math.min(zstdBlockBytesMax, content ?? windowBytes);
    let bytes = 0;
    for (let isLast = false; !isLast; ) {
      const header = reader.uint24();
      const blockBytes = header >>> 3;
      const type = zstdBlockTypes[(header >>> 1) & 0b11]!;
      isLast = (header & 1) === 1;
      bytes += type === 'compressed' ? blockBytesMax : blockBytes;
      reader.countBlock();
      reader.skip(type === 'repeated' ? 1 : blockBytes);
    }
    if ((descriptor & zstdChecksumBit) !== 0) reader.skip(4);
    return content ?? bytes;
  });
}

const zstdBlockTypes = ['stored', 'repeated', 'compressed', 'compressed'] as const;

function zstdWindowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 0b111);
}

function zstdContentBytes(reader: PieceReader, sizeCode: number, isSingleSegment: boolean) {
  switch (sizeCode) {
    case 0:
      return isSingleSegment ? reader.byte() : undefined;
    case 1:
      return reader.byte() + reader.byte() * 256 + 256;
    case 2:
      return reader.uint32();
    default:
      return reader.uint64();
  }
}

const skippableMagic = 0x184d2a50;
const skippableMask = 0xfffffff0;

/** The frames of lz4 and zstd, with skippable ones between them. */
function sumOfFrames(reader: PieceReader, frameMagic: number, frame: () => number): number {
  let bytes = 0;
  do {
    reader.countBlock();
    const magic = reader.uint32();
    if (magic === frameMagic) bytes += frame();
    else if ((magic & skippableMask) >>> 0 === skippableMagic) reader.skip(reader.uint32());
    else throw new NoFrame();
  } while (reader.leftBytes > 0);
  return bytes;
}

/** Even the 1 KiB blocks of the oldest clients are larger than this on average, or few. */
const blockBytesMin = 32;
const smallBlocksMax = 64;

interface Mark {
  readonly piece: number;
  readonly at: number;
  readonly leftBytes: number;
}

/** Reads numbers from bytes that come in pieces. */
class PieceReader {
  readonly #pieces: readonly Buffer[];
  #piece = 0;
  #at = 0;
  #blocksLeft: number;
  leftBytes = 0;

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces;
    for (const { length } of pieces) this.leftBytes += length;
    this.#blocksLeft = smallBlocksMax + this.leftBytes / blockBytesMin;
  }

  /** Limits the time that empty blocks take. */
  countBlock(): void {
    if (--this.#blocksLeft < 0) throw new TooManyBlocks();
  }

  byte(): number {
    if (this.leftBytes === 0) throw new NoFrame();
    while (this.#at === this.#pieces[this.#piece]!.length) this.#nextPiece();
    this.leftBytes--;
    return this.#pieces[this.#piece]![this.#at++]!;
  }

  uint24(): number {
    return this.byte() + this.byte() * 2 ** 8 + this.byte() * 2 ** 16;
  }

  uint32(): number {
    return this.uint24() + this.byte() * 2 ** 24;
  }

  /** Above 2^53 not exact, and beyond every limit. */
  uint64(): number {
    return this.uint32() + this.uint32() * 2 ** 32;
  }

  varint(): number {
    let value = 0;
    for (let weight = 1; weight <= 2 ** 28; weight *= 2 ** 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
    }
    throw new NoFrame();
  }

  uint32BigEndian(): number {
    return this.byte() * 2 ** 24 + this.byte() * 2 ** 16 + this.byte() * 2 ** 8 + this.byte();
  }

  mark(): Mark {
    return { piece: this.#piece, at: this.#at, leftBytes: this.leftBytes };
  }

  returnTo({ piece, at, leftBytes }: Mark): void {
    this.#piece = piece;
    this.#at = at;
    this.leftBytes = leftBytes;
  }

  skip(bytes: number): void {
    if (bytes < 0 || bytes > this.leftBytes) throw new NoFrame();
    this.leftBytes -= bytes;
    let left = bytes;
    while (left > 0) {
      const room = this.#pieces[this.#piece]!.length - this.#at;
      if (left <= room) {
        this.#at += left;
        return;
      }
      left -= room;
      this.#nextPiece();
    }
  }

  #nextPiece(): void {
    this.#piece++;
    this.#at = 0;
  }
}
