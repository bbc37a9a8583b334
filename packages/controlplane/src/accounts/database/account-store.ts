import type { AccountsDeps } from '../common/deps.ts';
import { notFound } from '../common/not-found.ts';
import type { Database, DatabaseTransaction } from './schema.ts';

/** What the stores of objects of accounts have in common. */
export abstract class AccountStore {
  protected readonly database: Database;
  protected readonly deps: AccountsDeps;

  constructor(database: Database, deps: AccountsDeps) {
    this.database = database;
    this.deps = deps;
  }

  /**
   * Runs a change of an account. Changes of one account are serialized across processes: each begins by writing the row
   * of its account, and the next waits for that row lock. So a rule that spans rows (an account has an administrator,
   * only a workspace without clusters is deleted) can be checked by reading.
   */
  protected changeAccount<Result>(
    accountId: string,
    change: (transaction: DatabaseTransaction) => Promise<Result>,
  ): Promise<Result> {
    return this.database.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('weir_accounts')
        .set((row) => ({ revision: row('revision', '+', 1) }))
        .where('id', '=', accountId)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw notFound('account');
      return change(transaction);
    });
  }
}
