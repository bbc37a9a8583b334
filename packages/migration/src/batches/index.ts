/** From the bytes of a fetch answer to batches that can be appended with their offsets. */
export type { CopiedBatch, CopiedKind } from './copied-batch.ts';
export { type Walk, type WalkOptions, type WalkProblem, walkAnswer } from './walk.ts';
