import { KiB } from '@weir/core';
import { compress, compressSync, uncompress, uncompressSync } from 'snappy';
import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import { type ByteCursor, readUnsignedVarint } from '../varint.ts';
import { type BlockSteps, type BlockWork, blockWork } from './off-thread.ts';
import { OutputLimitExceeded } from './output-limit.ts';

/**
 * Snappy has two framings. `raw` is one snappy block. `xerial` is the stream that the Java client writes: a 16-byte
 * header, then raw snappy blocks, each after its length as a big-endian int32. Readers must accept both, because
 * clients in other languages write either. The xerial magic is no valid raw block (it would begin with a copy from
 * before the start).
 */
export type SnappyFraming = 'xerial' | 'raw';

const subject = 'snappy';
const xerialMagic = Buffer.from('82534e4150505900', 'hex');
/** The magic, the version (1) and the oldest version that can read it (1). */
const xerialHeader = Buffer.concat([xerialMagic, Buffer.from('0000000100000001', 'hex')]);
const xerialBlockBytes = 32 * KiB;

/**
 * Without `copyOutputData` the binding wraps memory that the garbage collector does not count: on 1 MiB outputs the
 * process grew past 1 GiB instead of 130 MiB, and ran three times slower.
 */
const nativeOptions = { copyOutputData: true, asBuffer: true } as const;

export function compressSnappy(bytes: Buffer, framing: SnappyFraming): Buffer {
  if (framing === 'raw') return compressSync(bytes, nativeOptions);
  return xerial(blocksOf(bytes).map((block) => compressSync(block, nativeOptions)));
}

/** In threads of the pool. The bytes must not change before it is done. */
export async function compressSnappyOffThread(bytes: Buffer, framing: SnappyFraming): Promise<Buffer> {
  if (framing === 'raw') return compress(bytes, nativeOptions);
  const blocks: Buffer[] = [];
  for (const block of blocksOf(bytes)) blocks.push(await compress(block, nativeOptions));
  return xerial(blocks);
}

function blocksOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / xerialBlockBytes) }, (_, index) =>
    bytes.subarray(index * xerialBlockBytes, (index + 1) * xerialBlockBytes),
  );
}

function xerial(blocks: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [xerialHeader];
  for (const block of blocks) {
    const blockBytes = Buffer.allocUnsafe(4);
    blockBytes.writeInt32BE(block.length);
    parts.push(blockBytes, block);
  }
  return Buffer.concat(parts);
}

/** The framing of compressed bytes. */
export function snappyFramingOf(compressed: Buffer): SnappyFraming {
  return isXerialHeaderAt(compressed, 0) ? 'xerial' : 'raw';
}

/** The blocks of a batch, in order. */
export function* snappySteps(bytes: Buffer, outputBytesMax: number): BlockSteps {
  if (!isXerialHeaderAt(bytes, 0)) {
    return yield workOf(bytes, blockAt(bytes, 0, bytes.length, outputBytesMax, outputBytesMax));
  }
  const blocks = findXerialBlocks(bytes, outputBytesMax);
  const output = Buffer.allocUnsafeSlow(blocks.reduce((sum, block) => sum + block.outputBytes, 0));
  let outputAt = 0;
  for (const block of blocks) {
    output.set(yield workOf(bytes, block), outputAt);
    outputAt += block.outputBytes;
  }
  return output;
}

/** A raw block, and its claimed decompressed size. The library fails if the claim is wrong. */
interface SnappyBlock {
  readonly at: number;
  readonly end: number;
  readonly outputBytes: number;
}

/**
 * Finds every block before any is decompressed. Streams may be concatenated, so a header may occur in place of a block.
 */
function findXerialBlocks(bytes: Buffer, outputBytesMax: number): SnappyBlock[] {
  const blocks: SnappyBlock[] = [];
  let outputBytes = 0;
  let at = 0;
  while (at < bytes.length) {
    if (isXerialHeaderAt(bytes, at)) {
      at += xerialHeader.length;
      continue;
    }
    if (blocks.length === wireLimits.compressedBlocksMax) {
      throw new DecodeError(subject, 'block', at, `is one more than ${wireLimits.compressedBlocksMax}`);
    }
    if (bytes.length - at < 4) throw new DecodeError(subject, 'block length', at, 'is cut off');
    const blockBytes = bytes.readInt32BE(at);
    const leftBytes = bytes.length - at - 4;
    if (blockBytes < 0 || blockBytes > leftBytes) {
      throw new DecodeError(
        subject,
        'block length',
        at,
        `${blockBytes} is not within the ${leftBytes} bytes left`,
      );
    }
    const block = blockAt(bytes, at + 4, at + 4 + blockBytes, outputBytesMax - outputBytes, outputBytesMax);
    blocks.push(block);
    outputBytes += block.outputBytes;
    at = block.end;
  }
  return blocks;
}

function isXerialHeaderAt(bytes: Buffer, at: number): boolean {
  return (
    bytes.length - at >= xerialHeader.length &&
    bytes.compare(xerialMagic, 0, xerialMagic.length, at, at + xerialMagic.length) === 0
  );
}

/**
 * Reads the claimed size of a block. A block begins with its uncompressed length, and the library allocates that much
 * before it reads on. The densest element makes 64 bytes of 3, so a larger claim is false and is rejected before
 * anything is allocated.
 */
function blockAt(
  bytes: Buffer,
  at: number,
  end: number,
  remainingBytes: number,
  outputBytesMax: number,
): SnappyBlock {
  const cursor: ByteCursor = { subject, bytes, at, end };
  const outputBytes = readUnsignedVarint(cursor, 'uncompressed length');
  if (outputBytes > remainingBytes) throw new OutputLimitExceeded(subject, at, outputBytesMax);
  const inputBytes = end - cursor.at;
  if (outputBytes * 3 > inputBytes * 64) {
    throw new DecodeError(
      subject,
      'uncompressed length',
      at,
      `${outputBytes} cannot come from ${inputBytes} bytes`,
    );
  }
  return { at, end, outputBytes };
}

function workOf(bytes: Buffer, block: SnappyBlock): BlockWork {
  const input = bytes.subarray(block.at, block.end);
  return blockWork(
    block.outputBytes,
    () => uncompressSync(input, nativeOptions) as Buffer,
    () => uncompress(input, nativeOptions) as Promise<Buffer>,
    (cause) => new DecodeError(subject, 'block', block.at, (cause as Error).message),
  );
}
