/** What has to be ended when this process exits, even when the test runner aborts it. */
const pending = new Set<() => void>();

/**
 * Calls `end` when this process exits. Returns a function that takes it back. All share one listener: scenarios have
 * more processes than an emitter takes listeners without a warning.
 */
export function atExit(end: () => void): () => void {
  if (pending.size === 0) process.once('exit', endAll);
  pending.add(end);
  return () => {
    pending.delete(end);
    if (pending.size === 0) process.removeListener('exit', endAll);
  };
}

function endAll(): void {
  for (const end of pending) end();
}
