import { ApiError } from '@weir/api';
import type { Kysely } from 'kysely';
import { notFound } from '../common/not-found.ts';
import type { Database, Schema } from './schema.ts';

/** What the queries below read and write; rows have more. */
interface SharedColumns {
  id: string;
  account_id: string;
  name: string;
  created_ms: number;
  deleted_ms: number | null;
}

/** Tables whose rows have an id and belong to an account. */
type TableOfAccounts = {
  [Name in keyof Schema]: Schema[Name] extends Pick<SharedColumns, 'id' | 'account_id' | 'created_ms'>
    ? Name
    : never;
}[keyof Schema];

/** Queries by account and id, the same for all tables. Rows of other accounts, and deleted ones, are not found. */
class AccountTable<Name extends TableOfAccounts> {
  readonly #name: Name;
  /** For messages. */
  readonly #what: string;
  /** Whether deleted rows remain for a while, with the time of the deletion. */
  readonly #keepsDeleted: boolean;

  constructor(name: Name, what: string, keepsDeleted = false) {
    this.#name = name;
    this.#what = what;
    this.#keepsDeleted = keepsDeleted;
  }

  /** The oldest first. `where` gives further columns their values. */
  async list(database: Database, accountId: string, where?: Partial<Schema[Name]>): Promise<Schema[Name][]> {
    const rows = await this.#select(database, { account_id: accountId, ...where })
      .selectAll()
      .orderBy('created_ms')
      .orderBy('id')
      .execute();
    return rows as unknown as Schema[Name][];
  }

  async find(
    database: Database,
    accountId: string,
    id: string,
    where?: Partial<Schema[Name]>,
  ): Promise<Schema[Name] | undefined> {
    const row = await this.#select(database, { account_id: accountId, id, ...where })
      .selectAll()
      .executeTakeFirst();
    return row as Schema[Name] | undefined;
  }

  async require(
    database: Database,
    accountId: string,
    id: string,
    where?: Partial<Schema[Name]>,
  ): Promise<Schema[Name]> {
    const row = await this.find(database, accountId, id, where);
    if (row === undefined) throw notFound(this.#what);
    return row;
  }

  async delete(
    database: Database,
    accountId: string,
    id: string,
    where?: Partial<Schema[Name]>,
  ): Promise<void> {
    await this.require(database, accountId, id, where);
    await shared(database).deleteFrom(this.#table).where('id', '=', id).execute();
  }

  /** Refuses a name that another row has. */
  async requireFreeName(
    database: Database,
    accountId: string,
    {
      name,
      what,
      ownId,
    }: { readonly name: string; readonly what: string; readonly ownId?: string | undefined },
  ): Promise<void> {
    if (await this.hasName(database, accountId, name, ownId))
      throw new ApiError('duplicate_name', `A ${what} named "${name}" already exists.`);
  }

  /** Whether a row has the name, other than the one with the id. */
  async hasName(database: Database, accountId: string, name: string, ownId?: string): Promise<boolean> {
    const row = await this.#select(database, { account_id: accountId, name }).select('id').executeTakeFirst();
    return row !== undefined && row.id !== ownId;
  }

  /** Deleted rows that remain count too. */
  async count(database: Database, accountId: string): Promise<number> {
    const { count } = await shared(database)
      .selectFrom(this.#table)
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Refuses another row if the account has all that it may have. `many` names them in the message. */
  async requireRoom(database: Database, accountId: string, max: number, many: string): Promise<void> {
    if ((await this.count(database, accountId)) >= max)
      throw new ApiError('limit_exceeded', `An account can have at most ${max} ${many}.`);
  }

  #select(database: Database, values: Readonly<Record<string, unknown>>) {
    let query = shared(database).selectFrom(this.#table);
    for (const [column, value] of Object.entries(values))
      query = query.where(column as 'id', '=', value as string);
    return this.#keepsDeleted ? query.where('deleted_ms', 'is', null) : query;
  }

  get #table(): 'rows' {
    return this.#name as string as 'rows';
  }
}

/** The types of queries hold for one table, so all tables take the place of this one. */
function shared(database: Database): Kysely<{ rows: SharedColumns }> {
  return database as unknown as Kysely<{ rows: SharedColumns }>;
}

export const apiKeyTable = new AccountTable('weir_api_keys', 'API key');
export const federationTable = new AccountTable('weir_federations', 'workload identity federation');
export const invitationTable = new AccountTable('weir_invitations', 'invitation');
export const pipelineTable = new AccountTable('weir_pipelines', 'pipeline');
export const roleTable = new AccountTable('weir_roles', 'user role');
export const ssoConnectionTable = new AccountTable('weir_sso_connections', 'sign-on connection');
export const tableTable = new AccountTable('weir_tables', 'table', true);
export const userTable = new AccountTable('weir_users', 'user');
export const virtualClusterTable = new AccountTable('weir_virtual_clusters', 'virtual cluster', true);
export const workspaceTable = new AccountTable('weir_workspaces', 'workspace', true);
