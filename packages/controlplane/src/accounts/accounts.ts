import { everywhere } from './grants.ts';
import { freshId } from './ids.ts';
import { checkedName } from './names.ts';
import { insertRole } from './roles.ts';
import type { AccountRow, Database, DatabaseTransaction } from './schema.ts';
import type { AccountsSurroundings } from './surroundings.ts';
import { insertWorkspace } from './workspaces.ts';

export interface Account {
  /** `ti_…` */
  readonly id: string;
  readonly name: string;
  readonly createdMs: number;
}

/** An account with what every account begins with. */
export interface NewAccount {
  readonly account: Account;
  readonly adminRoleId: string;
  readonly readOnlyRoleId: string;
  readonly workspaceId: string;
}

const firstWorkspaceName = 'Default';

/** Accounts: who owns everything else. Most installations have one. */
export class Accounts {
  readonly #database: Database;
  readonly #surroundings: AccountsSurroundings;

  constructor(database: Database, surroundings: AccountsSurroundings) {
    this.#database = database;
    this.#surroundings = surroundings;
  }

  async list(): Promise<Account[]> {
    const rows = await this.#database
      .selectFrom('weir_accounts')
      .selectAll()
      .orderBy('created_ms')
      .orderBy('id')
      .execute();
    return rows.map(accountOf);
  }

  async get(accountId: string): Promise<Account | undefined> {
    const row = await this.#database
      .selectFrom('weir_accounts')
      .selectAll()
      .where('id', '=', accountId)
      .executeTakeFirst();
    return row === undefined ? undefined : accountOf(row);
  }

  create(name: string): Promise<NewAccount> {
    return this.#database
      .transaction()
      .execute((transaction) => insertAccount(transaction, name, this.#surroundings));
  }
}

function accountOf(row: AccountRow): Account {
  return { id: row.id, name: row.name, createdMs: row.created_ms };
}

/** Makes an account with two roles and a workspace. */
export async function insertAccount(
  transaction: DatabaseTransaction,
  name: string,
  surroundings: AccountsSurroundings,
): Promise<NewAccount> {
  const account: Account = {
    id: freshId('account', surroundings.random),
    name: checkedName('account', name),
    createdMs: surroundings.clock.nowMs(),
  };
  await transaction
    .insertInto('weir_accounts')
    .values({ id: account.id, name, created_ms: account.createdMs, revision: 0 })
    .execute();
  const role = (roleName: string, managedGrantName: 'admin' | 'read_only') =>
    insertRole(
      transaction,
      account.id,
      roleName,
      [{ workspaceId: everywhere, managedGrantName }],
      surroundings,
    );
  const admin = await role('Admin', 'admin');
  const readOnly = await role('Read-only', 'read_only');
  const workspace = await insertWorkspace(transaction, account.id, firstWorkspaceName, surroundings);
  return { account, adminRoleId: admin.id, readOnlyRoleId: readOnly.id, workspaceId: workspace.id };
}
