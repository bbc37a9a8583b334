import { KiB, MiB } from '@weir/core';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import { xxhash32 } from './xxhash32.ts';

/**
 * The structure of LZ4 frames: finds every block without decompressing any. Frames may be concatenated, with skippable
 * frames between them. Dictionaries and the legacy frame are rejected; no Kafka client writes them.
 */
export interface Lz4Frame {
  /** The maximum decompressed size of a block of this frame. */
  readonly blockBytesMax: number;
  /** A linked block may copy from the 64 KiB before it; an independent one is self-contained. */
  readonly isLinked: boolean;
  /** The size that the frame claims to have. It is not verified yet. */
  readonly contentBytes: number | undefined;
  readonly contentChecksum: number | undefined;
  readonly blocks: readonly Lz4Block[];
}

export interface Lz4Block {
  readonly at: number;
  readonly bytes: number;
  /** A writer stores a block uncompressed if compression would make it longer. */
  readonly isCompressed: boolean;
}

const subject = 'lz4';
const frameMagic = 0x184d2204;
const skippableMagic = 0x184d2a50;
const skippableMask = 0xfffffff0;

const flagBits = {
  version: 0b1100_0000,
  versionOne: 0b0100_0000,
  independentBlocks: 0b0010_0000,
  blockChecksum: 0b0001_0000,
  contentBytes: 0b0000_1000,
  contentChecksum: 0b0000_0100,
  reserved: 0b0000_0010,
  dictionary: 0b0000_0001,
} as const;

/** By the three bits of the descriptor; the first four values are not assigned. */
const blockBytesMaxByCode = [
  undefined,
  undefined,
  undefined,
  undefined,
  64 * KiB,
  256 * KiB,
  1 * MiB,
  4 * MiB,
];

/** The top bit of a block's length marks a stored block. */
const storedBit = 0x8000_0000;

export function parseLz4Frames(bytes: Buffer): Lz4Frame[] {
  const reader = new FrameReader(bytes);
  const frames: Lz4Frame[] = [];
  do {
    const magic = reader.uint32('magic');
    if (magic === frameMagic) frames.push(reader.frame());
    else if ((magic & skippableMask) >>> 0 === skippableMagic)
      reader.skip('skippable frame', reader.uint32('skippable frame'));
    else throw reader.failure('magic', `0x${magic.toString(16)} is not that of a frame`);
  } while (!reader.isAtEnd());
  return frames;
}

/**
 * Returns a frame with the header checksum of the specification where it has that of Kafka's clients before 2016, which
 * computed it over the magic too. Only messages of magic 0 may have it. Anything else is returned as it is.
 */
export function withStandardHeaderChecksum(bytes: Buffer): Buffer {
  if (bytes.length < descriptorAt + 3 || bytes.readUInt32LE(0) !== frameMagic) return bytes;
  const checksumAt = descriptorAt + 2 + (bytes[descriptorAt]! & flagBits.contentBytes ? 8 : 0);
  const checksumFrom = (start: number) => (xxhash32(bytes.subarray(start, checksumAt)) >>> 8) & 0xff;
  if (bytes[checksumAt] !== checksumFrom(0)) return bytes;
  const corrected = Buffer.from(bytes);
  corrected[checksumAt] = checksumFrom(descriptorAt);
  return corrected;
}

/** After the magic. */
const descriptorAt = 4;

class FrameReader {
  private readonly bytes: Buffer;
  private at = 0;
  private blockCount = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  failure(field: string, problem: string): DecodeError {
    return new DecodeError(subject, field, this.at, problem);
  }

  skip(field: string, bytes: number): void {
    const leftBytes = this.bytes.length - this.at;
    if (bytes > leftBytes) throw this.failure(field, `needs ${bytes} bytes and ${leftBytes} are left`);
    this.at += bytes;
  }

  uint8(field: string): number {
    this.skip(field, 1);
    return this.bytes[this.at - 1]!;
  }

  uint32(field: string): number {
    this.skip(field, 4);
    return this.bytes.readUInt32LE(this.at - 4);
  }

  /** Reads the frame after its magic. */
  frame(): Lz4Frame {
    const descriptorAt = this.at;
    const flags = this.uint8('flags');
    if ((flags & flagBits.version) !== flagBits.versionOne) throw this.failure('flags', 'version is not 1');
    if (flags & flagBits.reserved) throw this.failure('flags', 'the reserved bit is set');
    if (flags & flagBits.dictionary)
      throw this.failure('flags', 'a dictionary is needed, which Kafka does not use');
    const blockBytesMax = blockBytesMaxByCode[(this.uint8('block size') >>> 4) & 0b111];
    if (blockBytesMax === undefined) throw this.failure('block size', 'is not assigned');
    const contentBytes = flags & flagBits.contentBytes ? this.contentBytes() : undefined;

    const headerChecksum = (xxhash32(this.bytes.subarray(descriptorAt, this.at)) >>> 8) & 0xff;
    if (this.uint8('header checksum') !== headerChecksum)
      throw this.failure('header checksum', 'does not match');

    const blocks = this.blocks(blockBytesMax, (flags & flagBits.blockChecksum) !== 0);
    return {
      blockBytesMax,
      isLinked: (flags & flagBits.independentBlocks) === 0,
      contentBytes,
      contentChecksum: flags & flagBits.contentChecksum ? this.uint32('content checksum') : undefined,
      blocks,
    };
  }

  /** Above 2^53 the number is not exact, which is harmless: it exceeds every limit and is rejected all the same. */
  private contentBytes(): number {
    const low = this.uint32('content size');
    return this.uint32('content size') * 2 ** 32 + low;
  }

  /** Reads blocks up to and including the end mark, which is a length of zero. */
  private blocks(blockBytesMax: number, hasChecksums: boolean): Lz4Block[] {
    const blocks: Lz4Block[] = [];
    for (let field = this.uint32('block length'); field !== 0; field = this.uint32('block length')) {
      const isCompressed = field < storedBit;
      const bytes = isCompressed ? field : field - storedBit;
      if (bytes > blockBytesMax)
        throw this.failure('block length', `${bytes} exceeds the frame's ${blockBytesMax}`);
      if (++this.blockCount > wireLimits.compressedBlocksMax)
        throw this.failure('block', `is one more than ${wireLimits.compressedBlocksMax}`);
      const at = this.at;
      this.skip('block', bytes);
      if (hasChecksums && this.uint32('block checksum') !== xxhash32(this.bytes.subarray(at, at + bytes))) {
        throw this.failure('block checksum', 'does not match');
      }
      blocks.push({ at, bytes, isCompressed });
    }
    return blocks;
  }
}
