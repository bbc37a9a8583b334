import { useParams } from '@tanstack/react-router';
import { useClusterOperation } from '../../../api/use-cluster.ts';
import { useTable } from '../use-tables.ts';

/** The table of the page. Its frame has read it, so that the answer is there at once. */
export function useTableOfPage() {
  const { table = '' } = useParams({ strict: false });
  const uuid = useTable(table).data?.table.table_uuid;
  return { name: table, uuid };
}

/** What is in the metadata of the table, which an agent reads from the bucket. */
export function useDescribed() {
  const { uuid } = useTableOfPage();
  return useClusterOperation(
    'dl/describe_table',
    { table_uuid: uuid ?? '' },
    { everyMs: 30_000, isEnabled: uuid !== undefined },
  );
}
