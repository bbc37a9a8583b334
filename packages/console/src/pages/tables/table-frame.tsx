import { SearchIcon, TrashIcon } from '@primer/octicons-react';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { printLiteral } from '@weir/events';
import { useState } from 'react';
import { counted, formatBytes } from '../../format/format.ts';
import { quotedSqlName } from '../../format/sql-name.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { useFormAction } from '../../ui/actions.ts';
import { buttonClass } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { isMissing, Missing } from '../../ui/missing.tsx';
import { Page, Tabs } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { TableHealth } from './table-health.tsx';
import { type Table, type TableStatus, useTable } from './use-tables.ts';

/** The pages of a table in the order of their tabs. */
const tabs = [
  { label: 'Overview', to: '/clusters/$clusterId/tables/$table' },
  { label: 'Schema', to: '/clusters/$clusterId/tables/$table/schema' },
  { label: 'Snapshots', to: '/clusters/$clusterId/tables/$table/snapshots' },
  { label: 'Files', to: '/clusters/$clusterId/tables/$table/files' },
  { label: 'Failed records', to: '/clusters/$clusterId/tables/$table/failures' },
] as const;

/** What the pages of a table have in common: its name, what it is, and the tabs. */
export function TableFrame() {
  const { clusterId, table: name } = useParams({ from: '/frame/clusters/$clusterId/tables/$table' });
  const described = useTable(name);
  const { data } = described;
  const [isDeleting, setDeleting] = useState(false);
  if (isMissing(described))
    return (
      <Missing
        title="Table not found"
        name={name}
        links={[{ label: 'Tables', link: { to: '/clusters/$clusterId/tables', params: { clusterId } } }]}
      >
        It was deleted or never existed in this cluster. Names are case-sensitive.
      </Missing>
    );
  return (
    <Page
      title={name}
      facts={data && <TableFacts table={data.table} status={data.status} />}
      actions={
        data && (
          <>
            <TextLink
              to="/clusters/$clusterId/events"
              params={{ clusterId }}
              search={{ types: 'tableflow_logs', filter: `data.table_name == ${printLiteral(name)}` }}
              className="text-sm"
            >
              Events
            </TextLink>
            <Link
              to="/clusters/$clusterId/query"
              params={{ clusterId }}
              search={{ sql: sampleOf(name) }}
              className={`${buttonClass('plain')} px-3`}
            >
              <SearchIcon aria-hidden="true" />
              Query
            </Link>
            <ChangeButton icon={TrashIcon} onClick={() => setDeleting(true)}>
              Delete
            </ChangeButton>
          </>
        )
      }
    >
      <Answer of={described} what={`describe the table ${visibleText(name)}`}>
        {() => (
          <>
            <Tabs
              tabs={tabs.map(({ label, to }) => ({
                label,
                link: { to, params: { clusterId, table: name } },
              }))}
            />
            <Outlet />
          </>
        )}
      </Answer>
      {isDeleting && data && (
        <DeleteTable table={data.table} status={data.status} onClose={() => setDeleting(false)} />
      )}
    </Page>
  );
}

interface TableProps {
  readonly table: Omit<Table, 'status'>;
  readonly status: TableStatus | undefined;
}

function TableFacts({ table, status }: TableProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <TableHealth status={status} />·
      <span>
        from topic <bdi>{visibleText(table.source_stream_name)}</bdi> of{' '}
        <bdi>{visibleText(table.source_cluster_name)}</bdi>
      </span>
      ·<span>{counted(status?.rows ?? table.stats_estimated_row_count, 'row')}</span>·
      <span>{formatBytes(status?.bytes ?? table.stats_estimated_byte_count)}</span>
      <CopyableId text={table.table_uuid} what="the UUID of the table" />
    </span>
  );
}

interface DeleteTableProps extends TableProps {
  readonly onClose: () => void;
}

function DeleteTable({ table, status, onClose }: DeleteTableProps) {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/tables/$table' });
  const navigate = useNavigate();
  const deletion = useFormAction(
    'dl/delete_table',
    () => void navigate({ to: '/clusters/$clusterId/tables', params: { clusterId } }),
  );
  const name = table.table_name;
  const isConfigured = !(status?.health.reasons ?? []).includes('not_configured');
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete table ${name}?`}
      button={`Delete ${name}`}
      nameToType={name}
      action={deletion}
      onConfirm={() =>
        deletion.run(
          { virtual_cluster_id: clusterId, table_uuid: table.table_uuid },
          `Deleted ${visibleText(name)}`,
        )
      }
    >
      <p>Its rows, its snapshots and its kept records are deleted from the bucket. It cannot be undone.</p>
      {isConfigured && (
        <p className="font-medium">
          A pipeline still names the table: while the pipeline runs, the table is made again, empty, and takes
          the records that the topic still has. To be rid of it, remove it from the configuration first.
        </p>
      )}
    </ConfirmDialog>
  );
}

/** A first look at the rows. */
function sampleOf(name: string): string {
  return `SELECT *\nFROM ${quotedSqlName(name)}\nLIMIT 100`;
}
