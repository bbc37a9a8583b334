import { PlusIcon } from '@primer/octicons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { counted } from '../../format/format.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Freshness } from '../../ui/freshness.tsx';
import { ListTable } from '../../ui/list-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { tableColumns } from './table-columns.tsx';
import { lagText, worstLagSeconds } from './table-words.ts';
import { useTables } from './use-tables.ts';

/** The tables of a data lake cluster. */
export function Tables() {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  const listed = useTables();
  const tables = listed.data?.tables;
  const worst = useMemo(() => worstLagSeconds(tables ?? []), [tables]);
  return (
    <Page
      title="Tables"
      facts={
        tables && (
          <>
            {counted(tables.length, 'table')}
            {worst !== null && ` · largest lag ${lagText(worst)}`}
          </>
        )
      }
      actions={<Freshness of={listed} />}
    >
      <ListTable
        label="Tables"
        of={listed}
        what="list the tables"
        rowsOf={(answer) => answer.tables}
        filter={{
          label: 'Filter tables by name or topic',
          noun: 'table',
          textOf: ({ table_name, source_stream_name }) => `${table_name} ${source_stream_name}`,
        }}
        columns={tableColumns}
        keyOf={({ table_uuid }) => table_uuid}
        sort="name"
        onOpen={({ table_name: table }) =>
          void navigate({ to: '/clusters/$clusterId/tables/$table', params: { clusterId, table } })
        }
      >
        <Empty title="No tables yet" action={<NewPipelineLink clusterId={clusterId} />}>
          A pipeline writes topics to Apache Iceberg tables in your bucket. A table appears here when a
          pipeline that names its topic is deployed and started.
        </Empty>
      </ListTable>
    </Page>
  );
}

function NewPipelineLink({ clusterId }: { readonly clusterId: string }) {
  return (
    <Link
      to="/clusters/$clusterId/pipelines"
      params={{ clusterId }}
      search={{ show: 'create' }}
      className={`${buttonClass('primary')} px-3`}
    >
      <PlusIcon aria-hidden="true" />
      Create pipeline
    </Link>
  );
}
