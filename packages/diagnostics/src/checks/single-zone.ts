import { defineCheck } from '../check.ts';
import { livingAgents } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

/** The zone of an agent that could not detect its own. */
const unknownZones: readonly string[] = ['', 'SERVICE_UNSET_AZ'];

/** The zones of `weir local`, `weir playground` and `weir demo`, which run on one machine. */
const zonesOfOneProcess: readonly string[] = ['local', 'playground', 'demo'];

export const singleZone = defineCheck({
  name: 'single_zone',
  type: 'agents',
  source: 'control_plane',
  severity: 'low',
  title: 'All agents are in one zone',
  observes: 'The availability zones of the running agents.',
  explanation:
    'If that zone fails, clients cannot produce or consume until agents start in another zone. Clients in other zones pay for cross-zone traffic.',
  fix: 'Run agents in two or three zones. If one zone is enough, as in a test cluster, mute this diagnostic.',
  damping: { failAfterRuns: 10, recoverAfterRuns: 2 },
  run(snapshot) {
    const agents = livingAgents(snapshot);
    const zones = new Set(agents.map(({ zone }) => zone));
    if (zones.size > 1 || agents.length === 0) return [];
    const [zone = ''] = zones;
    if (zonesOfOneProcess.includes(zone)) return [];
    if (unknownZones.includes(zone)) return { missing: 'agent zones' };
    return [
      {
        entity: { kind: 'cluster', name: snapshot.cluster.clusterId },
        message: `${counted(agents.length, 'agent runs', 'agents run')}, all in zone ${zone}.`,
        weight: agents.length,
      },
    ];
  },
});
