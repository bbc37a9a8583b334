import { KiB } from '@weir/core';

/** How to decompress without blocking other work. */
export interface OffThreadOptions {
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
  /** Receives the output piece by piece, and stops the decompression by throwing. */
  readonly watch?: ((piece: Buffer) => void) | undefined;
}

/** One block of a codec whose library decompresses block by block. Both ways throw `DecodeError` if it is invalid. */
export interface BlockWork {
  /** The maximum size of its output. */
  readonly outputBytesMax: number;
  atOnce(): Buffer;
  /** In a thread of the pool. */
  offThread(): Promise<Buffer>;
}

/** Both ways to decompress a block, with the error of the codec for whatever its library throws. */
export function blockWork(
  outputBytesMax: number,
  atOnce: () => Buffer,
  offThread: () => Promise<Buffer>,
  failure: (cause: unknown) => Error,
): BlockWork {
  return {
    outputBytesMax,
    atOnce() {
      try {
        return atOnce();
      } catch (cause) {
        throw failure(cause);
      }
    },
    async offThread() {
      try {
        return await offThread();
      } catch (cause) {
        throw failure(cause);
      }
    },
  };
}

/** Yields the blocks of a batch in order, receives the output of each, and returns the whole output. */
export type BlockSteps = Generator<BlockWork, Buffer, Buffer>;

/** Below this size, the round trip to another thread takes longer than the work. */
const smallBlockBytesMax = 16 * KiB;

/**
 * Output of small blocks that is decompressed before yielding. Each call counts as `callCostBytes` more, however small
 * its output.
 */
const smallBlocksPerTurnBytesMax = 256 * KiB;
const callCostBytes = 1 * KiB;

/** A codec that decompresses block by block: its steps for compressed bytes. */
type BlockCodec = (bytes: Buffer, outputBytesMax: number) => BlockSteps;

/** Both ways to decompress by a codec. The bytes must not change before the second one is done. */
export function decompressionBy(steps: BlockCodec) {
  return {
    decompress: (bytes: Buffer, outputBytesMax: number): Buffer =>
      decompressBlocks(steps(bytes, outputBytesMax)),
    decompressOffThread: async (
      bytes: Buffer,
      outputBytesMax: number,
      options: OffThreadOptions,
    ): Promise<Buffer> => decompressBlocksOffThread(steps(bytes, outputBytesMax), options),
  };
}

export function decompressBlocks(steps: BlockSteps): Buffer {
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value.atOnce());
  return step.value;
}

/** Like `decompressBlocks`, with large blocks in a thread of the pool and pauses between small ones. */
export async function decompressBlocksOffThread(
  steps: BlockSteps,
  { pause, watch }: OffThreadOptions,
): Promise<Buffer> {
  let turnBytes = 0;
  let step = steps.next();
  while (step.done !== true) {
    const work = step.value;
    const isSmall = work.outputBytesMax <= smallBlockBytesMax;
    if (isSmall && turnBytes + work.outputBytesMax > smallBlocksPerTurnBytesMax) {
      await pause();
      turnBytes = 0;
    }
    const output = isSmall ? work.atOnce() : await work.offThread();
    turnBytes = isSmall ? turnBytes + callCostBytes + output.length : 0;
    watch?.(output);
    step = steps.next(output);
  }
  return step.value;
}
