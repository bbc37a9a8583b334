import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { controlPlaneLimits } from '../../limits.ts';
import type { AccountsDeps } from '../common/deps.ts';
import { freshId } from '../common/ids.ts';
import { checkedName } from '../common/names.ts';
import { notFound } from '../common/not-found.ts';
import { AccountStore } from '../database/account-store.ts';
import { roleTable, userTable, workspaceTable } from '../database/account-table.ts';
import type { DatabaseTransaction, RoleGrantRow } from '../database/schema.ts';
import { everywhere, type RoleGrant } from './grants.ts';

export interface Role {
  /** `pri_…` */
  readonly id: string;
  readonly name: string;
  readonly grants: readonly RoleGrant[];
  readonly createdMs: number;
}

/** Roles of an account: named lists of grants for users. An account always has a user with all permissions. */
export class Roles extends AccountStore {
  async list(accountId: string): Promise<Role[]> {
    const roles = await roleTable.list(this.database, accountId);
    const grants = await this.database
      .selectFrom('weir_role_grants as grants')
      .innerJoin('weir_roles as roles', 'roles.id', 'grants.role_id')
      .selectAll('grants')
      .where('roles.account_id', '=', accountId)
      .orderBy('grants.workspace_id')
      .orderBy('grants.managed_grant_name')
      .execute();
    const ofRole = Map.groupBy(grants, (grant) => grant.role_id);
    return roles.map((row) => ({
      id: row.id,
      name: row.name,
      grants: (ofRole.get(row.id) ?? []).map(grantOf),
      createdMs: row.created_ms,
    }));
  }

  create(accountId: string, name: string, grants: readonly RoleGrant[]): Promise<Role> {
    return this.changeAccount(accountId, (transaction) =>
      insertRole(transaction, accountId, name, grants, this.deps),
    );
  }

  async update(accountId: string, roleId: string, name: string, grants: readonly RoleGrant[]): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      checkedName('role', name);
      await roleTable.requireFreeName(transaction, accountId, { name, what: 'role', ownId: roleId });
      await roleTable.require(transaction, accountId, roleId);
      await transaction.updateTable('weir_roles').set({ name }).where('id', '=', roleId).execute();
      await transaction.deleteFrom('weir_role_grants').where('role_id', '=', roleId).execute();
      await insertGrants(transaction, accountId, roleId, grants);
      await requireAdministrator(transaction, accountId);
    });
  }

  /** Only a role without users. Invitations to it become void. */
  async delete(accountId: string, roleId: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await refuseHeld(transaction, accountId, roleId);
      await roleTable.delete(transaction, accountId, roleId);
    });
  }

  /** Adds roles to a user and removes others; the rest is unchanged. */
  async changeOfUser(
    accountId: string,
    userId: string,
    change: { readonly assigned?: readonly string[]; readonly unassigned?: readonly string[] },
  ): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await userTable.require(transaction, accountId, userId);
      const assigned = await rolesOfAccount(transaction, accountId, change.assigned ?? []);
      const unassigned = await rolesOfAccount(transaction, accountId, change.unassigned ?? []);
      if (unassigned.length > 0)
        await transaction
          .deleteFrom('weir_user_roles')
          .where('user_id', '=', userId)
          .where('role_id', 'in', unassigned)
          .execute();
      await assignRoles(transaction, userId, assigned);
      await refuseTooMany(transaction, userId);
      await requireAdministrator(transaction, accountId);
    });
  }
}

async function refuseHeld(
  transaction: DatabaseTransaction,
  accountId: string,
  roleId: string,
): Promise<void> {
  const holder = await transaction
    .selectFrom('weir_user_roles as held')
    .innerJoin('weir_roles as roles', 'roles.id', 'held.role_id')
    .select('held.user_id')
    .where('roles.account_id', '=', accountId)
    .where('roles.id', '=', roleId)
    .limit(1)
    .executeTakeFirst();
  if (holder !== undefined)
    throw new ApiError('role_in_use', 'The role is in use. Remove it from all users first.');
  const connection = await transaction
    .selectFrom('weir_sso_connections')
    .select('id')
    .where('account_id', '=', accountId)
    .where('default_role_id', '=', roleId)
    .executeTakeFirst();
  if (connection !== undefined)
    throw new ApiError(
      'role_in_use',
      'The role is the default role of single sign-on; choose another default first.',
    );
}

async function refuseTooMany(transaction: DatabaseTransaction, userId: string): Promise<void> {
  const { count } = await transaction
    .selectFrom('weir_user_roles')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (count > controlPlaneLimits.rolesPerUserMax)
    throw new ApiError('limit_exceeded', `A user has at most ${controlPlaneLimits.rolesPerUserMax} roles.`);
}

function grantOf(row: RoleGrantRow): RoleGrant {
  return { workspaceId: row.workspace_id, managedGrantName: row.managed_grant_name };
}

export async function insertRole(
  transaction: DatabaseTransaction,
  accountId: string,
  name: string,
  grants: readonly RoleGrant[],
  { clock, random }: AccountsDeps,
  id = freshId('userRole', random),
): Promise<Role> {
  await roleTable.requireRoom(transaction, accountId, apiLimits.userRolesMax, 'roles');
  checkedName('role', name);
  await roleTable.requireFreeName(transaction, accountId, { name, what: 'role' });
  const role: Role = {
    id,
    name,
    grants,
    createdMs: clock.nowMs(),
  };
  await transaction
    .insertInto('weir_roles')
    .values({ id: role.id, account_id: accountId, name, created_ms: role.createdMs })
    .execute();
  await insertGrants(transaction, accountId, role.id, grants);
  return role;
}

async function insertGrants(
  transaction: DatabaseTransaction,
  accountId: string,
  roleId: string,
  grants: readonly RoleGrant[],
): Promise<void> {
  if (grants.length > apiLimits.accessGrantsMax)
    throw new ApiError('invalid_request', `A role has at most ${apiLimits.accessGrantsMax} grants.`);
  const workspaces = await workspaceTable.list(transaction, accountId);
  const known = new Set([everywhere, ...workspaces.map(({ id }) => id)]);
  if (grants.some(({ workspaceId }) => !known.has(workspaceId))) throw notFound('workspace');
  for (const { workspaceId, managedGrantName } of grants) {
    const row = { role_id: roleId, workspace_id: workspaceId, managed_grant_name: managedGrantName };
    await transaction
      .insertInto('weir_role_grants')
      .values(row)
      .onConflict((same) => same.doNothing())
      .execute();
  }
}

/** Returns the ids, if all of them are roles of the account. */
export async function rolesOfAccount(
  transaction: DatabaseTransaction,
  accountId: string,
  roleIds: readonly string[],
): Promise<readonly string[]> {
  if (roleIds.length === 0) return [];
  const roles = await roleTable.list(transaction, accountId);
  const known = new Set(roles.map(({ id }) => id));
  if (roleIds.some((id) => !known.has(id))) throw notFound('user role');
  return roleIds;
}

export async function assignRoles(
  transaction: DatabaseTransaction,
  userId: string,
  roleIds: readonly string[],
): Promise<void> {
  for (const roleId of roleIds)
    await transaction
      .insertInto('weir_user_roles')
      .values({ user_id: userId, role_id: roleId })
      .onConflict((same) => same.doNothing())
      .execute();
}

/** Without a user who is admin everywhere, permissions could never be granted again. */
export async function requireAdministrator(
  transaction: DatabaseTransaction,
  accountId: string,
): Promise<void> {
  if (!(await hasAdministrator(transaction, accountId)))
    throw new ApiError(
      'last_admin',
      'At least one user who can sign in must stay administrator of all workspaces.',
    );
}

/**
 * A user of an identity provider, without a password, counts while there is a connection to sign in with. The user of a
 * single-user process has neither and always counts.
 */
export async function hasAdministrator(
  transaction: DatabaseTransaction,
  accountId: string,
): Promise<boolean> {
  const administrator = await transaction
    .selectFrom('weir_users as users')
    .innerJoin('weir_user_roles as held', 'held.user_id', 'users.id')
    .innerJoin('weir_role_grants as grants', 'grants.role_id', 'held.role_id')
    .select('users.id')
    .where('users.account_id', '=', accountId)
    .where('grants.workspace_id', '=', everywhere)
    .where('grants.managed_grant_name', '=', 'admin')
    .where((row) =>
      row.or([
        row('users.password_hash', 'is not', null),
        row.exists(
          row
            .selectFrom('weir_sso_connections as connections')
            .select('connections.id')
            .where('connections.account_id', '=', accountId),
        ),
        row.not(
          row.exists(
            row
              .selectFrom('weir_user_identities as identities')
              .select('identities.subject')
              .whereRef('identities.user_id', '=', 'users.id')
              .where('identities.issuer', 'like', 'http%'),
          ),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return administrator !== undefined;
}
