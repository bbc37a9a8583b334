import { type Clock, systemClock } from '@weir/core';

/**
 * Calls `act` once per interval for each item, evenly spread over the interval, for the duration. An item whose
 * previous call is still running skips its turn, as a client would. Returns the number of calls.
 */
export async function everyInterval<T>(
  many: readonly T[],
  intervalMs: number,
  durationMs: number,
  act: (one: T) => Promise<void>,
  clock: Clock = systemClock,
): Promise<number> {
  const startMs = clock.monotonicMs();
  const underWay = new Set<T>();
  let problem: unknown;
  let count = 0;
  const endMs = startMs + durationMs;
  for (let turn = 0; problem === undefined; turn++) {
    const dueMs = startMs + (turn * intervalMs) / many.length;
    const waitMs = Math.min(dueMs, endMs) - clock.monotonicMs();
    if (waitMs > 0) await new Promise<void>((resolve) => clock.after(waitMs, resolve));
    if (dueMs >= endMs) break;
    const one = many[turn % many.length]!;
    if (underWay.has(one)) continue;
    underWay.add(one);
    count++;
    act(one)
      .catch((error) => {
        problem ??= error;
      })
      .finally(() => underWay.delete(one));
  }
  while (underWay.size > 0 && problem === undefined) {
    await new Promise<void>((resolve) => clock.after(1, resolve));
  }
  if (problem !== undefined) throw problem;
  return count;
}
