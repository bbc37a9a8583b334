import { ApiError, namePrefixes } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { controlPlaneLimits } from '../../limits.ts';
import { everywhere, type KeyGrant, type KeyKind, keyKindOf } from '../access/grants.ts';
import { freshId } from '../common/ids.ts';
import { checkedPrefixedName } from '../common/names.ts';
import { AccountStore } from '../database/account-store.ts';
import { apiKeyTable, virtualClusterTable, workspaceTable } from '../database/account-table.ts';
import { countUp } from '../database/counters.ts';
import type { ApiKeyGrantRow, ApiKeyRow, DatabaseTransaction } from '../database/schema.ts';
import { freshKeySecret, hashSecret } from '../secrets/secrets.ts';

export interface ApiKey extends KeyKind {
  /** `aki_…` */
  readonly id: string;
  readonly accountId: string;
  /** `akn_…` */
  readonly name: string;
  /** The last four characters of the secret. */
  readonly secretTail: string;
  readonly grants: readonly KeyGrant[];
  readonly createdMs: number;
  /** The id of the creator. */
  readonly createdBy: string;
  /** To the minute. */
  readonly lastUsedMs: number | undefined;
}

interface NewKey {
  /** With or without `akn_`. */
  readonly name: string;
  readonly grants: readonly KeyGrant[];
  readonly createdBy: string;
  /** The application key that creates it; both are revoked together. */
  readonly boundTo?: string | undefined;
  /** An existing secret; by default a new one is generated. */
  readonly secret?: string;
}

const secretTailChars = 4;

/**
 * API keys. The secret is returned once and stored as its hash. The permissions of a key never change; a new key
 * replaces it.
 */
export class Keys extends AccountStore {
  /** The oldest first. */
  async list(accountId: string): Promise<ApiKey[]> {
    const keys = await apiKeyTable.list(this.database, accountId);
    const grants = await this.database
      .selectFrom('weir_api_key_grants as grants')
      .innerJoin('weir_api_keys as keys', 'keys.id', 'grants.key_id')
      .selectAll('grants')
      .where('keys.account_id', '=', accountId)
      .orderBy('grants.position')
      .execute();
    const ofKey = Map.groupBy(grants, (grant) => grant.key_id);
    return keys.flatMap((row) => existing(row, ofKey.get(row.id)) ?? []);
  }

  async get(accountId: string, keyId: string): Promise<ApiKey | undefined> {
    const row = await apiKeyTable.find(this.database, accountId, keyId);
    return row === undefined ? undefined : existing(row, await this.#grantsOf(row.id));
  }

  async findByHash(secretHash: string): Promise<ApiKey | undefined> {
    const row = await this.database
      .selectFrom('weir_api_keys')
      .selectAll()
      .where('secret_hash', '=', secretHash)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    return existing(row, await this.#grantsOf(row.id));
  }

  create(
    accountId: string,
    { name, grants, createdBy, boundTo, secret: given }: NewKey,
  ): Promise<{ readonly key: ApiKey; readonly secret: string }> {
    return this.changeAccount(accountId, async (transaction) => {
      const { clock, random, randomBytes } = this.deps;
      const checked = await checkedGrants(transaction, accountId, grants);
      const secret = given ?? freshKeySecret(randomBytes);
      const row: ApiKeyRow = {
        id: freshId('apiKey', random),
        account_id: accountId,
        name: await freeName(transaction, accountId, name),
        secret_hash: hashSecret(secret),
        secret_tail: secret.slice(-secretTailChars),
        created_ms: clock.nowMs(),
        created_by: createdBy,
        last_used_ms: null,
      };
      await apiKeyTable.requireRoom(transaction, accountId, apiLimits.apiKeysMax, 'API keys');
      if (boundTo !== undefined) await checkMaker(transaction, accountId, boundTo);
      await transaction.insertInto('weir_api_keys').values(row).execute();
      const rows = checked.map((grant, position) => grantRowOf(row.id, position, grant));
      for (const grant of rows) await transaction.insertInto('weir_api_key_grants').values(grant).execute();
      return { key: keyOf(row, rows), secret };
    });
  }

  /** Revokes a key. With an application key, the read-only keys that it created are revoked too. */
  async revoke(accountId: string, keyId: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      const bound = await boundKeyIds(transaction, accountId, keyId);
      for (const id of bound) await transaction.deleteFrom('weir_api_keys').where('id', '=', id).execute();
      await apiKeyTable.delete(transaction, accountId, keyId);
      await countUp(transaction, 'revocations');
    });
  }

  /** Records the use of a key, unless a use after `unlessAfterMs` is recorded already. */
  async noteUse(keyId: string, usedMs: number, unlessAfterMs: number): Promise<void> {
    await this.database
      .updateTable('weir_api_keys')
      .set({ last_used_ms: usedMs })
      .where('id', '=', keyId)
      .where((row) => row.or([row('last_used_ms', 'is', null), row('last_used_ms', '<=', unlessAfterMs)]))
      .execute();
  }

  #grantsOf(keyId: string): Promise<ApiKeyGrantRow[]> {
    return this.database
      .selectFrom('weir_api_key_grants')
      .selectAll()
      .where('key_id', '=', keyId)
      .orderBy('position')
      .execute();
  }
}

/** A key that was revoked between the query for it and that for its grants has none. */
function existing(row: ApiKeyRow, grants: readonly ApiKeyGrantRow[] = []): ApiKey | undefined {
  return grants.length === 0 ? undefined : keyOf(row, grants);
}

function keyOf(row: ApiKeyRow, grants: readonly ApiKeyGrantRow[]): ApiKey {
  const all = grants.map(grantOf);
  return {
    ...keyKindOf(all[0]!),
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    secretTail: row.secret_tail,
    grants: all,
    createdMs: row.created_ms,
    createdBy: row.created_by,
    lastUsedMs: row.last_used_ms ?? undefined,
  };
}

function grantOf(row: ApiKeyGrantRow): KeyGrant {
  return {
    principalKind: row.principal_kind,
    resourceKind: row.resource_kind,
    resourceId: row.resource_id,
    workspaceId: row.workspace_id,
    ...(row.managed_grant_name === null ? {} : { managedGrantName: row.managed_grant_name }),
  };
}

function grantRowOf(keyId: string, position: number, grant: KeyGrant): ApiKeyGrantRow {
  return {
    key_id: keyId,
    position,
    principal_kind: grant.principalKind,
    resource_kind: grant.resourceKind,
    resource_id: grant.resourceId,
    workspace_id: grant.workspaceId,
    managed_grant_name: grant.managedGrantName ?? null,
  };
}

async function freeName(transaction: DatabaseTransaction, accountId: string, name: string): Promise<string> {
  const prefixed = checkedPrefixedName('key', namePrefixes.apiKey, name);
  if (await apiKeyTable.hasName(transaction, accountId, prefixed))
    throw new ApiError(
      'duplicate_api_key_name',
      `An API key named "${prefixed}" already exists; choose another name.`,
    );
  return prefixed;
}

/** Returns the read-only keys that an application key created. */
async function boundKeyIds(
  transaction: DatabaseTransaction,
  accountId: string,
  makerId: string,
): Promise<string[]> {
  const rows = await transaction
    .selectFrom('weir_api_keys as made')
    .innerJoin('weir_api_key_grants as grants', 'grants.key_id', 'made.id')
    .innerJoin('weir_api_key_grants as makers', 'makers.key_id', 'made.created_by')
    .select('made.id')
    .distinct()
    .where('made.account_id', '=', accountId)
    .where('made.created_by', '=', makerId)
    .where('grants.principal_kind', '=', 'app_r')
    .where('makers.principal_kind', '=', 'app')
    .execute();
  return rows.map(({ id }) => id);
}

/** Refuses if the creating key was revoked meanwhile, or has created too many keys. */
async function checkMaker(
  transaction: DatabaseTransaction,
  accountId: string,
  makerId: string,
): Promise<void> {
  const maker = await apiKeyTable.find(transaction, accountId, makerId);
  if (maker === undefined) throw new ApiError('forbidden', 'The API key that creates this one was deleted.');
  const made = await boundKeyIds(transaction, accountId, makerId);
  if (made.length >= controlPlaneLimits.keysPerKeyMax)
    throw new ApiError(
      'limit_exceeded',
      `An API key can create at most ${controlPlaneLimits.keysPerKeyMax} keys.`,
    );
}

/** Returns the completed grants, if they form one kind of key and name objects of the account. */
async function checkedGrants(
  transaction: DatabaseTransaction,
  accountId: string,
  grants: readonly KeyGrant[],
): Promise<KeyGrant[]> {
  if (grants.length === 0 || grants.length > apiLimits.accessGrantsMax)
    throw new ApiError('invalid_request', `An API key has 1 to ${apiLimits.accessGrantsMax} grants.`);
  if (new Set(grants.map(({ principalKind }) => principalKind)).size > 1)
    throw new ApiError('invalid_request', 'All grants of an API key must have the same principal_kind.');
  const checked: KeyGrant[] = [];
  for (const grant of grants) checked.push(await checkedGrant(transaction, accountId, grant));
  return checked;
}

async function checkedGrant(
  transaction: DatabaseTransaction,
  accountId: string,
  grant: KeyGrant,
): Promise<KeyGrant> {
  const { resourceKind, resourceId, workspaceId } = grant;
  const isAboutAll = resourceKind === everywhere && resourceId === everywhere;
  switch (keyKindOf(grant).kind) {
    case 'agent': {
      if (resourceKind !== 'virtual_cluster')
        throw new ApiError('invalid_request', 'The resource_kind of an agent key must be virtual_cluster.');
      const cluster = await virtualClusterTable.require(transaction, accountId, resourceId);
      return { ...grant, workspaceId: cluster.workspace_id };
    }
    case 'application':
      if (!isAboutAll)
        throw new ApiError('invalid_request', 'resource_kind and resource_id of an application key are "*".');
      await workspaceTable.require(transaction, accountId, workspaceId);
      return grant;
    case 'account':
      if (!isAboutAll || workspaceId !== everywhere)
        throw new ApiError('invalid_request', 'All fields of the grant of an account key must be "*".');
      return grant;
  }
}
