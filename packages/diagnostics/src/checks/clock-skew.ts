import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { duration } from '../number-texts.ts';

const clockOffsetMsMax = 2000;
/** From here on tokens and signed requests to stores are likely to be refused. */
const wrongClockMs = 60_000;

export const clockSkew = defineCheck({
  name: 'clock_skew',
  type: 'agents',
  source: 'agent',
  severity: 'medium',
  title: 'Agent clock skew',
  observes: `The clock of each agent, against that of the control plane: more than ${duration(clockOffsetMsMax)} apart; high from ${duration(wrongClockMs)}.`,
  explanation:
    'Records get wrong timestamps, which breaks retention and offset lookup by timestamp, and tokens and request signatures are rejected as expired or not yet valid.',
  fix: 'Synchronize the clock of the host with NTP or the time service of the platform.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 3, recoverAfterRuns: 3 },
  run(snapshot) {
    const agents = livingAgents(snapshot);
    if (agents.every(({ clockOffsetMs }) => clockOffsetMs === undefined)) return { missing: 'agent clocks' };
    return agents.flatMap(({ agentId, host, clockOffsetMs = 0 }) => {
      const apartMs = Math.abs(clockOffsetMs);
      if (apartMs <= clockOffsetMsMax) return [];
      return [
        {
          entity: { kind: 'agent', name: agentId } as const,
          message: `Agent ${agentId} on ${host}: clock is ${duration(apartMs)} ${clockOffsetMs > 0 ? 'ahead' : 'behind'}.`,
          severity: apartMs >= wrongClockMs ? ('high' as const) : undefined,
          weight: apartMs,
        },
      ];
    });
  },
});
