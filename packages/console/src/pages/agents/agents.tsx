import { useNavigate } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { clusterKind } from '@weir/core';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { counted } from '../../format/format.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { textColumn, timeColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListTable } from '../../ui/list-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { addressOf } from './agent-address.ts';

type Agent = OutputOf<'list_agents'>['agents'][number];

const whatAgentsDo = {
  kafka: 'Agents serve Kafka clients and store records in your bucket.',
  'schema registry': 'Agents serve the schemas of the registry.',
  'data lake': 'Agents read topics and write tables to your bucket.',
} as const;

const columns: readonly Column<Agent>[] = [
  {
    id: 'id',
    title: 'Agent',
    width: 'minmax(18.5rem, 2fr)',
    sortBy: ({ agent_id }) => agent_id,
    cell: ({ agent_id }) => <AgentLink agentId={agent_id} />,
  },
  {
    id: 'address',
    title: 'Address',
    width: 'minmax(9.5rem, 1fr)',
    sortBy: ({ host }) => host,
    cell: addressOf,
  },
  { id: 'roles', title: 'Roles', width: 'minmax(7rem, 1fr)', cell: ({ roles }) => roles.join(', ') },
  textColumn('group', 'Group', '5.5rem', ({ group }) => group || '–'),
  textColumn('zone', 'Zone', '7rem', ({ zone }) => zone || '–'),
  textColumn('release', 'Release', '5.5rem', ({ release }) => release),
  {
    id: 'cpu',
    title: 'CPU',
    width: '6.5rem',
    isNumber: true,
    sortBy: ({ cpu_load }) => cpu_load,
    cell: ({ cpu_load, cpu_count }) => `${Math.round(cpu_load * 100)} % of ${cpu_count}`,
  },
  {
    id: 'started',
    title: 'Started',
    width: '6.5rem',
    isNumber: true,
    sortBy: ({ started_at }) => started_at ?? '',
    cell: ({ started_at }) => (started_at === undefined ? '–' : <Time of={started_at} isAgo />),
  },
  timeColumn('seen', 'Last heartbeat', '6.5rem', ({ last_seen_at }) => last_seen_at, {
    isNumber: true,
    isAgo: true,
  }),
];

export function Agents() {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  const listed = useClusterOperation('list_agents', {}, { everyMs: 5_000 });
  return (
    <Page title="Agents" facts={listed.data && `${counted(listed.data.agents.length, 'agent')} connected`}>
      <ListTable
        label="Agents"
        of={listed}
        what="list the agents"
        rowsOf={({ agents }) => agents}
        columns={columns}
        keyOf={({ agent_id }) => agent_id}
        sort="id"
        onOpen={({ agent_id: agentId }) =>
          void navigate({ to: '/clusters/$clusterId/agents/$agentId', params: { clusterId, agentId } })
        }
      >
        <Empty title="No agents connected">
          {whatAgentsDo[clusterKind(clusterId)]} Start one with the key of this cluster.
        </Empty>
      </ListTable>
    </Page>
  );
}
