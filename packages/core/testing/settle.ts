/**
 * Lets everything run that waits for promises and not for time. Node runs ticks only when no microtask is left,
 * including those that other microtasks add. The tick is scheduled from within a microtask, because before the first
 * one ticks run first.
 */
export function settle(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
