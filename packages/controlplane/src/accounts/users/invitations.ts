import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { rolesOfAccount } from '../access/roles.ts';
import type { AccountsDeps } from '../common/deps.ts';
import { freshId } from '../common/ids.ts';
import { AccountStore } from '../database/account-store.ts';
import { invitationTable } from '../database/account-table.ts';
import type { Database, DatabaseTransaction, InvitationRow } from '../database/schema.ts';
import type { Passwords } from '../secrets/passwords.ts';
import { freshToken, hashSecret, isToken } from '../secrets/secrets.ts';
import { checkedEmail, emailKey } from './emails.ts';
import { insertUser, type Proof, provenBy, type User } from './users.ts';

const invitationMsMax = 7 * 24 * 3_600_000;

export interface Invitation {
  /** `ivi_…` */
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly roleId: string;
  /** The id of the inviting user. */
  readonly invitedBy: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}

export interface Invited {
  readonly email: string;
  readonly roleId: string;
}

/**
 * Invitations to an account: links that work once, for one address, for a week. A new one to the same address voids the
 * old.
 */
export class Invitations extends AccountStore {
  readonly #passwords: Passwords;

  constructor(database: Database, deps: AccountsDeps, passwords: Passwords) {
    super(database, deps);
    this.#passwords = passwords;
  }

  /** Lists those that can still be accepted. */
  async list(accountId: string): Promise<Invitation[]> {
    const rows = await this.database
      .selectFrom('weir_invitations')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('expires_ms', '>', this.deps.clock.nowMs())
      .orderBy('created_ms')
      .orderBy('id')
      .execute();
    return rows.map(invitationOf);
  }

  /** Creates all or none. The tokens for the links are returned only here. */
  create(
    accountId: string,
    invited: readonly Invited[],
    invitedBy: string,
  ): Promise<{ readonly invitation: Invitation; readonly token: string }[]> {
    return this.changeAccount(accountId, async (transaction) => {
      const roleIds = invited.map(({ roleId }) => roleId);
      await rolesOfAccount(transaction, accountId, roleIds);
      const made = [];
      for (const one of invited) made.push(await this.#insert(transaction, accountId, one, invitedBy));
      await refuseTooMany(transaction, accountId);
      return made;
    });
  }

  /** Returns the invitation of a link, so that its page can show the address. */
  async find(token: string): Promise<Invitation | undefined> {
    if (!isToken(token)) return undefined;
    const row = await this.database
      .selectFrom('weir_invitations')
      .selectAll()
      .where('token_hash', '=', hashSecret(token))
      .where('expires_ms', '>', this.deps.clock.nowMs())
      .executeTakeFirst();
    return row === undefined ? undefined : invitationOf(row);
  }

  /** Creates the user. The address is the invited one, regardless of the identity provider's. */
  async accept(token: string, accepting: { readonly name: string; readonly proof: Proof }): Promise<User> {
    const invitation = await this.find(token);
    if (invitation === undefined) throw new ApiError('invalid_token');
    const proof = await provenBy(accepting.proof, this.#passwords);
    const { accountId, id, email, roleId } = invitation;
    return this.changeAccount(accountId, async (transaction) => {
      await this.#use(transaction, id, token);
      const about = { email, name: accepting.name, roleIds: [roleId] };
      return insertUser(transaction, accountId, about, proof, this.deps);
    });
  }

  async revoke(accountId: string, invitationId: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await invitationTable.delete(transaction, accountId, invitationId);
    });
  }

  async #insert(
    transaction: DatabaseTransaction,
    accountId: string,
    { email, roleId }: Invited,
    invitedBy: string,
  ): Promise<{ readonly invitation: Invitation; readonly token: string }> {
    const { clock, random, randomBytes } = this.deps;
    const token = freshToken(randomBytes);
    const createdMs = clock.nowMs();
    const row: InvitationRow = {
      id: freshId('invitation', random),
      account_id: accountId,
      email: checkedEmail(email),
      email_key: emailKey(email),
      role_id: roleId,
      token_hash: hashSecret(token),
      invited_by: invitedBy,
      created_ms: createdMs,
      expires_ms: createdMs + invitationMsMax,
    };
    await refuseKnown(transaction, row.email_key, accountId);
    await transaction
      .deleteFrom('weir_invitations')
      .where('account_id', '=', accountId)
      .where('email_key', '=', row.email_key)
      .execute();
    await transaction.insertInto('weir_invitations').values(row).execute();
    return { invitation: invitationOf(row), token };
  }

  /** Of concurrent uses of a link only one finds it. */
  async #use(transaction: DatabaseTransaction, invitationId: string, token: string): Promise<void> {
    const { numDeletedRows } = await transaction
      .deleteFrom('weir_invitations')
      .where('id', '=', invitationId)
      .where('token_hash', '=', hashSecret(token))
      .where('expires_ms', '>', this.deps.clock.nowMs())
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new ApiError('invalid_token');
  }
}

function invitationOf(row: InvitationRow): Invitation {
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.email,
    roleId: row.role_id,
    invitedBy: row.invited_by,
    createdMs: row.created_ms,
    expiresMs: row.expires_ms,
  };
}

/** A user of another account is not revealed; accepting the invitation then fails. */
async function refuseKnown(transaction: DatabaseTransaction, key: string, accountId: string): Promise<void> {
  const user = await transaction
    .selectFrom('weir_users')
    .select('id')
    .where('account_id', '=', accountId)
    .where('email_key', '=', key)
    .executeTakeFirst();
  if (user !== undefined)
    throw new ApiError('user_already_exists', 'A user with this e-mail address already exists.');
}

async function refuseTooMany(transaction: DatabaseTransaction, accountId: string): Promise<void> {
  if ((await invitationTable.count(transaction, accountId)) > apiLimits.invitationsMax)
    throw new ApiError(
      'limit_exceeded',
      `An account has at most ${apiLimits.invitationsMax} open invitations.`,
    );
}
