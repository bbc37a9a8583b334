import { ApiError } from '@weir/api';
import { foundedAccount, insertAccount, type NewAccount, renameAccount } from './accounts.ts';
import type { AccountsDeps } from './common/deps.ts';
import { AccountStore } from './database/account-store.ts';
import { countUp } from './database/counters.ts';
import type { Database, DatabaseTransaction } from './database/schema.ts';
import type { Passwords } from './secrets/passwords.ts';
import { freshToken, hashSecret, isToken } from './secrets/secrets.ts';
import { insertUser, type Proof, provenBy, type User } from './users/users.ts';

/** The lifetime of the link of a first start. The next start makes another. */
const setupTokenMsMax = 24 * 3_600_000;

interface FirstUser {
  readonly accountName: string;
  readonly email: string;
  readonly name: string;
  readonly proof: Proof;
}

/**
 * The first user of a new installation. The user with the link that the first start prints becomes administrator; once
 * there is a user, the links are void.
 */
export class Setup extends AccountStore {
  readonly #passwords: Passwords;

  constructor(database: Database, deps: AccountsDeps, passwords: Passwords) {
    super(database, deps);
    this.#passwords = passwords;
  }

  /**
   * Returns a token for the link; `undefined` if there is a user already. Every process that starts may print its own.
   */
  async begin(): Promise<string | undefined> {
    if (await hasUsers(this.database)) return undefined;
    const token = freshToken(this.deps.randomBytes);
    const createdMs = this.deps.clock.nowMs();
    await this.database
      .insertInto('weir_setup_tokens')
      .values({
        token_hash: hashSecret(token),
        created_ms: createdMs,
        expires_ms: createdMs + setupTokenMsMax,
      })
      .execute();
    return token;
  }

  /**
   * Returns the account of an installation without a user, created if it is missing, so that clusters and keys can
   * exist before the first user. `undefined` if there is a user already.
   */
  found(accountName: string): Promise<NewAccount | undefined> {
    return this.database.transaction().execute(async (transaction) => {
      await countUp(transaction, 'setups');
      if (await hasUsers(transaction)) return undefined;
      return (await foundedAccount(transaction)) ?? insertAccount(transaction, accountName, this.deps);
    });
  }

  /** Whether there is no user yet. */
  async isNeeded(): Promise<boolean> {
    return !(await hasUsers(this.database));
  }

  /** Creates the account and its administrator, once. */
  async finish(token: string, first: FirstUser): Promise<NewAccount & { readonly user: User }> {
    // Before the password is hashed, so that a guess is cheap for the server.
    await this.#requireOpen(this.database, token);
    const proof = await provenBy(first.proof, this.#passwords);
    return this.database.transaction().execute(async (transaction) => {
      await countUp(transaction, 'setups');
      await this.#requireOpen(transaction, token);
      await transaction.deleteFrom('weir_setup_tokens').execute();
      return this.#makeFirst(transaction, first, proof);
    });
  }

  /** The same without a link, for a program that is its own administrator. `undefined` if there is a user already. */
  async finishAlone(first: FirstUser): Promise<(NewAccount & { readonly user: User }) | undefined> {
    if (await hasUsers(this.database)) return undefined;
    const proof = await provenBy(first.proof, this.#passwords);
    return this.database.transaction().execute(async (transaction) => {
      await countUp(transaction, 'setups');
      if (await hasUsers(transaction)) return undefined;
      await transaction.deleteFrom('weir_setup_tokens').execute();
      return this.#makeFirst(transaction, first, proof);
    });
  }

  async #makeFirst(
    transaction: DatabaseTransaction,
    { accountName, email, name }: FirstUser,
    proof: Awaited<ReturnType<typeof provenBy>>,
  ): Promise<NewAccount & { readonly user: User }> {
    const founded = await foundedAccount(transaction);
    const made =
      founded === undefined
        ? await insertAccount(transaction, accountName, this.deps)
        : { ...founded, account: await renameAccount(transaction, founded.account, accountName) };
    const about = { email, name, roleIds: [made.adminRoleId] };
    const user = await insertUser(transaction, made.account.id, about, proof, this.deps);
    return { ...made, user };
  }

  async #requireOpen(database: Database, token: string): Promise<void> {
    if (await hasUsers(database)) throw new ApiError('already_set_up');
    if (!isToken(token)) throw new ApiError('invalid_token');
    const row = await database
      .selectFrom('weir_setup_tokens')
      .select('token_hash')
      .where('token_hash', '=', hashSecret(token))
      .where('expires_ms', '>', this.deps.clock.nowMs())
      .executeTakeFirst();
    if (row !== undefined) return;
    // Another call may have created the first user between the two reads, and deleted the links with it.
    throw new ApiError((await hasUsers(database)) ? 'already_set_up' : 'invalid_token');
  }
}

async function hasUsers(database: Database): Promise<boolean> {
  const row = await database.selectFrom('weir_users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}
