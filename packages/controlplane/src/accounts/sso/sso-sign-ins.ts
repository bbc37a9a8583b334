import { ApiError } from '@weir/api';
import { controlPlaneLimits } from '../../limits.ts';
import { assignRoles, hasAdministrator } from '../access/roles.ts';
import { AccountStore } from '../database/account-store.ts';
import { ssoConnectionTable } from '../database/account-table.ts';
import type { DatabaseTransaction, SsoConnectionRow, UserRow } from '../database/schema.ts';
import { emailKey, isEmail } from '../users/emails.ts';
import {
  type Identity,
  insertIdentity,
  insertUser,
  type User,
  userOf,
  userRowOfIdentity,
} from '../users/users.ts';
import type { SsoConnection } from './sso-connections.ts';

/** A user as an identity provider describes them. */
export interface SsoPerson extends Identity {
  readonly email: string | undefined;
  /** Whether the provider has verified the address. */
  readonly isEmailVerified: boolean;
  readonly name: string;
  /** The values of the role claim; `undefined` without such a claim. */
  readonly roleNames: readonly string[] | undefined;
}

interface SsoSignIn {
  readonly user: User;
  /** Whether the claim would have removed the last administrator, whose roles were then left unchanged. */
  readonly retainedLastAdministrator: boolean;
}

/**
 * Finds or creates the user that an identity provider describes.
 *
 * A user is identified by issuer and subject. Only an address that the issuer has verified finds a user who is invited,
 * or who came from another issuer before; and never a user with a password, whom the owner of the connection could then
 * impersonate.
 */
export class SsoSignIns extends AccountStore {
  signIn({ id, accountId }: SsoConnection, person: SsoPerson): Promise<SsoSignIn> {
    return this.changeAccount(accountId, async (transaction) => {
      const connection = await ssoConnectionTable.find(transaction, accountId, id);
      if (connection === undefined) throw new ApiError('not_found', 'Sign-in connection not found.');
      const user =
        (await knownUser(transaction, accountId, person)) ??
        (await this.#userByAddress(transaction, accountId, person)) ??
        (await this.#newUser(transaction, connection, person));
      const retainedLastAdministrator = await mapRoles(transaction, connection, user.id, person);
      const lastSignInMs = this.deps.clock.nowMs();
      await transaction
        .updateTable('weir_users')
        .set({ last_sign_in_ms: lastSignInMs })
        .where('id', '=', user.id)
        .execute();
      return { user: { ...userOf(user), lastSignInMs }, retainedLastAdministrator };
    });
  }

  /** Returns a user of the account who signed in with another issuer before. */
  async #userByAddress(
    transaction: DatabaseTransaction,
    accountId: string,
    person: SsoPerson,
  ): Promise<UserRow | undefined> {
    const email = addressOf(person);
    const row = await transaction
      .selectFrom('weir_users')
      .selectAll()
      .where('email_key', '=', emailKey(email))
      .executeTakeFirst();
    if (row === undefined) return undefined;
    if (row.account_id !== accountId) throw addressTaken();
    if (row.password_hash !== null)
      throw new ApiError(
        'user_already_exists',
        'A user with your e-mail address signs in with a password. Use that, or ask an administrator to remove the user first.',
      );
    refuseUnverified(person);
    await insertIdentity(transaction, row.id, person, this.deps);
    return row;
  }

  async #newUser(
    transaction: DatabaseTransaction,
    connection: SsoConnectionRow,
    person: SsoPerson,
  ): Promise<UserRow> {
    const accountId = connection.account_id;
    const email = addressOf(person);
    const invitation = await transaction
      .selectFrom('weir_invitations')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('email_key', '=', emailKey(email))
      .where('expires_ms', '>', this.deps.clock.nowMs())
      .executeTakeFirst();
    if (invitation !== undefined) {
      refuseUnverified(person);
      await transaction.deleteFrom('weir_invitations').where('id', '=', invitation.id).execute();
    }
    const about = { email, name: person.name, roleIds: [invitation?.role_id ?? connection.default_role_id] };
    const { issuer, subject } = person;
    const proof = { identity: { issuer, subject } };
    const { id } = await insertUser(transaction, accountId, about, proof, this.deps);
    return transaction.selectFrom('weir_users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }
}

async function knownUser(
  transaction: DatabaseTransaction,
  accountId: string,
  person: SsoPerson,
): Promise<UserRow | undefined> {
  const row = await userRowOfIdentity(transaction, person);
  // Two accounts may trust the same issuer. A user of one never gets access to the other through its connection.
  if (row !== undefined && row.account_id !== accountId) throw addressTaken();
  return row;
}

function addressOf({ email }: SsoPerson): string {
  if (email === undefined || !isEmail(email))
    throw new ApiError(
      'forbidden',
      'The identity provider does not return your e-mail address, which Weir needs to identify you.',
    );
  return email;
}

function refuseUnverified({ isEmailVerified }: SsoPerson): void {
  if (!isEmailVerified)
    throw new ApiError(
      'forbidden',
      'A user with your e-mail address already exists, and the identity provider does not confirm that the address is verified (email_verified).',
    );
}

/** The same text for all owners: nothing about other accounts is revealed. */
function addressTaken(): ApiError {
  return new ApiError(
    'user_already_exists',
    'You cannot join this account: your e-mail address is already in use.',
  );
}

/**
 * Assigns exactly the roles that the claim names, or the default role. Returns whether that would have removed the last
 * administrator.
 */
async function mapRoles(
  transaction: DatabaseTransaction,
  connection: SsoConnectionRow,
  userId: string,
  { roleNames = [] }: SsoPerson,
): Promise<boolean> {
  if (connection.has_role_mapping === 0) return false;
  const wanted = new Set(roleNames);
  const roles = await transaction
    .selectFrom('weir_roles')
    .select(['id', 'name'])
    .where('account_id', '=', connection.account_id)
    .execute();
  const named = roles.filter(({ name }) => wanted.has(name)).map(({ id }) => id);
  const roleIds = named.length === 0 ? [connection.default_role_id] : named;
  if (roleIds.length > controlPlaneLimits.rolesPerUserMax)
    throw new ApiError('limit_exceeded', `A user has at most ${controlPlaneLimits.rolesPerUserMax} roles.`);
  const held = await transaction
    .selectFrom('weir_user_roles')
    .select('role_id')
    .where('user_id', '=', userId)
    .execute();
  await transaction
    .deleteFrom('weir_user_roles')
    .where('user_id', '=', userId)
    .where('role_id', 'not in', roleIds)
    .execute();
  await assignRoles(transaction, userId, roleIds);
  if (await hasAdministrator(transaction, connection.account_id)) return false;
  // The claim may be missing by mistake, and then no user could fix it.
  await assignRoles(
    transaction,
    userId,
    held.map(({ role_id }) => role_id),
  );
  return true;
}
