import { useParams, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { useMetrics, valuesOf } from '../../api/use-metrics.ts';
import { formatBytes, formatCount, formatShort } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { type ChartRange, secondsOf, wordsOf } from '../../ui/chart-range.ts';
import { countColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { MetricChart } from '../../ui/metric-chart.tsx';
import { Card } from '../../ui/page.tsx';
import { RangedCharts } from '../../ui/range-picker.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { ObjectDiagnostics } from '../diagnostics/object-diagnostics.tsx';
import { TablesOfPipeline } from '../tables/tables-of-pipeline.tsx';
import type { Pipeline } from './state.tsx';

const path = '/frame/clusters/$clusterId/pipelines/$pipelineId/activity';

type Instance = NonNullable<
  NonNullable<OutputOf<'describe_pipeline'>['pipeline_overview']['run']>['instances']
>[number];

/** What a pipeline reads and writes, instance by instance, and what went wrong. */
export function PipelineActivity() {
  const { pipelineId } = useParams({ from: path });
  const described = useClusterOperation('describe_pipeline', { pipeline_id: pipelineId }, { everyMs: 5_000 });
  return (
    <Answer of={described} what="describe the pipeline">
      {({ pipeline_overview }) => (
        <div className="flex flex-col gap-4">
          <ObjectDiagnostics of={{ kind: 'pipeline', name: pipeline_overview.name }} />
          {pipeline_overview.type === 'data_lake' ? (
            <TablesOfPipeline pipelineId={pipelineId} />
          ) : (
            <>
              <Charts pipelineId={pipelineId} />
              <Instances pipeline={pipeline_overview} />
              <Errors pipeline={pipeline_overview} />
            </>
          )}
        </div>
      )}
    </Answer>
  );
}

function Charts({ pipelineId }: { readonly pipelineId: string }) {
  const { range = '1h' }: { range?: ChartRange | undefined } = useSearch({ from: path });
  const rates = useMetrics({
    pipeline: pipelineId,
    range_seconds: secondsOf(range),
    metrics: [
      'in_records_per_second',
      'out_records_per_second',
      'in_bytes_per_second',
      'out_bytes_per_second',
    ],
  });
  const nothing = `No samples in the ${wordsOf(range)}. While the pipeline runs, there is one every ten seconds.`;
  return (
    <RangedCharts range={range}>
      <MetricChart
        title={`Messages per second, ${wordsOf(range)}`}
        of={rates}
        format={formatShort}
        nothing={nothing}
        pick={(data) => [
          { label: 'read', values: valuesOf(data, 'in_records_per_second') },
          { label: 'written', values: valuesOf(data, 'out_records_per_second') },
        ]}
      />
      <MetricChart
        title={`Bytes per second, ${wordsOf(range)}`}
        of={rates}
        format={formatBytes}
        unit="bytes"
        nothing={nothing}
        pick={(data) => [
          { label: 'read', values: valuesOf(data, 'in_bytes_per_second') },
          { label: 'written', values: valuesOf(data, 'out_bytes_per_second') },
        ]}
      />
    </RangedCharts>
  );
}

function Instances({ pipeline }: { readonly pipeline: Pipeline }) {
  const instances = pipeline.run?.instances ?? [];
  return (
    <Card title={`Instances (${formatCount(instances.length)})`}>
      {instances.length === 0 ? (
        <Empty title="No instances">
          {pipeline.state === 'paused'
            ? 'A paused pipeline has none. Start it to run its deployed configuration.'
            : 'None was started yet.'}
        </Empty>
      ) : (
        <DataTable
          label="Instances"
          columns={columns}
          rows={instances}
          keyOf={({ instance }) => String(instance)}
        />
      )}
    </Card>
  );
}

const kinds: Readonly<Record<Instance['status'], 'ok' | 'info' | 'fail' | 'muted'>> = {
  running: 'ok',
  waiting: 'info',
  error: 'fail',
  done: 'muted',
};

const rates = (messages: number, bytes: number) => `${formatShort(messages)}/s · ${formatBytes(bytes)}/s`;

const columns: readonly Column<Instance>[] = [
  { id: 'instance', title: 'Instance', width: '6rem', cell: ({ instance }) => String(instance) },
  {
    id: 'status',
    title: 'Status',
    width: '8rem',
    cell: ({ status }) => <Status kind={kinds[status]}>{status === 'error' ? 'failing' : status}</Status>,
  },
  {
    id: 'read',
    title: 'Reads',
    width: 'minmax(10rem, 1fr)',
    priority: 2,
    cell: (one) => rates(one.received_messages_per_second, one.received_bytes_per_second),
  },
  {
    id: 'written',
    title: 'Writes',
    width: 'minmax(10rem, 1fr)',
    cell: (one) => rates(one.messages_per_second, one.bytes_per_second),
  },
  {
    id: 'agent',
    title: 'Agent',
    width: 'minmax(9rem, 1fr)',
    priority: 4,
    cell: ({ agent_id }) => (agent_id === undefined ? 'none' : <AgentLink agentId={agent_id} />),
  },
  countColumn('failed', 'Failed messages', 'minmax(8rem, 1fr)', ({ failed_count }) => failed_count),
  countColumn('restarts', 'Failures in a row', 'minmax(8rem, 1fr)', ({ restart_count }) => restart_count),
];

/** What failed last and where, instance by instance, with the way to the matching events. */
function Errors({ pipeline }: { readonly pipeline: Pipeline }) {
  const failed = (pipeline.run?.instances ?? []).filter(({ message, status }) => {
    return message !== '' && status !== 'done';
  });
  if (failed.length === 0) return null;
  return (
    <Card title="Last errors">
      <ul aria-label="Last errors" className="divide-y divide-line">
        {failed.map((one) => (
          <li
            key={one.instance}
            className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2 text-sm text-body"
          >
            <span className="w-24 shrink-0">Instance {one.instance}</span>
            <div className="min-w-0 flex-1 basis-60 break-words">
              {visibleText(one.message)}
              <p className="text-xs text-muted">
                {placeOf(one)}
                {one.error_at !== undefined && <Time of={one.error_at} isAgo />}
              </p>
            </div>
            <EventsLink pipelineId={pipeline.id} of={one} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function placeOf({ error_stage: stage, error_line: line, error_column: column }: Instance): string {
  if (stage === undefined) return '';
  return `${visibleText(stage)}${line === undefined ? '' : ` (line ${line}, column ${column})`} · `;
}

function EventsLink({ pipelineId, of: one }: { readonly pipelineId: string; readonly of: Instance }) {
  const { clusterId } = useParams({ from: path });
  const filter = [
    'data.log_level in ["error", "warn"]',
    ...(one.error_stage === undefined ? [] : [`data.stage == ${JSON.stringify(one.error_stage)}`]),
  ].join(' and ');
  return (
    <TextLink
      to="/clusters/$clusterId/pipelines/$pipelineId/logs"
      params={{ clusterId, pipelineId }}
      search={{ filter, relative: '24h' }}
    >
      Events
    </TextLink>
  );
}
