import type { OutputOf } from '@weir/api/client';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { lastOf, type Metrics, useMetrics, valuesOf } from '../../api/use-metrics.ts';
import { useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { counted, formatBytes, formatShort } from '../../format/format.ts';
import { CopyableId } from '../../ui/copy-button.tsx';
import { Freshness } from '../../ui/freshness.tsx';
import { MetricChart } from '../../ui/metric-chart.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer, Command } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { TrafficCharts } from '../../ui/traffic-charts.tsx';
import { TableCharts } from '../tables/table-charts.tsx';
import { lakeMetrics, rateQuery } from '../tables/table-metrics.ts';
import { bytesOf, lagText, rowsOf, troubledTables, worstLagSeconds } from '../tables/table-words.ts';
import { type Table, useTablesOf } from '../tables/use-tables.ts';
import { Attention } from './attention.tsx';
import { Figure } from './figure.tsx';
import { lagOfGroups, overviewMetrics } from './overview-reads.ts';
import { statusSentence } from './status-sentence.ts';

type Cluster = OutputOf<'describe_virtual_cluster'>['virtual_cluster'];

const everyMs = 5_000;
/** Groups with less lag than this are not worth a line. */
const worthMentioningLag = 1_000;

export function Overview() {
  const described = useClusterOperation('describe_virtual_cluster', {});
  return (
    <Answer of={described} what="describe the cluster">
      {({ virtual_cluster }) => <OverviewOf cluster={virtual_cluster} />}
    </Answer>
  );
}

function OverviewOf({ cluster }: { readonly cluster: Cluster }) {
  const clusterId = cluster.id;
  const input = { virtual_cluster_id: clusterId };
  const isKafka = cluster.type === 'byoc';
  const isLake = cluster.type === 'byoc_data_lake';
  const overview = useOperation('describe_cluster_overview', input, { everyMs });
  const failing = useOperation('list_diagnostics', { ...input, state: 'failing' }, { everyMs });
  const agents = useOperation('list_agents', input, { everyMs: 30_000 });
  const metrics = useMetrics(overviewMetrics, isKafka);
  const tables = useTablesOf(clusterId, isLake).data?.tables;
  const troubled = isLake ? troubledTables(tables ?? []) : undefined;
  const state = overview.data;
  const behind = (state?.lagging_groups ?? []).filter(({ lag }) => lag >= worthMentioningLag);
  const sentence = statusSentence({
    agents: state?.agent_count,
    failing: failing.data?.diagnostics.map(({ severity }) => severity),
    ...(troubled === undefined ? { behind: behind.length } : { behind: troubled.length, of: 'table' }),
  });
  return (
    <Page
      title={clusterLabel(cluster)}
      facts={
        <span className="flex flex-wrap items-center gap-x-3">
          <CopyableId text={clusterId} what="the cluster id" />
          {state !== undefined && <span>{factsOf(state, isKafka)}</span>}
          {tables !== undefined && <span>{counted(tables.length, 'table')}</span>}
        </span>
      }
      actions={<Freshness of={overview} />}
    >
      <p className="text-lg text-ink">
        <Status kind={sentence.kind} wraps>
          <span className="text-ink">{sentence.text}</span>
        </Status>
      </p>
      {isKafka && <Figures metrics={metrics.data} state={state} />}
      {isLake && <TableFigures tables={tables} />}
      <Attention
        failing={failing.data?.diagnostics}
        {...(isLake ? { tables: tables && troubled } : { behind: state && behind })}
        lost={state?.lost_agents}
      />
      {isKafka && <Charts metrics={metrics} />}
      {tables !== undefined && tables.length > 0 && (
        <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
          <TableCharts range="1h" />
        </div>
      )}
      <Connect agents={agents.data?.agents} />
    </Page>
  );
}

function factsOf(state: OutputOf<'describe_cluster_overview'>, isKafka: boolean): string {
  const agents = counted(state.agent_count, 'agent');
  if (!isKafka) return agents;
  const { topic_count: topics, partition_count: partitions, consumer_group_count: groups } = state;
  return [agents, counted(topics, 'topic'), counted(partitions, 'partition'), counted(groups, 'group')].join(
    ' · ',
  );
}

interface FiguresProps {
  readonly metrics: Metrics | undefined;
  readonly state: OutputOf<'describe_cluster_overview'> | undefined;
}

function Figures({ metrics, state }: FiguresProps) {
  const of = (name: Parameters<typeof valuesOf>[1]) => (metrics === undefined ? [] : valuesOf(metrics, name));
  const bytesIn = of('in_bytes_per_second');
  const bytesOut = of('out_bytes_per_second');
  const p99 = of('produce_latency_p99_ms');
  const lag = of('lag');
  const shown = (value: number | null | undefined, format: (value: number) => string) =>
    state === undefined ? undefined : value === null || value === undefined ? '–' : format(value);
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure
        name="In"
        value={shown(state?.in_bytes_per_second ?? lastOf(bytesIn), formatBytes)}
        unit="/s"
        values={bytesIn}
      />
      <Figure
        name="Out"
        value={shown(state?.out_bytes_per_second ?? lastOf(bytesOut), formatBytes)}
        unit="/s"
        values={bytesOut}
      />
      <Figure name="Produce p99" value={shown(lastOf(p99), formatShort)} unit="ms" values={p99} />
      <Figure name="Lag" value={shown(state?.total_lag, formatShort)} unit="records" values={lag} />
    </dl>
  );
}

function TableFigures({ tables }: { readonly tables: readonly Table[] | undefined }) {
  const { data: rates } = useMetrics(rateQuery(undefined, 3600));
  const { data: lake } = useMetrics(lakeMetrics);
  const shown = (text: (tables: readonly Table[]) => string) =>
    tables === undefined ? undefined : text(tables);
  const sum = (of: (table: Table) => number) => (all: readonly Table[]) =>
    all.reduce((total, table) => total + of(table), 0);
  const rows = rates === undefined ? [] : valuesOf(rates, 'out_records_per_second');
  const perSecond = lastOf(rows);
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure
        name="New rows"
        value={rates && (perSecond === null ? '–' : formatShort(perSecond))}
        unit="/s"
        values={rows}
      />
      <Figure name="Rows" value={shown((all) => formatShort(sum(rowsOf)(all)))} unit="" values={[]} />
      <Figure
        name="Size"
        value={shown((all) => formatBytes(sum(bytesOf)(all)))}
        unit=""
        values={lake === undefined ? [] : valuesOf(lake, 'stored_bytes')}
      />
      <Figure
        name="Largest lag"
        value={shown((all) => lagText(worstLagSeconds(all)))}
        unit=""
        values={lake === undefined ? [] : valuesOf(lake, 'lag_seconds')}
      />
    </dl>
  );
}

interface ChartsProps {
  readonly metrics: ReturnType<typeof useMetrics>;
}

const idle = 'No samples in the last hour.';

function Charts({ metrics }: ChartsProps) {
  const lag = useMetrics(lagOfGroups);
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <TrafficCharts of={metrics} nothing={idle} noProduce="No Produce requests in the last hour." />
      <MetricChart
        title="Consumer lag, last hour"
        of={lag}
        format={formatShort}
        nothing="No group has committed offsets."
        pick={({ series }) => series.map(({ group = '', values }) => ({ label: group, values }))}
      />
    </div>
  );
}

function Connect({ agents }: { readonly agents: OutputOf<'list_agents'>['agents'] | undefined }) {
  const bootstrap = agents?.find(({ kafka_port }) => kafka_port !== undefined);
  if (bootstrap === undefined) return null;
  const address = `${bootstrap.host}:${bootstrap.kafka_port}`;
  return (
    <Card title="Connect">
      <div className="flex flex-col gap-2 p-4">
        <Command text={`weir cli list-topics -bootstrap-host ${address}`} />
        <Command text={`kcat -b ${address} -L`} />
      </div>
    </Card>
  );
}
