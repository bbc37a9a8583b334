/**
 * Lets everything run that waits for promises and not for time. Node comes to its ticks when no microtask is left, however many of
 * them led to each other; asked for out of a microtask, because before the first one the ticks come first.
 */
export function settle(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
