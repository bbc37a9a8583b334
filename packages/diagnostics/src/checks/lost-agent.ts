import { agentSilenceMsMax } from '@weir/cluster';
import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { duration } from '../number-texts.ts';

export const lostAgent = defineCheck({
  name: 'lost_agent',
  type: 'agents',
  source: 'control_plane',
  severity: 'medium',
  title: 'An agent went away without a word',
  observes: `Agents that sent no heartbeat for ${duration(agentSilenceMsMax)} and did not say that they stop.`,
  explanation:
    'An agent that stops in order takes its leave, so that clients go elsewhere at once. This one was killed, ran out of memory, or cannot reach the control plane any more.',
  fix: 'Look at the end of its log and at what its platform says: ended for want of memory, moved, cut off. Give it -gracefulShutdownDuration before it is killed.',
  kinds: clusterKinds,
  run({ agents, atMs }) {
    return agents
      .filter(({ lastSeenMs }) => atMs - lastSeenMs >= agentSilenceMsMax)
      .map(({ agentId, host, zone, lastSeenMs }) => ({
        entity: { kind: 'agent', name: agentId },
        message: `Agent ${agentId} at ${host} in zone ${zone} sent its last heartbeat ${duration(atMs - lastSeenMs)} ago.`,
        weight: lastSeenMs,
        sinceMs: lastSeenMs,
      }));
  },
});
