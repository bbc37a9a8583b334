import { brokerLimits } from '../limits.ts';
import type { RequestContext } from '../requests/handler.ts';

/**
 * Sends a request to the control plane, and once more if it is refused as possibly late and its client is still
 * connected after `lateRequestHoldMs`.
 *
 * A request is possibly late if it came on another connection than the one that its client used last: the client may
 * have moved, or it may have left this connection behind. Live clients are expected to retry, and many older ones treat
 * the error as fatal. The end of a connection follows its last request, so after the hold the agent knows which of the
 * two it is (ADR 0076).
 */
export async function repeatedIfLate<Answer>(
  { clock, left }: Pick<RequestContext, 'clock' | 'left'>,
  isLate: (answer: Answer) => boolean,
  send: (isRepeated: boolean) => Promise<Answer>,
): Promise<Answer> {
  const answer = await send(false);
  if (!isLate(answer) || left.aborted) return answer;
  const isConnected = await new Promise<boolean>((resolve) => {
    const cancel = clock.after(brokerLimits.lateRequestHoldMs, () => {
      left.removeEventListener('abort', leave);
      resolve(true);
    });
    left.addEventListener('abort', leave, { once: true });

    function leave(): void {
      cancel();
      resolve(false);
    }
  });
  return isConnected ? send(true) : answer;
}

/** The leader refuses a commit that may be late as one that it cannot decide yet. */
export function isPossiblyLate(answer: { readonly error: string } | undefined): boolean {
  return answer?.error === 'COORDINATOR_LOAD_IN_PROGRESS';
}
