import type { Clock } from '@weir/core';

const intervalMs = 5;
const waitMsMax = 1000;

/**
 * Waits until the agent's view shows a change that the leader has just made, so that a client that created a topic
 * finds it here at once. The view is a round trip behind; after a second the client gets its response anyway.
 */
export async function waitForView(
  { clock }: { readonly clock: Clock },
  isVisible: () => boolean,
): Promise<void> {
  const endMs = clock.monotonicMs() + waitMsMax;
  while (!isVisible() && clock.monotonicMs() < endMs) {
    await new Promise<void>((resolve) => {
      clock.after(intervalMs, resolve);
    });
  }
}
