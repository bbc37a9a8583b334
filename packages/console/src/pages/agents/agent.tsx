import { useParams } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { clusterKind, systemClock } from '@weir/core';
import { printLiteral } from '@weir/events';
import type { ReactNode } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useMetrics, valuesOf } from '../../api/use-metrics.ts';
import { counted, formatCount, formatDuration, formatShort } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { CopyableId } from '../../ui/copy-button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Freshness } from '../../ui/freshness.tsx';
import { MetricChart } from '../../ui/metric-chart.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { TrafficCharts } from '../../ui/traffic-charts.tsx';
import { nameOf } from '../clients/client-words.ts';
import { jobColumns } from '../jobs/job-columns.tsx';
import { addressOf } from './agent-address.ts';

type Listed = OutputOf<'list_agents'>['agents'][number];

/** One agent: what it is, its last hour, its jobs and its clients. */
export function Agent() {
  const { clusterId, agentId } = useParams({ from: '/frame/clusters/$clusterId/agents/$agentId' });
  const isLake = clusterKind(clusterId) === 'data lake';
  const listed = useClusterOperation('list_agents', {}, { everyMs: 5_000 });
  const agent = listed.data?.agents.find(({ agent_id }) => agent_id === agentId);
  return (
    <Page
      title={agent === undefined ? 'Agent' : `Agent at ${addressOf(agent)}`}
      tabTitle={`Agent ${agentId}`}
      facts={
        <span className="flex flex-wrap items-center gap-x-3">
          <CopyableId text={agentId} what="the agent id" />
          {agent !== undefined && <span>{factsOf(agent)}</span>}
        </span>
      }
      actions={
        <>
          <Freshness of={listed} />
          <TextLink
            to="/clusters/$clusterId/events"
            params={{ clusterId }}
            search={{ types: 'agent_logs', filter: `data.agent_id == ${printLiteral(agentId)}` }}
            className="text-sm"
          >
            Logs
          </TextLink>
        </>
      }
    >
      <Answer of={listed} what="list the agents">
        {() => (
          <>
            {agent === undefined ? <Gone agentId={agentId} /> : <AgentFacts agent={agent} isLake={isLake} />}
            <Charts agentId={agentId} isLake={isLake} />
            <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
              <Jobs agentId={agentId} />
              {!isLake && <Clients agentId={agentId} />}
            </div>
          </>
        )}
      </Answer>
    </Page>
  );
}

function factsOf({ release, roles, zone, started_at }: Listed): string {
  return [
    release,
    roles.join(', '),
    zone === '' ? 'zone unknown' : zone,
    ...(started_at === undefined ? [] : [`up ${upText(started_at)}`]),
  ].join(' · ');
}

const upText = (startedAt: string) =>
  formatDuration(Math.max(0, systemClock.nowMs() - Date.parse(startedAt)));

interface AgentFactsProps {
  readonly agent: Listed;
  readonly isLake: boolean;
}

function AgentFacts({ agent, isLake }: AgentFactsProps) {
  const { started_at, schema_registry_port: registryPort } = agent;
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    ['Roles', agent.roles.join(', ')],
    ['Release', agent.release],
    ['Group', agent.group || 'none'],
    ['Zone', agent.zone || 'unknown'],
    ...(isLake
      ? ([['Host', agent.host]] as const)
      : ([
          ['Kafka', agent.kafka_port === undefined ? 'not served' : `${agent.host}:${agent.kafka_port}`],
          ['Schema registry', registryPort === undefined ? 'not served' : `${agent.host}:${registryPort}`],
        ] as const)),
    ['CPU', `${Math.round(agent.cpu_load * 100)} % of ${agent.cpu_count}`],
    ['Started', started_at === undefined ? 'not reported yet' : <Time key="started" of={started_at} />],
    ['Last heartbeat', <Time key="seen" of={agent.last_seen_at} />],
  ];
  return <Facts facts={facts} />;
}

interface OfAgent {
  readonly agentId: string;
}

/** An agent that does not call in: silent of late, left, or never there. */
function Gone({ agentId }: OfAgent) {
  const { data } = useClusterOperation('describe_cluster_overview', {});
  const lost = data?.lost_agents.find(({ agent_id }) => agent_id === agentId);
  return (
    <p className="text-lg">
      <Status kind={lost === undefined ? 'muted' : 'warn'} wraps>
        <span className="text-ink">
          {lost === undefined ? (
            'No agent with this id is connected. It has stopped, or the id is wrong.'
          ) : (
            <>
              It disappeared without a shutdown. Its last heartbeat was at <Time of={lost.last_seen_at} />.
            </>
          )}
        </span>
      </Status>
    </p>
  );
}

const idle = 'No samples of this agent in the last hour.';

function Charts({ agentId, isLake }: OfAgent & { readonly isLake: boolean }) {
  const metrics = useMetrics({
    metrics: [
      'in_bytes_per_second',
      'out_bytes_per_second',
      'in_records_per_second',
      'out_records_per_second',
      'produce_latency_p50_ms',
      'produce_latency_p99_ms',
      'cpu_load',
    ],
    agent: agentId,
    group_by: 'agent',
  });
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      {!isLake && (
        <TrafficCharts
          of={metrics}
          nothing={idle}
          noProduce="No Produce requests to this agent in the last hour."
        />
      )}
      <MetricChart
        title="CPU, last hour"
        of={metrics}
        format={(value) => `${formatShort(value * 100)} %`}
        nothing={idle}
        pick={(data) => [{ label: 'CPU', values: valuesOf(data, 'cpu_load') }]}
      />
    </div>
  );
}

const rowsShown = 8;
const shortJobColumns = jobColumns([]).filter(({ id }) =>
  ['state', 'kind', 'since', 'progress'].includes(id),
);

function Jobs({ agentId }: OfAgent) {
  const clusterId = useClusterId();
  const listed = useClusterOperation('list_jobs', {}, { everyMs: 5_000 });
  const jobs = listed.data?.jobs.filter(({ agent_id }) => agent_id === agentId) ?? [];
  return (
    <Card
      title={`Jobs (${formatCount(jobs.length)})`}
      actions={
        <TextLink
          to="/clusters/$clusterId/jobs"
          params={{ clusterId }}
          search={{ agent: agentId }}
          className="text-sm"
        >
          All jobs
        </TextLink>
      }
    >
      <Answer of={listed} what="list the jobs" rows={3}>
        {() =>
          jobs.length === 0 ? (
            <Empty title="No jobs">This agent runs no jobs now and has finished none recently.</Empty>
          ) : (
            <DataTable
              label="Jobs of the agent"
              columns={shortJobColumns}
              rows={jobs.slice(0, rowsShown)}
              keyOf={({ job_id }) => job_id}
            />
          )
        }
      </Answer>
    </Card>
  );
}

function Clients({ agentId }: OfAgent) {
  const clusterId = useClusterId();
  const listed = useClusterOperation('list_clients', { agent_id: agentId }, { everyMs: 10_000 });
  const clients = listed.data?.clients ?? [];
  const sum = clients.reduce((total, { connections }) => total + connections, 0);
  return (
    <Card
      title={`Clients (${counted(sum, 'connection')})`}
      actions={
        <TextLink
          to="/clusters/$clusterId/clients"
          params={{ clusterId }}
          search={{ agent: agentId }}
          className="text-sm"
        >
          All clients
        </TextLink>
      }
    >
      <Answer of={listed} what="list the clients" rows={3}>
        {({ silent_agents }) =>
          clients.length === 0 ? (
            <Empty title="No clients">
              {silent_agents.includes(agentId)
                ? 'This agent has not reported its clients recently; agents report every 20 seconds.'
                : 'No Kafka client is connected to this agent.'}
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {clients.slice(0, rowsShown).map((one) => (
                <li
                  key={`${one.software_name} ${one.software_version}`}
                  className="flex items-baseline gap-4 px-4 py-1.5 text-sm"
                >
                  <bdi className="min-w-0 truncate font-medium text-ink">
                    {visibleText(nameOf(one))} {visibleText(one.software_version)}
                  </bdi>
                  <bdi
                    className="min-w-0 flex-1 truncate text-muted"
                    title={one.client_ids.map(visibleText).join(', ')}
                  >
                    {one.client_ids.map(visibleText).join(', ')}
                  </bdi>
                  <span className="tabular-nums">{formatCount(one.connections)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}
