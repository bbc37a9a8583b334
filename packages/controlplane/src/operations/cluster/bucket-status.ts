import type { OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { type ClusterPort, namedBucketDigest, type SeenAgent } from '@weir/cluster';
import { type Clock, pauseUnlessStopped } from '@weir/core';

type BucketStatus = NonNullable<OutputOf<'describe_virtual_cluster_configuration'>['bucket_status']>;
type AgentStatus = BucketStatus['agents'][number];

/** How long a call that names a bucket waits for the agents, which learn of it by the change stream. */
const waitMsMax = 5_000;
const intervalMs = 200;

/**
 * Returns whether the agents of a cluster use the bucket that it names, as far as they have reported it. Without agents
 * that is open.
 */
export function bucketStatusOf(agents: readonly SeenAgent[], url: string | null | undefined): BucketStatus {
  const digest = namedBucketDigest(url ?? '');
  const states = agents.map((agent) => agentStatus(agent, digest));
  const state = states.some((one) => one.state === 'refused')
    ? 'refused'
    : states.length === 0 || states.some((one) => one.state === 'pending')
      ? 'pending'
      : 'in_use';
  const waiting = states.filter((one) => one.state !== 'in_use');
  return {
    state,
    agents: waiting.slice(0, apiLimits.bucketStatusAgentsMax),
    agents_left_out: Math.max(0, waiting.length - apiLimits.bucketStatusAgentsMax),
  };
}

/** Waits until all agents have tried the bucket, or for a while. */
export async function awaitedBucketStatus(
  port: Pick<ClusterPort, 'listAgents'>,
  url: string | null,
  { clock }: { readonly clock: Clock },
): Promise<BucketStatus> {
  const endMs = clock.monotonicMs() + waitMsMax;
  for (;;) {
    const status = bucketStatusOf(await port.listAgents(), url);
    const isKnown = status.agents.every(({ state }) => state !== 'pending');
    if (isKnown || clock.monotonicMs() >= endMs) return status;
    await pauseUnlessStopped(clock, intervalMs, new AbortController().signal);
  }
}

function agentStatus({ agentId, host, namedBucket }: SeenAgent, digest: string): AgentStatus {
  const agent = { agent_id: agentId, host };
  if (namedBucket?.digest !== digest)
    return { ...agent, state: 'pending', reason: 'It has not reported yet whether it can use the bucket.' };
  const { problem = '' } = namedBucket;
  if (problem === '') return { ...agent, state: 'in_use', reason: '' };
  return { ...agent, state: 'refused', reason: problem };
}
