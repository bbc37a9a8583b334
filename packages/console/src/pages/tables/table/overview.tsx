import { useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useClusterId, useClusterOperation } from '../../../api/use-cluster.ts';
import { counted, formatBytes, formatCount } from '../../../format/format.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { AgentLink } from '../../../ui/agent-link.tsx';
import type { ChartRange } from '../../../ui/chart-range.ts';
import { countColumn } from '../../../ui/columns.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Card } from '../../../ui/page.tsx';
import { RangedCharts } from '../../../ui/range-picker.tsx';
import { Answer, Empty } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { TextLink } from '../../../ui/text-link.tsx';
import { Time } from '../../../ui/time.tsx';
import { ObjectDiagnostics } from '../../diagnostics/object-diagnostics.tsx';
import { TableCharts } from '../table-charts.tsx';
import { healthKinds, lagText, reasonTexts, sentenceOf } from '../table-words.ts';
import { type Table, type TableStatus, useTable } from '../use-tables.ts';
import { ConnectEngines } from './connect-engines.tsx';

type Partition = NonNullable<TableStatus['partitions']>[number];

/** How a table is written, how far it is, and how engines read it. */
export function TableOverview() {
  const { table: name } = useParams({ from: '/frame/clusters/$clusterId/tables/$table/' });
  const described = useTable(name);
  return (
    <Answer of={described} what={`describe the table ${visibleText(name)}`}>
      {({ table, status }) => (
        <div className="flex flex-col gap-4">
          {status !== undefined && <Health status={status} />}
          <ObjectDiagnostics of={{ kind: 'table', name }} />
          <TableFacts table={table} status={status} />
          <Charts table={name} />
          <Location table={table} status={status} />
          <Partitions status={status} />
          <Card title="Connect">
            <ConnectEngines table={name} />
          </Card>
        </div>
      )}
    </Answer>
  );
}

function Charts({ table }: { readonly table: string }) {
  const { range = '1h' }: { range?: ChartRange | undefined } = useSearch({
    from: '/frame/clusters/$clusterId/tables/$table/',
  });
  return (
    <RangedCharts range={range}>
      <TableCharts table={table} range={range} />
    </RangedCharts>
  );
}

function Health({ status }: { readonly status: TableStatus }) {
  const { health, last_error: error, last_error_at: errorAt } = status;
  return (
    <Card title="Health">
      <div className="flex flex-col gap-2 p-4 text-sm">
        <p>
          <Status kind={healthKinds[health.status]} wraps>
            <span className="text-ink">
              {health.message === '' ? sentences[health.status] : sentenceOf(visibleText(health.message))}
            </span>
          </Status>
        </p>
        {health.reasons.length > 0 && (
          <ul aria-label="Reasons" className="flex list-disc flex-col gap-1 pl-5 text-body">
            {health.reasons.map((reason) => (
              <li key={reason}>{reasonTexts[reason]}</li>
            ))}
          </ul>
        )}
        {error !== undefined && (
          <p className="break-words text-body">
            Last error: {visibleText(error)}
            {errorAt !== undefined && (
              <span className="text-muted">
                {' '}
                (<Time of={errorAt} isAgo />)
              </span>
            )}
          </p>
        )}
      </div>
    </Card>
  );
}

const sentences: Readonly<Record<TableStatus['health']['status'], string>> = {
  healthy: 'Rows arrive.',
  initializing: 'Not yet written.',
  paused: 'Its pipeline is paused.',
  inactive: 'No deployed configuration names the table.',
  degraded: 'Rows arrive, but not as they should.',
  failing: 'No rows are written.',
};

interface TableProps {
  readonly table: Omit<Table, 'status'>;
  readonly status: TableStatus | undefined;
}

const countText = (count: number | undefined) => (count === undefined ? '–' : formatCount(count));

function TableFacts({ table, status }: TableProps) {
  const clusterId = useClusterId();
  const { data } = useClusterOperation('list_pipelines', {});
  const pipeline = data?.pipelines.find(({ id }) => id === table.pipeline_id);
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    ['Rows', formatCount(status?.rows ?? table.stats_estimated_row_count)],
    ['Size', formatBytes(status?.bytes ?? table.stats_estimated_byte_count)],
    ['Files', countText(status?.files)],
    ['Snapshots', countText(status?.snapshots)],
    ['Partitions of the table', countText(status?.partitions_count)],
    ['Query lag', lagText(status?.query_lag_seconds)],
    ['Ingestion lag', lagText(status?.ingestion_lag_seconds)],
    ['Records behind', countText(status?.lag_records)],
    ['Last commit', <Time key="commit" of={status?.last_commit_at ?? null} isAgo />],
    ['Created', <Time key="created" of={table.created_at} />],
    [
      'Kept failed records',
      status?.dlq_records === undefined || status.dlq_records === 0 ? (
        countText(status?.dlq_records)
      ) : (
        <TextLink
          key="failures"
          to="/clusters/$clusterId/tables/$table/failures"
          params={{ clusterId, table: table.table_name }}
        >
          {formatCount(status.dlq_records)}
        </TextLink>
      ),
    ],
    ['Dropped records', countText(status?.dropped_records)],
    [
      'Pipeline',
      <TextLink
        key="pipeline"
        to="/clusters/$clusterId/pipelines/$pipelineId"
        params={{ clusterId, pipelineId: table.pipeline_id }}
      >
        {visibleText(pipeline?.name ?? table.pipeline_id)}
      </TextLink>,
    ],
    ['Agent', status?.agent_id === undefined ? 'none' : <AgentLink key="agent" agentId={status.agent_id} />],
    ['Reported', <Time key="reported" of={status?.reported_at ?? null} isAgo />],
  ];
  return <Facts facts={facts} />;
}

function Location({ table, status }: TableProps) {
  return (
    <Card title="Location">
      <dl className="flex flex-col gap-2 p-4 text-sm">
        <Place name="Table" text={table.table_location} what="the location of the table" />
        {table.catalog !== undefined && (
          <Place
            name={table.catalog.type === 'glue' ? 'AWS Glue' : 'Catalog'}
            text={`${table.catalog.address} ${table.catalog.table}`}
            what="the catalog and the table in it"
          />
        )}
        {status?.metadata_location !== undefined && (
          <Place
            name="Newest metadata"
            text={status.metadata_location}
            what="the location of the newest metadata"
          />
        )}
      </dl>
    </Card>
  );
}

interface PlaceProps {
  readonly name: string;
  readonly text: string;
  readonly what: string;
}

function Place({ name, text, what }: PlaceProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <dt className="w-32 shrink-0 text-xs text-muted">{name}</dt>
      <dd className="flex min-w-0 flex-1 basis-60 items-center gap-1">
        <code className="min-w-0 flex-1 font-mono text-xs break-all text-ink">{visibleText(text)}</code>
        <CopyButton text={text} what={what} />
      </dd>
    </div>
  );
}

const columns: readonly Column<Partition>[] = [
  {
    id: 'partition',
    title: 'Partition',
    width: '6rem',
    isNumber: true,
    cell: ({ partition }) => formatCount(partition),
  },
  {
    id: 'state',
    title: 'State',
    width: 'minmax(7rem, 2fr)',
    cell: ({ is_stopped, error }) =>
      is_stopped === true || error !== undefined ? (
        <Status kind={is_stopped === true ? 'warn' : 'fail'}>
          <span title={error === undefined ? undefined : visibleText(error)}>
            {is_stopped === true ? 'stopped' : 'failing'}
            {error === undefined ? '' : `: ${visibleText(error)}`}
          </span>
        </Status>
      ) : (
        <Status kind="ok">reading</Status>
      ),
  },
  {
    ...countColumn<Partition>('lag', 'Behind', 'minmax(6rem, 1fr)', (one) => one.lag_records),
    priority: 5,
  },
  countColumn('next', 'Next offset', 'minmax(8rem, 1fr)', ({ next_offset }) => next_offset),
  countColumn('end', 'End offset', 'minmax(8rem, 1fr)', ({ end_offset }) => end_offset ?? null),
];

function Partitions({ status }: { readonly status: TableStatus | undefined }) {
  const partitions = status?.partitions ?? [];
  const all = status?.topic_partitions_count ?? partitions.length;
  return (
    <Card title={`Partitions of the topic (${formatCount(all)})`}>
      {partitions.length === 0 ? (
        <Empty title="No offsets yet">They appear when an agent reads the topic.</Empty>
      ) : (
        <>
          <DataTable
            label="Partitions"
            columns={columns}
            rows={partitions}
            keyOf={({ partition }) => String(partition)}
          />
          {partitions.length < all && (
            <p className="border-t border-line px-4 py-2 text-xs text-muted">
              The {counted(partitions.length, 'partition')} that are farthest behind.
            </p>
          )}
        </>
      )}
    </Card>
  );
}
