import type { Client, OutputOf } from '@weir/api';
import { Failure, nearestName } from '@weir/core';
import { orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';

const lakePrefix = 'vci_dl_';

/** The id of the data lake cluster that was named; without a name, the only one that the key can see. */
export async function lakeId(client: Client, named: string | undefined): Promise<string> {
  if (named !== undefined) return clusterId(client, named);
  const { virtual_clusters: clusters } = await orFailure(client.call('list_virtual_clusters', {}));
  const lakes = clusters.filter(({ id }) => id.startsWith(lakePrefix));
  const [only, ...others] = lakes;
  if (only === undefined)
    throw new Failure('the key has access to no data lake cluster; only these have tables');
  if (others.length === 0) return only.id;
  const all = lakes.map(({ id, name }) => `${name} (${id})`).join(', ');
  throw new Failure(
    `the key has access to ${lakes.length} data lake clusters; choose one with -cluster: ${all}`,
  );
}

type Table = OutputOf<'dl/list_tables'>['tables'][number];

/** The table that was named, by name or UUID. */
export async function namedTable(client: Client, clusterId: string, named: string): Promise<Table> {
  const { tables } = await orFailure(client.call('dl/list_tables', { virtual_cluster_id: clusterId }));
  const found = tables.find(({ table_name, table_uuid }) => table_name === named || table_uuid === named);
  if (found !== undefined) return found;
  const near = nearestName(
    named,
    tables.map(({ table_name }) => table_name),
  );
  throw new Failure(
    `-table ${named}: not found${near === undefined ? '; see weir cli tables list' : `; did you mean ${near}?`}`,
  );
}
