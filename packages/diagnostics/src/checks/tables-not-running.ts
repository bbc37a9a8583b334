import { defineCheck } from '../check.ts';
import { livingAgents } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

/** Jobs are handed out within seconds. */
const waitMsMin = 60_000;

export const tablesNotRunning = defineCheck({
  name: 'tables_not_running',
  type: 'pipelines',
  source: 'control_plane',
  severity: 'high',
  title: 'No agent writes tables',
  observes: 'How many tables of running pipelines have no agent that writes them, for a minute or longer.',
  explanation:
    'These tables get no rows. Records are lost for them once their topics delete them; nothing that is in a table is lost.',
  fix: 'Start agents of the data lake cluster, with the role jobs and with tableflow not excluded by -jobSelector. If agents run, add more: each takes a bounded number of tables.',
  kinds: ['data_lake'],
  run(snapshot) {
    const { tables, atMs, cluster } = snapshot;
    if (tables === undefined) return { missing: 'tables' };
    const waiting = tables.filter(
      ({ state, plannedMs = 0, agentCount, report }) =>
        report === undefined && (agentCount === 0 || (state === 'waiting' && atMs - plannedMs >= waitMsMin)),
    );
    if (waiting.length === 0) return [];
    const agents = livingAgents(snapshot).length;
    const { agentCount } = waiting[0]!;
    const reason =
      agents === 0
        ? 'the cluster has no running agent'
        : agentCount === 0
          ? `none of ${counted(agents, 'agent')} takes them`
          : `${counted(agentCount, 'agent')} take tables, and none has room`;
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId } as const,
        message: `${counted(waiting.length, 'table')} of ${counted(tables.length, 'table')} wait for an agent; ${reason}.`,
        weight: waiting.length,
      },
    ];
  },
});
