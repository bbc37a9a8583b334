import { useNavigate } from '@tanstack/react-router';
import { useClusterId } from '../../api/use-cluster.ts';
import { formatCount } from '../../format/format.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { tableColumns } from './table-columns.tsx';
import { useTables } from './use-tables.ts';

/** The tables that a pipeline writes, or wrote last. */
export function TablesOfPipeline({ pipelineId }: { readonly pipelineId: string }) {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  const listed = useTables();
  const tables = listed.data?.tables.filter(({ pipeline_id }) => pipeline_id === pipelineId) ?? [];
  return (
    <Card title={`Tables (${formatCount(tables.length)})`}>
      <Answer of={listed} what="list the tables">
        {() =>
          tables.length === 0 ? (
            <Empty title="No tables yet">They appear when the pipeline is deployed and started.</Empty>
          ) : (
            <DataTable
              label="Tables"
              columns={tableColumns}
              rows={tables}
              keyOf={({ table_uuid }) => table_uuid}
              onOpen={({ table_name: table }) =>
                void navigate({ to: '/clusters/$clusterId/tables/$table', params: { clusterId, table } })
              }
            />
          )
        }
      </Answer>
    </Card>
  );
}
