import { ApiError } from '@weir/api';
import { requireAdministrator, rolesOfAccount } from '../access/roles.ts';
import { freshId } from '../common/ids.ts';
import { notFound } from '../common/not-found.ts';
import { AccountStore } from '../database/account-store.ts';
import { ssoConnectionTable } from '../database/account-table.ts';
import type { SsoConnectionRow } from '../database/schema.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

/** The OpenID Connect connection of an account, without the client secret. */
export interface SsoConnection {
  /** `ssoi_…` */
  readonly id: string;
  readonly accountId: string;
  /** The last segment of its URLs. Unique among accounts. */
  readonly identifier: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The role of users for whom the claim names none. */
  readonly defaultRoleId: string;
  /** Whether roles follow the claim. */
  readonly hasRoleMapping: boolean;
  readonly roleClaim: string;
  readonly createdMs: number;
}

export interface NewSsoConnection extends Omit<SsoConnection, 'id' | 'accountId' | 'createdMs'> {
  readonly clientSecret: string;
}

type SsoConnectionChange = Partial<Omit<NewSsoConnection, 'identifier'>>;

/** The connections of accounts to identity providers, at most one per account. */
export class SsoConnections extends AccountStore {
  async get(accountId: string): Promise<SsoConnection | undefined> {
    const row = await this.database
      .selectFrom('weir_sso_connections')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row === undefined ? undefined : connectionOf(row);
  }

  async findByIdentifier(identifier: string): Promise<SsoConnection | undefined> {
    const row = await this.database
      .selectFrom('weir_sso_connections')
      .selectAll()
      .where('identifier', '=', identifier)
      .executeTakeFirst();
    return row === undefined ? undefined : connectionOf(row);
  }

  /**
   * Returns the only connection of the installation; `undefined` if there are several, because a visitor could belong
   * to any.
   */
  async only(): Promise<SsoConnection | undefined> {
    const rows = await this.database.selectFrom('weir_sso_connections').selectAll().limit(2).execute();
    return rows.length === 1 ? connectionOf(rows[0]!) : undefined;
  }

  /** For the issuer of the connection only: a connection that replaced it has its own secret. */
  async clientSecretOf({ id, issuer }: SsoConnection): Promise<string> {
    const row = await this.database
      .selectFrom('weir_sso_connections')
      .select('sealed_client_secret')
      .where('id', '=', id)
      .where('issuer', '=', issuer)
      .executeTakeFirst();
    if (row === undefined) throw notFound('sign-on connection');
    return this.#secretBox().open(row.sealed_client_secret, purposeOf(id));
  }

  async create(accountId: string, connection: NewSsoConnection): Promise<SsoConnection> {
    const secretBox = this.#secretBox();
    return this.changeAccount(accountId, async (transaction) => {
      const { clock, random } = this.deps;
      const known = await ssoConnectionTable.count(transaction, accountId);
      if (known > 0) throw new ApiError('sso_already_configured');
      await rolesOfAccount(transaction, accountId, [connection.defaultRoleId]);
      const id = freshId('ssoConnection', random);
      const row: SsoConnectionRow = {
        id,
        account_id: accountId,
        identifier: connection.identifier,
        issuer: connection.issuer,
        client_id: connection.clientId,
        sealed_client_secret: secretBox.seal(connection.clientSecret, purposeOf(id)),
        default_role_id: connection.defaultRoleId,
        has_role_mapping: truth(connection.hasRoleMapping),
        role_claim: connection.roleClaim,
        created_ms: clock.nowMs(),
      };
      // Another account may have the identifier, and its changes are not serialized with ours.
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('weir_sso_connections')
        .values(row)
        .onConflict((same) => same.column('identifier').doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== 1n)
        throw new ApiError('duplicate_name', `The identifier "${connection.identifier}" is taken.`);
      return connectionOf(row);
    });
  }

  /**
   * Changes the given fields. Another issuer requires the secret again: otherwise an administrator of the connection
   * could have the secret sent to their own server, though the API never shows it.
   */
  async update(accountId: string, connectionId: string, change: SsoConnectionChange): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      const row = await ssoConnectionTable.require(transaction, accountId, connectionId);
      const { issuer, clientId, clientSecret, defaultRoleId, hasRoleMapping, roleClaim } = change;
      if (issuer !== undefined && issuer !== row.issuer && clientSecret === undefined)
        throw new ApiError('invalid_request', 'client_secret: another issuer needs it again');
      if (defaultRoleId !== undefined) await rolesOfAccount(transaction, accountId, [defaultRoleId]);
      const changed = {
        issuer: issuer ?? row.issuer,
        client_id: clientId ?? row.client_id,
        sealed_client_secret:
          clientSecret === undefined
            ? row.sealed_client_secret
            : this.#secretBox().seal(clientSecret, purposeOf(row.id)),
        default_role_id: defaultRoleId ?? row.default_role_id,
        has_role_mapping: hasRoleMapping === undefined ? row.has_role_mapping : truth(hasRoleMapping),
        role_claim: roleClaim ?? row.role_claim,
      };
      await transaction.updateTable('weir_sso_connections').set(changed).where('id', '=', row.id).execute();
    });
  }

  /** An administrator of the account who signs in with a password must remain. Sessions continue. */
  async delete(accountId: string, connectionId: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await ssoConnectionTable.delete(transaction, accountId, connectionId);
      await requireAdministrator(transaction, accountId);
    });
  }

  #secretBox(): SecretBox {
    const { secretBox } = this.deps;
    if (secretBox === undefined) throw new ApiError('no_sealing_keys');
    return secretBox;
  }
}

function connectionOf(row: SsoConnectionRow): SsoConnection {
  return {
    id: row.id,
    accountId: row.account_id,
    identifier: row.identifier,
    issuer: row.issuer,
    clientId: row.client_id,
    defaultRoleId: row.default_role_id,
    hasRoleMapping: row.has_role_mapping === 1,
    roleClaim: row.role_claim,
    createdMs: row.created_ms,
  };
}

function truth(isSo: boolean): 0 | 1 {
  return isSo ? 1 : 0;
}

/** A secret that is moved to the row of another connection does not open there. */
function purposeOf(connectionId: string): string {
  return `the client secret of ${connectionId}`;
}
