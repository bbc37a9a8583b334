import type { Clock } from '@weir/core';

/** Some milliseconds of counting. */
const countedPerBreak = 5_000;

/**
 * Called for everything that is counted, it now and then gives a promise to wait for: a cluster may have two hundred thousand partitions,
 * and whoever measures it has other work to do meanwhile.
 */
export function breaksBy(clock: Clock): () => Promise<void> | undefined {
  let counted = 0;
  return () => {
    if (++counted % countedPerBreak !== 0) return undefined;
    return new Promise((resolve) => {
      clock.after(0, resolve);
    });
  };
}
