import type { RequestContext } from './handler.ts';

const intervalMs = 5;
const waitMsMax = 1000;

/**
 * Waits until the agent's view shows what the control plane has just agreed to, so that a client which is told "created" finds the
 * topic here at once. The view follows by a round trip; when it takes longer than a second the client is told all the same.
 */
export async function waitForView(
  { clock }: Pick<RequestContext, 'clock'>,
  isHeard: () => boolean,
): Promise<void> {
  const endMs = clock.monotonicMs() + waitMsMax;
  while (!isHeard() && clock.monotonicMs() < endMs) {
    await new Promise<void>((resolve) => {
      clock.after(intervalMs, resolve);
    });
  }
}
