import { useParams } from '@tanstack/react-router';
import { useAction } from '../../api/use-operation.ts';
import { counted, formatBytes, formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { countColumn, nameColumn, textColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Card } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Status, type StatusKind } from '../../ui/status.tsx';
import type { Preflight as Found } from './use-migration.ts';

/** Asks the source, and shows what would become of everything. */
export function MigrationPreflight() {
  const { clusterId, pipelineId } = useParams({
    from: '/frame/clusters/$clusterId/pipelines/$pipelineId/preflight',
  });
  const { mutate, data, error, isPending } = useAction('orbit/preflight');
  const run = () => mutate({ virtual_cluster_id: clusterId, pipeline_id: pipelineId });
  const button = (
    <ChangeButton kind="primary" disabled={isPending} onClick={run}>
      {data === undefined ? 'Run preflight' : 'Run again'}
    </ChangeButton>
  );
  if (isPending) return <Skeleton />;
  if (error !== null) return <Failure what="ask the source" error={error} onRetry={run} />;
  if (data === undefined)
    return (
      <Empty title="What will happen to each topic, config, ACL and group" action={button}>
        An agent logs in at the source, reads what is there, and changes nothing.
      </Empty>
    );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <span className="flex-1">
          <Status kind={data.is_ready ? 'ok' : 'fail'}>
            {data.is_ready ? 'The migration can start' : 'Something stands in the way'}
          </Status>
        </span>
        {button}
      </div>
      <Result found={data} />
    </div>
  );
}

function Result({ found }: { readonly found: Found }) {
  const { totals, source, findings, topics, groups, acls, cluster_configs, rows_left_out } = found;
  const configs = [
    ...topics.flatMap(({ source_topic: owner, configs: own }) => own.map((config) => ({ owner, ...config }))),
    ...cluster_configs.map((config) => ({ owner: 'the cluster', ...config })),
  ];
  return (
    <>
      <Facts
        facts={[
          ['Brokers', formatCount(source.broker_count)],
          ['Topics', formatCount(totals.topics)],
          ['Partitions', formatCount(totals.partitions)],
          ['Offsets', formatCount(totals.offsets)],
          ['Size', totals.bytes === undefined ? '–' : formatBytes(totals.bytes)],
        ]}
      />
      {findings.length > 0 && (
        <Card title={`To know (${formatCount(findings.length)})`}>
          <ul aria-label="Findings" className="divide-y divide-line">
            {findings.map(({ severity, subject, message }) => (
              <li key={`${severity} ${subject} ${message}`} className="px-4 py-2 text-sm break-words">
                <Status kind={severityKinds[severity]} wraps>
                  <bdi className="font-medium">{visibleText(subject)}</bdi>: {visibleText(message)}
                </Status>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Part title="Topics" rows={topics} columns={topicColumns} keyOf={({ source_topic }) => source_topic} />
      <Part
        title="Configs that differ"
        rows={configs}
        columns={configColumns}
        keyOf={({ owner, name }) => `${owner} ${name}`}
      />
      <Part title="Groups" rows={groups} columns={groupColumns} keyOf={({ group_id }) => group_id} />
      <Part title="ACLs" rows={acls} columns={aclColumns} keyOf={({ acl }) => acl} />
      {rows_left_out > 0 && (
        <p className="text-xs text-muted">{counted(rows_left_out, 'row')} are not shown.</p>
      )}
    </>
  );
}

interface PartProps<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
}

function Part<Row>({ title, rows, columns, keyOf }: PartProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <Card title={`${title} (${formatCount(rows.length)})`}>
      <DataTable label={title} columns={columns} rows={rows} keyOf={keyOf} heightClass="max-h-[50vh]" />
    </Card>
  );
}

const severityKinds: Readonly<Record<Found['findings'][number]['severity'], StatusKind>> = {
  blocking: 'fail',
  warning: 'warn',
  note: 'info',
};

type Fate =
  | Found['topics'][number]['fate']
  | Found['groups'][number]['fate']
  | Found['cluster_configs'][number]['fate'];

const fateKinds: Readonly<Record<Fate, StatusKind>> = {
  created: 'ok',
  continued: 'ok',
  copied: 'ok',
  refused: 'fail',
  waits: 'warn',
  without_effect: 'info',
  left_out: 'muted',
  not_selected: 'muted',
};

function fateColumn<Row extends { readonly fate: Fate }>(): Column<Row> {
  return {
    id: 'fate',
    title: 'What happens',
    width: 'minmax(8rem, 1fr)',
    sortBy: ({ fate }) => fate,
    cell: ({ fate }) => <Status kind={fateKinds[fate]}>{fate.replaceAll('_', ' ')}</Status>,
  };
}

function reasonColumn<Row extends { readonly reason?: string | undefined }>(): Column<Row> {
  return {
    id: 'reason',
    title: 'Why',
    width: 'minmax(12rem, 3fr)',
    priority: 3,
    cell: ({ reason = '' }) => <span title={visibleText(reason)}>{visibleText(reason)}</span>,
  };
}

const topicColumns: readonly Column<Found['topics'][number]>[] = [
  nameColumn('source', 'Topic', 'minmax(10rem, 2fr)', ({ source_topic }) => source_topic),
  textColumn('here', 'Here', 'minmax(10rem, 2fr)', ({ topic = '–' }) => visibleText(topic)),
  fateColumn(),
  countColumn('partitions', 'Partitions', 'minmax(6rem, 1fr)', ({ partition_count }) => partition_count),
  countColumn('offsets', 'Offsets', 'minmax(7rem, 1fr)', ({ offsets }) => offsets),
  reasonColumn(),
];

const configColumns: readonly Column<Found['cluster_configs'][number] & { readonly owner: string }>[] = [
  nameColumn('owner', 'Of', 'minmax(9rem, 1fr)', ({ owner }) => owner),
  textColumn('name', 'Config', 'minmax(10rem, 2fr)', ({ name }) => visibleText(name)),
  textColumn('value', 'Value', 'minmax(8rem, 1fr)', ({ value }) => visibleText(value)),
  fateColumn(),
  reasonColumn(),
];

const groupColumns: readonly Column<Found['groups'][number]>[] = [
  nameColumn('group', 'Group', 'minmax(10rem, 2fr)', ({ group_id }) => group_id),
  textColumn('here', 'Here', 'minmax(10rem, 2fr)', ({ destination }) => visibleText(destination)),
  fateColumn(),
  countColumn('partitions', 'Partitions', 'minmax(6rem, 1fr)', ({ partition_count }) => partition_count),
  reasonColumn(),
];

const aclColumns: readonly Column<Found['acls'][number]>[] = [
  nameColumn('acl', 'ACL', 'minmax(16rem, 3fr)', ({ acl }) => acl),
  countColumn('created', 'Created here', 'minmax(7rem, 1fr)', ({ created }) => created.length),
  textColumn('note', 'Note', 'minmax(12rem, 2fr)', ({ note = '' }) => visibleText(note)),
];
