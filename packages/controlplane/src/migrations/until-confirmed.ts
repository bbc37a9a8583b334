import type { ClusterPort } from '@weir/cluster';
import { type Clock, pauseUnlessStopped } from '@weir/core';

/** Longer than a leader remembers an agent that is silent, and than a new one may not know all of them. */
const waitMsMax = 10_000;
const pauseMs = 100;

interface ConfirmedTopics {
  readonly pipelineId: string;
  readonly topicIds: readonly string[];
}

/**
 * Waits until all agents know of the states that topics have now, so that a client to which a change was reported finds
 * it at whichever agent it asks. A failure of the leader is no failure of the change, which has been made.
 */
export async function untilConfirmed(
  port: Pick<ClusterPort, 'listManagedTopics'>,
  topics: ConfirmedTopics,
  { clock, stop }: { readonly clock: Clock; readonly stop: AbortSignal },
): Promise<void> {
  const endMs = clock.monotonicMs() + waitMsMax;
  while (!stop.aborted && clock.monotonicMs() < endMs) {
    const states = await port.listManagedTopics(topics).catch(() => undefined);
    if (states?.every(({ unconfirmedAgents }) => unconfirmedAgents.length === 0) === true) return;
    await pauseUnlessStopped(clock, pauseMs, stop);
  }
}
