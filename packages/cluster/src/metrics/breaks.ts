import { type Clock, nextTurn } from '@weir/core';

/** Takes some milliseconds. */
const countedPerBreak = 5_000;

/**
 * Returns a function to call per counted item. Every `countedPerBreak` calls it returns a promise to await, which
 * yields to the event loop: a cluster may have 200,000 partitions, and the measuring process has other work.
 */
export function breaksBy(clock: Clock): () => Promise<void> | undefined {
  let counted = 0;
  return () => {
    return ++counted % countedPerBreak === 0 ? nextTurn(clock) : undefined;
  };
}
