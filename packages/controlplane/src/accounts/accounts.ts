import { everywhere, type RoleGrant } from './access/grants.ts';
import { insertRole } from './access/roles.ts';
import type { AccountsDeps } from './common/deps.ts';
import { freshId } from './common/ids.ts';
import { checkedName } from './common/names.ts';
import { AccountStore } from './database/account-store.ts';
import type { AccountRow, DatabaseTransaction } from './database/schema.ts';
import { insertWorkspace } from './workspaces/workspaces.ts';

export interface Account {
  /** `ti_…` */
  readonly id: string;
  readonly name: string;
  readonly createdMs: number;
}

/** An account with its initial objects. */
export interface NewAccount {
  readonly account: Account;
  readonly adminRoleId: string;
  readonly readOnlyRoleId: string;
  readonly workspaceId: string;
}

const firstWorkspaceName = 'Default';

/** Accounts, which own everything else. Most installations have one. */
export class Accounts extends AccountStore {
  async list(): Promise<Account[]> {
    const rows = await this.database
      .selectFrom('weir_accounts')
      .selectAll()
      .orderBy('created_ms')
      .orderBy('id')
      .execute();
    return rows.map(accountOf);
  }

  async get(accountId: string): Promise<Account | undefined> {
    const row = await this.database
      .selectFrom('weir_accounts')
      .selectAll()
      .where('id', '=', accountId)
      .executeTakeFirst();
    return row === undefined ? undefined : accountOf(row);
  }

  create(name: string): Promise<NewAccount> {
    return this.database.transaction().execute((transaction) => insertAccount(transaction, name, this.deps));
  }
}

function accountOf(row: AccountRow): Account {
  return { id: row.id, name: row.name, createdMs: row.created_ms };
}

/** Creates an account with three roles and a workspace. */
export async function insertAccount(
  transaction: DatabaseTransaction,
  name: string,
  deps: AccountsDeps,
): Promise<NewAccount> {
  const account: Account = {
    id: freshId('account', deps.random),
    name: checkedName('account', name),
    createdMs: deps.clock.nowMs(),
  };
  await transaction
    .insertInto('weir_accounts')
    .values({ id: account.id, name, created_ms: account.createdMs, revision: 0 })
    .execute();
  const role = (roleName: string, managedGrantName: 'admin' | 'read_only') =>
    insertRole(transaction, account.id, roleName, [{ workspaceId: everywhere, managedGrantName }], deps);
  const admin = await role('Admin', 'admin');
  const recordsReader = [{ workspaceId: everywhere, managedGrantName: 'read_records' as const }];
  // Earlier accounts got the role by a migration, which derives its id in the same way.
  const readerId = account.id.replace(/^ti_/, 'pri_');
  await insertRole(transaction, account.id, 'Records reader', recordsReader, deps, readerId);
  const readOnly = await role('Read-only', 'read_only');
  const workspace = await insertWorkspace(transaction, account.id, firstWorkspaceName, deps);
  return { account, adminRoleId: admin.id, readOnlyRoleId: readOnly.id, workspaceId: workspace.id };
}

/**
 * Returns the oldest account with its first workspace and roles, as `insertAccount` created them. Only a user can have
 * changed them.
 */
export async function foundedAccount(transaction: DatabaseTransaction): Promise<NewAccount | undefined> {
  const row = await transaction
    .selectFrom('weir_accounts')
    .selectAll()
    .orderBy('created_ms')
    .orderBy('id')
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const workspace = await transaction
    .selectFrom('weir_workspaces')
    .select('id')
    .where('account_id', '=', row.id)
    .orderBy('created_ms')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const roleOf = async (grantName: RoleGrant['managedGrantName']) => {
    const { id } = await transaction
      .selectFrom('weir_roles as roles')
      .innerJoin('weir_role_grants as grants', 'grants.role_id', 'roles.id')
      .select('roles.id')
      .where('roles.account_id', '=', row.id)
      .where('grants.workspace_id', '=', everywhere)
      .where('grants.managed_grant_name', '=', grantName)
      .orderBy('roles.created_ms')
      .executeTakeFirstOrThrow();
    return id;
  };
  return {
    account: accountOf(row),
    adminRoleId: await roleOf('admin'),
    readOnlyRoleId: await roleOf('read_only'),
    workspaceId: workspace.id,
  };
}

export async function renameAccount(
  transaction: DatabaseTransaction,
  account: Account,
  newName: string,
): Promise<Account> {
  const name = checkedName('account', newName);
  await transaction.updateTable('weir_accounts').set({ name }).where('id', '=', account.id).execute();
  return { ...account, name };
}
