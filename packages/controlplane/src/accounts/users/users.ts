import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { controlPlaneLimits } from '../../limits.ts';
import type { RoleGrant } from '../access/grants.ts';
import { assignRoles, requireAdministrator, rolesOfAccount } from '../access/roles.ts';
import { boundedText } from '../common/bounded-text.ts';
import type { AccountsDeps } from '../common/deps.ts';
import { freshId } from '../common/ids.ts';
import { AccountStore } from '../database/account-store.ts';
import { userTable } from '../database/account-table.ts';
import type { Database, DatabaseTransaction, UserRow } from '../database/schema.ts';
import type { Passwords } from '../secrets/passwords.ts';
import { checkedEmail, emailKey, isEmail } from './emails.ts';

export interface User {
  /** `ui_…` */
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  readonly hasPassword: boolean;
  readonly createdMs: number;
  readonly lastSignInMs: number | undefined;
}

interface UserWithRoles extends User {
  readonly roleIds: readonly string[];
}

/** The identity of a user at an OpenID provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** How a new user will sign in. */
export type Proof = { readonly password: string } | { readonly identity: Identity };

interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly proof: Proof;
  readonly roleIds: readonly string[];
}

/** Users: people who sign in. An address belongs to one user of one account, regardless of case. */
export class Users extends AccountStore {
  readonly #passwords: Passwords;

  constructor(database: Database, deps: AccountsDeps, passwords: Passwords) {
    super(database, deps);
    this.#passwords = passwords;
  }

  async list(accountId: string): Promise<UserWithRoles[]> {
    const users = await userTable.list(this.database, accountId);
    const held = await this.database
      .selectFrom('weir_user_roles as held')
      .innerJoin('weir_users as users', 'users.id', 'held.user_id')
      .selectAll('held')
      .where('users.account_id', '=', accountId)
      .orderBy('held.role_id')
      .execute();
    const ofUser = Map.groupBy(held, (row) => row.user_id);
    return users.map((row) => ({
      ...userOf(row),
      roleIds: (ofUser.get(row.id) ?? []).map(({ role_id }) => role_id),
    }));
  }

  async get(accountId: string, userId: string): Promise<User | undefined> {
    const row = await userTable.find(this.database, accountId, userId);
    return row === undefined ? undefined : userOf(row);
  }

  async findByEmail(email: string): Promise<User | undefined> {
    const row = await this.#rowOfEmail(email);
    return row === undefined ? undefined : userOf(row);
  }

  async findByIdentity(identity: Identity): Promise<User | undefined> {
    const row = await userRowOfIdentity(this.database, identity);
    return row === undefined ? undefined : userOf(row);
  }

  async create(accountId: string, user: NewUser): Promise<User> {
    const proof = await provenBy(user.proof, this.#passwords);
    return this.changeAccount(accountId, (transaction) =>
      insertUser(transaction, accountId, user, proof, this.deps),
    );
  }

  /** Returns the combined grants of a user's roles. */
  async grantsOf(userId: string): Promise<RoleGrant[]> {
    const rows = await this.database
      .selectFrom('weir_user_roles as held')
      .innerJoin('weir_role_grants as grants', 'grants.role_id', 'held.role_id')
      .select(['grants.workspace_id', 'grants.managed_grant_name'])
      .distinct()
      .where('held.user_id', '=', userId)
      .execute();
    return rows.map((row) => ({
      workspaceId: row.workspace_id,
      managedGrantName: row.managed_grant_name,
    }));
  }

  /**
   * Returns the user with this address and password. Neither the answer nor its timing reveals whether the address
   * exists. A hash of an older cost is replaced, because the password is available now.
   */
  async authenticate(email: string, password: string): Promise<User | undefined> {
    const row = await this.#rowOfEmail(email);
    const stored = row?.password_hash ?? null;
    const isRight = await this.#passwords.isRight(password, stored);
    if (row === undefined || stored === null || !isRight) return undefined;
    const lastSignInMs = this.deps.clock.nowMs();
    const passwordHash = this.#passwords.isOutdated(stored) ? await this.#passwords.hash(password) : stored;
    const { numUpdatedRows } = await this.database
      .updateTable('weir_users')
      .set({ last_sign_in_ms: lastSignInMs, password_hash: passwordHash })
      .where('id', '=', row.id)
      // A concurrent change of the password takes precedence.
      .where('password_hash', '=', stored)
      .executeTakeFirst();
    return numUpdatedRows === 0n ? undefined : { ...userOf(row), lastSignInMs };
  }

  /** Records a sign-in at an identity provider. */
  async noteSignIn(userId: string): Promise<void> {
    await this.database
      .updateTable('weir_users')
      .set({ last_sign_in_ms: this.deps.clock.nowMs() })
      .where('id', '=', userId)
      .execute();
  }

  /** Ends all other sessions of the user, because they may have been opened with a stolen password. */
  async setPassword(
    accountId: string,
    userId: string,
    password: string,
    retainedSessionId?: string,
  ): Promise<void> {
    const passwordHash = await this.#passwords.hash(password);
    await this.changeAccount(accountId, async (transaction) => {
      await updateUser(transaction, accountId, userId, { password_hash: passwordHash });
      await transaction
        .deleteFrom('weir_sessions')
        .where('user_id', '=', userId)
        .where('id', '!=', retainedSessionId ?? '')
        .execute();
    });
  }

  async rename(accountId: string, userId: string, name: string): Promise<void> {
    await this.changeAccount(accountId, (transaction) =>
      updateUser(transaction, accountId, userId, {
        name: boundedText(name, controlPlaneLimits.userNameCharsMax),
      }),
    );
  }

  async linkIdentity(accountId: string, userId: string, identity: Identity): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await userTable.require(transaction, accountId, userId);
      await insertIdentity(transaction, userId, identity, this.deps);
    });
  }

  /** Deletes a user with sessions, roles and identities. */
  async delete(accountId: string, userId: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await userTable.delete(transaction, accountId, userId);
      await requireAdministrator(transaction, accountId);
    });
  }

  async #rowOfEmail(email: string): Promise<UserRow | undefined> {
    if (!isEmail(email)) return undefined;
    return this.database
      .selectFrom('weir_users')
      .selectAll()
      .where('email_key', '=', emailKey(email))
      .executeTakeFirst();
  }
}

export function userRowOfIdentity(
  database: Database,
  { issuer, subject }: Identity,
): Promise<UserRow | undefined> {
  return database
    .selectFrom('weir_users as users')
    .innerJoin('weir_user_identities as identities', 'identities.user_id', 'users.id')
    .selectAll('users')
    .where('identities.issuer', '=', issuer)
    .where('identities.subject', '=', subject)
    .executeTakeFirst();
}

export function userOf(row: UserRow): User {
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.email,
    name: row.name,
    hasPassword: row.password_hash !== null,
    createdMs: row.created_ms,
    lastSignInMs: row.last_sign_in_ms ?? undefined,
  };
}

async function updateUser(
  transaction: DatabaseTransaction,
  accountId: string,
  userId: string,
  change: Partial<Pick<UserRow, 'name' | 'password_hash'>>,
): Promise<void> {
  await userTable.require(transaction, accountId, userId);
  await transaction.updateTable('weir_users').set(change).where('id', '=', userId).execute();
}

/** The stored form of a proof. A password is hashed before any lock is taken, because hashing is slow. */
type StoredProof = { readonly passwordHash: string } | { readonly identity: Identity };

export async function provenBy(proof: Proof, passwords: Passwords): Promise<StoredProof> {
  return 'password' in proof ? { passwordHash: await passwords.hash(proof.password) } : proof;
}

export async function insertUser(
  transaction: DatabaseTransaction,
  accountId: string,
  { email, name, roleIds }: Pick<NewUser, 'email' | 'name' | 'roleIds'>,
  proof: StoredProof,
  deps: AccountsDeps,
): Promise<User> {
  await userTable.requireRoom(transaction, accountId, apiLimits.usersMax, 'users');
  const row: UserRow = {
    id: freshId('user', deps.random),
    account_id: accountId,
    email: checkedEmail(email),
    email_key: emailKey(email),
    name: boundedText(name, controlPlaneLimits.userNameCharsMax),
    password_hash: 'passwordHash' in proof ? proof.passwordHash : null,
    created_ms: deps.clock.nowMs(),
    last_sign_in_ms: null,
  };
  // The address may belong to a user of another account, whose changes are not serialized with ours.
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('weir_users')
    .values(row)
    .onConflict((same) => same.column('email_key').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n)
    throw new ApiError('user_already_exists', 'A user with this e-mail address already exists.');
  if ('identity' in proof) await insertIdentity(transaction, row.id, proof.identity, deps);
  await assignRoles(transaction, row.id, await rolesOfAccount(transaction, accountId, roleIds));
  return userOf(row);
}

export async function insertIdentity(
  transaction: DatabaseTransaction,
  userId: string,
  { issuer, subject }: Identity,
  { clock }: AccountsDeps,
): Promise<void> {
  if (subject === '' || Math.max(issuer.length, subject.length) > controlPlaneLimits.identityCharsMax)
    throw new ApiError('invalid_request', 'The identity provider returned no valid subject.');
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('weir_user_identities')
    .values({ issuer, subject, user_id: userId, created_ms: clock.nowMs() })
    .onConflict((same) => same.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n)
    throw new ApiError('conflict', 'This identity already belongs to a user.');
}
