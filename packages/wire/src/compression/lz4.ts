import { KiB } from '@weir/core';
import { compressFrame, compressFrameSync, uncompress, uncompressSync } from 'lz4-napi';
import { DecodeError } from '../decode-error.ts';
import { type Lz4Block, type Lz4Frame, parseLz4Frames } from './lz4-frame.ts';
import { type BlockSteps, type BlockWork, blockWork } from './off-thread.ts';
import { OutputLimitExceeded } from './output-limit.ts';
import { Xxhash32 } from './xxhash32.ts';

/**
 * LZ4 frames, parsed here; the library decompresses single blocks.
 *
 * The library's own frame decoder has no output limit, drops every frame after the first, and accepts a truncated
 * frame. Its block decoder gets the allowed output size (as the length it expects before a block), never writes beyond
 * it, and is two to three times faster. Four minutes of mutated blocks, with and without a dictionary, caused nothing
 * but JavaScript errors.
 */
const subject = 'lz4';

/** How far back a linked block may reach. */
const linkBytesMax = 64 * KiB;

/** One more byte of a length adds at most 255 bytes of output, and nothing in the format is denser. */
const expansionMax = 255;

/** Writes one frame of independent blocks without content size or checksums, which every reader understands. */
export function compressLz4(bytes: Buffer): Buffer {
  return compressFrameSync(bytes);
}

/** In a thread of the pool. The bytes must not change before it is done. */
export function compressLz4OffThread(bytes: Buffer): Promise<Buffer> {
  return compressFrame(bytes);
}

/** The blocks of a batch, in order. */
export function* lz4Steps(bytes: Buffer, outputBytesMax: number): BlockSteps {
  const frames = parseLz4Frames(bytes);
  // Most batches are one block, whose output is the whole one: nothing has to be gathered.
  const isOneBlock =
    frames.length === 1 && frames[0]!.blocks.length === 1 && frames[0]!.blocks[0]!.isCompressed;
  const output = Buffer.allocUnsafeSlow(isOneBlock ? 0 : Math.min(roomFor(frames), outputBytesMax));
  const blocks = new Blocks(bytes, frames);
  let outputBytes = 0;
  for (const frame of frames) {
    const frameStart = outputBytes;
    const hash = frame.contentChecksum === undefined ? undefined : new Xxhash32();
    if (frame.contentBytes !== undefined && frame.contentBytes > outputBytesMax - outputBytes) {
      throw new OutputLimitExceeded(subject, 0, outputBytesMax);
    }
    for (const block of frame.blocks) {
      const room = Math.min(roomForBlock(frame, block), outputBytesMax - outputBytes);
      const isCut = room < roomForBlock(frame, block);
      const failure = () =>
        isCut
          ? new OutputLimitExceeded(subject, block.at, outputBytesMax)
          : new DecodeError(subject, 'block', block.at, 'does not decompress');
      const linkStart = frame.isLinked ? Math.max(frameStart, outputBytes - linkBytesMax) : outputBytes;
      const link = output.subarray(linkStart, outputBytes);
      const content = yield blocks.work(block, room, link, failure);
      if (isOneBlock) {
        hash?.update(content);
        checkContent(frame, content.length, hash);
        return content;
      }
      output.set(content, outputBytes);
      outputBytes += content.length;
      hash?.update(content);
    }
    checkContent(frame, outputBytes - frameStart, hash);
  }
  return withoutSlack(output, outputBytes);
}

/** The maximum decompressed size of a block. */
function roomForBlock(frame: Lz4Frame, block: Lz4Block): number {
  return block.isCompressed ? Math.min(frame.blockBytesMax, block.bytes * expansionMax) : block.bytes;
}

/** Exact except for the last block of each frame, if the writer fills its blocks; at most 255 times the input. */
function roomFor(frames: readonly Lz4Frame[]): number {
  let bytes = 0;
  for (const frame of frames) for (const block of frame.blocks) bytes += roomForBlock(frame, block);
  return bytes;
}

/**
 * Decompresses single blocks. The library wants the output size as a little-endian length before a block, and the input
 * may be a shared cache page, so the block is copied after such a length into a scratch buffer. The library does not
 * distinguish an invalid block from one that needs more output.
 */
class Blocks {
  readonly #bytes: Buffer;
  readonly #scratch: Buffer;

  constructor(bytes: Buffer, frames: readonly Lz4Frame[]) {
    let largestBytes = 0;
    for (const frame of frames)
      for (const block of frame.blocks) largestBytes = Math.max(largestBytes, block.bytes);
    this.#bytes = bytes;
    this.#scratch = Buffer.allocUnsafe(4 + largestBytes);
  }

  /** One block at a time, because all use the same scratch buffer. `failure` returns the error to throw if it fails. */
  work(block: Lz4Block, roomBytes: number, link: Buffer, failure: () => DecodeError): BlockWork {
    const content = this.#bytes.subarray(block.at, block.at + block.bytes);
    if (!block.isCompressed) {
      const stored = () => {
        if (content.length > roomBytes) throw failure();
        return content;
      };
      return { outputBytesMax: 0, atOnce: stored, offThread: async () => stored() };
    }
    const dictionary = link.length === 0 ? undefined : link;
    const input = () => {
      this.#scratch.writeUInt32LE(roomBytes, 0);
      this.#scratch.set(content, 4);
      return this.#scratch.subarray(0, 4 + block.bytes);
    };
    return blockWork(
      roomBytes,
      () => uncompressSync(input(), dictionary),
      () => uncompress(input(), dictionary),
      failure,
    );
  }
}

function checkContent(frame: Lz4Frame, contentBytes: number, hash: Xxhash32 | undefined): void {
  if (frame.contentBytes !== undefined && frame.contentBytes !== contentBytes) {
    throw new DecodeError(subject, 'content size', 0, `says ${frame.contentBytes} but is ${contentBytes}`);
  }
  if (hash !== undefined && frame.contentChecksum !== hash.digest()) {
    throw new DecodeError(subject, 'content checksum', 0, 'does not match');
  }
}

/** Small batches leave most of a 64 KiB block unused; they must not hold it in memory. */
function withoutSlack(output: Buffer, outputBytes: number): Buffer {
  const used = output.subarray(0, outputBytes);
  return outputBytes * 2 >= output.length ? used : Buffer.from(used);
}
