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
  title: 'The clock of an agent is wrong',
  observes: `The clocks of agents, against that of the control plane: more than ${duration(clockOffsetMsMax)} apart, and from ${duration(wrongClockMs)} on it is high.`,
  explanation:
    'Records get wrong times, retention and lookups by time go wrong with them, and tokens and signatures are refused as too old or not yet valid.',
  fix: 'Let the machine keep its time with NTP or with the time service of its platform.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 3, recoverAfterRuns: 3 },
  run(snapshot) {
    const agents = livingAgents(snapshot);
    if (agents.every(({ clockOffsetMs }) => clockOffsetMs === undefined))
      return { missing: 'clocks of agents' };
    return agents.flatMap(({ agentId, host, clockOffsetMs = 0 }) => {
      const apartMs = Math.abs(clockOffsetMs);
      if (apartMs <= clockOffsetMsMax) return [];
      return [
        {
          entity: { kind: 'agent', name: agentId } as const,
          message: `The clock of agent ${agentId} at ${host} is ${duration(apartMs)} ${clockOffsetMs > 0 ? 'ahead' : 'behind'}.`,
          severity: apartMs >= wrongClockMs ? ('high' as const) : undefined,
          weight: apartMs,
        },
      ];
    });
  },
});
