import { KiB } from '@weir/core';
import { compressFrameSync, uncompressSync } from 'lz4-napi';
import { DecodeError } from '../decode-error.ts';
import { type Lz4Block, type Lz4Frame, parseLz4Frames } from './lz4-frame.ts';
import { OutputLimitExceeded } from './output-limit.ts';
import { xxhash32 } from './xxhash32.ts';

/**
 * LZ4 frames, read by hand over the library's decompression of single blocks.
 *
 * The library's own frame decoder has no output limit, drops every frame behind the first, and takes a frame that is cut
 * off for a whole one. Its block decoder is given the room that we allow (as the length it expects in front of a block),
 * never writes beyond it, and is two to three times faster. Four minutes of mutated blocks, with and without a
 * dictionary, gave nothing but JavaScript errors.
 */
const subject = 'lz4';

/** How far back a linked block may reach. */
const linkBytesMax = 64 * KiB;

/** One more byte of a length adds at most 255 bytes of output, and nothing in the format is denser. */
const expansionMax = 255;

/** One frame of independent blocks without content size or checksums, which every reader understands. */
export function compressLz4(bytes: Buffer): Buffer {
  return compressFrameSync(bytes);
}

export function decompressLz4(bytes: Buffer, outputBytesMax: number): Buffer {
  const frames = parseLz4Frames(bytes);
  const output = Buffer.allocUnsafeSlow(Math.min(roomFor(frames), outputBytesMax));
  const decompressBlock = blockDecompressor(bytes, frames);
  let outputBytes = 0;
  for (const frame of frames) {
    const frameStart = outputBytes;
    if (frame.contentBytes !== undefined && frame.contentBytes > outputBytesMax - outputBytes) {
      throw new OutputLimitExceeded(subject, 0, outputBytesMax);
    }
    for (const block of frame.blocks) {
      const room = Math.min(roomForBlock(frame, block), outputBytesMax - outputBytes);
      const isCut = room < roomForBlock(frame, block);
      const linkStart = frame.isLinked ? Math.max(frameStart, outputBytes - linkBytesMax) : outputBytes;
      const content = decompressBlock(block, room, output.subarray(linkStart, outputBytes));
      if (content === undefined) {
        if (isCut) throw new OutputLimitExceeded(subject, block.at, outputBytesMax);
        throw new DecodeError(subject, 'block', block.at, 'does not decompress');
      }
      output.set(content, outputBytes);
      outputBytes += content.length;
    }
    checkContent(frame, output.subarray(frameStart, outputBytes));
  }
  return withoutSlack(output, outputBytes);
}

/** The most that a block can decompress to. */
function roomForBlock(frame: Lz4Frame, block: Lz4Block): number {
  return block.isCompressed ? Math.min(frame.blockBytesMax, block.bytes * expansionMax) : block.bytes;
}

/** Exact but for the last block of each frame, when the writer fills its blocks; never above 255 times the input. */
function roomFor(frames: readonly Lz4Frame[]): number {
  let bytes = 0;
  for (const frame of frames) for (const block of frame.blocks) bytes += roomForBlock(frame, block);
  return bytes;
}

/**
 * Returns a function that gives a block's content, or `undefined` when the block is broken or needs more than `roomBytes`
 * (the library does not tell which). The library wants the room as a little-endian length in front of the block, and the
 * input may be a shared cache page, so that the block is copied behind such a length in a scratch buffer.
 */
function blockDecompressor(
  bytes: Buffer,
  frames: readonly Lz4Frame[],
): (block: Lz4Block, roomBytes: number, link: Buffer) => Buffer | undefined {
  let largestBytes = 0;
  for (const frame of frames)
    for (const block of frame.blocks) largestBytes = Math.max(largestBytes, block.bytes);
  const scratch = Buffer.allocUnsafe(4 + largestBytes);
  return (block, roomBytes, link) => {
    const content = bytes.subarray(block.at, block.at + block.bytes);
    if (!block.isCompressed) return content.length <= roomBytes ? content : undefined;
    scratch.writeUInt32LE(roomBytes, 0);
    scratch.set(content, 4);
    try {
      return uncompressSync(scratch.subarray(0, 4 + block.bytes), link.length === 0 ? undefined : link);
    } catch {
      return undefined;
    }
  };
}

function checkContent(frame: Lz4Frame, content: Buffer): void {
  if (frame.contentBytes !== undefined && frame.contentBytes !== content.length) {
    throw new DecodeError(subject, 'content size', 0, `says ${frame.contentBytes} but is ${content.length}`);
  }
  if (frame.contentChecksum !== undefined && frame.contentChecksum !== xxhash32(content)) {
    throw new DecodeError(subject, 'content checksum', 0, 'does not match');
  }
}

/** Small batches leave most of a 64 KiB block unused; they must not hold on to it. */
function withoutSlack(output: Buffer, outputBytes: number): Buffer {
  const used = output.subarray(0, outputBytes);
  return outputBytes * 2 >= output.length ? used : Buffer.from(used);
}
