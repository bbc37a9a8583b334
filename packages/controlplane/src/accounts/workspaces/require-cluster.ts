import { notFound } from '../common/not-found.ts';
import type { DatabaseTransaction, VirtualClusterRow } from '../database/schema.ts';

/** Returns a cluster of the account that is not deleted. */
export async function requireCluster(
  transaction: DatabaseTransaction,
  accountId: string,
  clusterId: string,
): Promise<VirtualClusterRow> {
  const row = await transaction
    .selectFrom('weir_virtual_clusters')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', clusterId)
    .where('deleted_ms', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw notFound('virtual cluster');
  return row;
}
