import { KiB } from '@weir/core';

/** How to decompress without holding up others. */
export interface AsideOptions {
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
  /** Sees the output piece by piece while it grows, and stops the decompression by throwing. */
  readonly watch?: ((piece: Buffer) => void) | undefined;
}

/** One block of a codec whose library decompresses block by block. Both ways throw `DecodeError` when it is broken. */
export interface BlockWork {
  /** The most that can come of it. */
  readonly outputBytesMax: number;
  atOnce(): Buffer;
  /** In a thread of the pool. */
  aside(): Promise<Buffer>;
}

/** Gives the blocks of a batch in turn, takes what each became, and returns all of it. */
export type BlockSteps = Generator<BlockWork, Buffer, Buffer>;

/** Below this, the way to another thread and back takes longer than the work. */
const smallBlockBytesMax = 16 * KiB;

/** Small blocks that are decompressed before others get their turn. A call costs as much as these bytes, however little it gives. */
const smallBlocksPerTurnBytesMax = 256 * KiB;
const callCostBytes = 1 * KiB;

export function decompressBlocks(steps: BlockSteps): Buffer {
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value.atOnce());
  return step.value;
}

/** The same with large blocks in a thread of the pool, and with pauses between small ones. */
export async function decompressBlocksAside(
  steps: BlockSteps,
  { pause, watch }: AsideOptions,
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
    const output = isSmall ? work.atOnce() : await work.aside();
    turnBytes = isSmall ? turnBytes + callCostBytes + output.length : 0;
    watch?.(output);
    step = steps.next(output);
  }
  return step.value;
}
