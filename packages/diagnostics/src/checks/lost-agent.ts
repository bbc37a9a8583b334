import { agentSilenceMsMax } from '@weir/cluster';
import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { duration } from '../number-texts.ts';

export const lostAgent = defineCheck({
  name: 'lost_agent',
  type: 'agents',
  source: 'control_plane',
  severity: 'medium',
  title: 'Agent lost: heartbeats stopped without a shutdown',
  observes: `Agents that sent no heartbeat for ${duration(agentSilenceMsMax)} and did not shut down gracefully.`,
  explanation:
    'A graceful shutdown deregisters the agent, so that clients move to other agents at once. This agent was killed, ran out of memory or lost its connection to the control plane.',
  fix: 'Check the end of the agent log and the events of the platform: OOM-killed, rescheduled or partitioned. Set the termination grace period of the platform to at least -gracefulShutdownDuration.',
  kinds: clusterKinds,
  run({ agents, atMs }) {
    return agents
      .filter(({ lastSeenMs }) => atMs - lastSeenMs >= agentSilenceMsMax)
      .map(({ agentId, host, zone, lastSeenMs }) => ({
        entity: { kind: 'agent', name: agentId },
        message: `Agent ${agentId} on ${host} in zone ${zone}: last heartbeat ${duration(atMs - lastSeenMs)} ago.`,
        weight: lastSeenMs,
        sinceMs: lastSeenMs,
      }));
  },
});
