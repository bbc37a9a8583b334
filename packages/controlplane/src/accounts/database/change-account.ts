import { notFound } from '../common/not-found.ts';
import type { Database, DatabaseTransaction } from './schema.ts';

/**
 * Changes something of an account. Changes of one account come one after the other, in whatever process: each begins by
 * writing the row of its account, on which the next waits. So a rule that needs more than a row (an account has an
 * administrator, a workspace without clusters) is checked by reading, and holds.
 */
export function changeAccount<Result>(
  database: Database,
  accountId: string,
  change: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  return database.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('weir_accounts')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .where('id', '=', accountId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw notFound('account');
    return change(transaction);
  });
}
