import { countUp } from '../database/counters.ts';
import type { DatabaseTransaction } from '../database/schema.ts';

/** Revokes keys that grant access only to this workspace, or to a cluster of it. */
export async function revokeKeysOfWorkspace(
  transaction: DatabaseTransaction,
  accountId: string,
  workspaceId: string,
): Promise<void> {
  await transaction.deleteFrom('weir_api_key_grants').where('workspace_id', '=', workspaceId).execute();
  await revokeKeysWithoutGrants(transaction, accountId);
}

export async function revokeKeysOfCluster(
  transaction: DatabaseTransaction,
  accountId: string,
  clusterId: string,
): Promise<void> {
  await transaction.deleteFrom('weir_api_key_grants').where('resource_id', '=', clusterId).execute();
  await revokeKeysWithoutGrants(transaction, accountId);
}

async function revokeKeysWithoutGrants(transaction: DatabaseTransaction, accountId: string): Promise<void> {
  await transaction
    .deleteFrom('weir_api_keys')
    .where('account_id', '=', accountId)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('weir_api_key_grants as grants')
            .select('grants.key_id')
            .whereRef('grants.key_id', '=', 'weir_api_keys.id'),
        ),
      ),
    )
    .execute();
  // Grants of the remaining keys have changed as well.
  await countUp(transaction, 'revocations');
}
