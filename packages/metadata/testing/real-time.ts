import { ClusterUnavailable } from '@weir/cluster';
import { systemClock } from '@weir/core';

export function sleep(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    systemClock.after(ms, () => resolve(undefined));
  });
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

/** Repeats a call as agents do: on a paused machine, a leader can lose its short lease for a moment. */
export async function untilServed<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ClusterUnavailable)) throw error;
      await sleep(10);
    }
  }
}
