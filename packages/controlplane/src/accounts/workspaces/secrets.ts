import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { freshId } from '../common/ids.ts';
import { byName, checkedName, requireRoomInCluster } from '../common/names.ts';
import { notFound } from '../common/not-found.ts';
import { AccountStore } from '../database/account-store.ts';
import { virtualClusterTable } from '../database/account-table.ts';
import type { Database, DatabaseTransaction, SecretRow } from '../database/schema.ts';
import { type SecretUse, secretUses } from './secret-uses.ts';

/** A named secret of a cluster, without its value. */
export interface Secret {
  /** `sci_…` */
  readonly id: string;
  readonly name: string;
  /** The number of its value. */
  readonly version: number;
  readonly allowsExporters: boolean;
  readonly createdMs: number;
  readonly createdBy: string;
  readonly updatedMs: number;
  readonly updatedBy: string;
}

interface NewSecret {
  readonly name: string;
  readonly value: string;
  readonly allowsExporters?: boolean | undefined;
}

interface SecretChange {
  readonly value?: string | undefined;
  readonly allowsExporters?: boolean | undefined;
}

/** Where secrets are. In another cluster or account they are not found. */
export interface SecretsPlace {
  readonly accountId: string;
  readonly clusterId: string;
}

/** The named secrets of clusters. Only those who run a configuration that refers to one get its value. */
export class Secrets extends AccountStore {
  /** By name. */
  async list(place: SecretsPlace): Promise<Secret[]> {
    const rows = await rowsOf(this.database, place).execute();
    return rows.map(secretOf).sort(byName);
  }

  /** What refers to the secrets of a cluster. */
  uses({ accountId, clusterId }: SecretsPlace): Promise<SecretUse[]> {
    return secretUses(this.database, accountId, clusterId);
  }

  create(place: SecretsPlace, { name, value, allowsExporters }: NewSecret, by: string): Promise<Secret> {
    return this.changeAccount(place.accountId, async (transaction) => {
      await virtualClusterTable.require(transaction, place.accountId, place.clusterId);
      const others = await rowsOf(transaction, place).execute();
      requireRoomInCluster(others, { what: 'secret', name, max: apiLimits.secretsPerClusterMax });
      const { clock, random } = this.deps;
      const id = freshId('secret', random);
      const nowMs = clock.nowMs();
      const row: SecretRow = {
        id,
        account_id: place.accountId,
        cluster_id: place.clusterId,
        name: checkedName('secret', name),
        sealed_value: this.#sealed(value, id),
        version: 1,
        allows_exporters: allowsExporters === true ? 1 : 0,
        created_ms: nowMs,
        created_by: by,
        updated_ms: nowMs,
        updated_by: by,
      };
      await transaction.insertInto('weir_secrets').values(row).execute();
      return secretOf(row);
    });
  }

  /** Omitted fields keep their values. */
  change(
    place: SecretsPlace,
    name: string,
    { value, allowsExporters }: SecretChange,
    by: string,
  ): Promise<Secret> {
    return this.changeAccount(place.accountId, async (transaction) => {
      const row = await requireSecret(transaction, place, name);
      const changed: SecretRow = {
        ...row,
        ...(value === undefined
          ? {}
          : { sealed_value: this.#sealed(value, row.id), version: row.version + 1 }),
        allows_exporters: (allowsExporters ?? row.allows_exporters === 1) ? 1 : 0,
        updated_ms: this.deps.clock.nowMs(),
        updated_by: by,
      };
      await transaction.updateTable('weir_secrets').set(changed).where('id', '=', row.id).execute();
      return secretOf(changed);
    });
  }

  /** Refused while the deployed or the newest configuration of a pipeline refers to it. */
  async delete(place: SecretsPlace, name: string): Promise<void> {
    await this.changeAccount(place.accountId, async (transaction) => {
      const { id } = await requireSecret(transaction, place, name);
      const uses = await secretUses(transaction, place.accountId, place.clusterId);
      const using = uses.filter(({ secretNames }) => secretNames.includes(name));
      if (using.length > 0) throw secretInUse(name, using.map(wordsFor));
      await transaction.deleteFrom('weir_secrets').where('id', '=', id).execute();
    });
  }

  /** Opens those of some secrets that there are and that can be opened. */
  async open(
    place: SecretsPlace,
    names: readonly string[],
    { forExporters = false }: { readonly forExporters?: boolean } = {},
  ): Promise<Readonly<Record<string, string>>> {
    if (names.length === 0) return {};
    const rows = await rowsOf(this.database, place)
      .where('name', 'in', [...names])
      .execute();
    const { secretBox, log } = this.deps;
    const values: [string, string][] = [];
    for (const { id, name, sealed_value, allows_exporters } of rows) {
      if (forExporters && allows_exporters === 0) continue;
      try {
        if (secretBox === undefined) throw new ApiError('no_sealing_keys');
        values.push([name, secretBox.open(sealed_value, purposeOf(id))]);
      } catch (error) {
        // One that a removed key sealed does not keep the others.
        log.warn('failed to open secret', { secretId: id, error: (error as Error).message });
      }
    }
    return Object.fromEntries(values);
  }

  /** Seals a secret that is stored elsewhere; `undefined` without sealing keys. */
  sealText(value: string, purpose: string): string | undefined {
    return this.deps.secretBox?.seal(value, purpose);
  }

  /** Opens what `sealText` sealed for the same purpose; `undefined` if it cannot. */
  openText(sealed: string, purpose: string): string | undefined {
    const { secretBox, log } = this.deps;
    try {
      return secretBox?.open(sealed, purpose);
    } catch (error) {
      log.warn('failed to open sealed text', { purpose, error: (error as Error).message });
      return undefined;
    }
  }

  #sealed(value: string, id: string): string {
    const { secretBox } = this.deps;
    if (secretBox === undefined) throw new ApiError('no_sealing_keys');
    return secretBox.seal(value, purposeOf(id));
  }
}

/** A text that changes with the value of a secret, also if another one gets its name. */
export function revisionOf({ id, version }: Pick<Secret, 'id' | 'version'>): string {
  return `${id}.${version}`;
}

/** Things that are listed in an error. */
const shownUsesMax = 5;

export function secretInUse(name: string, uses: readonly string[]): ApiError {
  const shown = uses.slice(0, shownUsesMax);
  if (uses.length > shown.length) shown.push(`${uses.length - shown.length} more`);
  return new ApiError(
    'secret_in_use',
    `The secret "${name}" is used by ${shown.join(', ')}; change them first.`,
  );
}

/** Refuses a configuration that refers to secrets that are not there. */
export async function requireSecrets(
  transaction: DatabaseTransaction,
  place: SecretsPlace,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const rows = await rowsOf(transaction, place)
    .where('name', 'in', [...names])
    .execute();
  const known = new Set(rows.map(({ name }) => name));
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined)
    throw new ApiError(
      'invalid_pipeline_configuration',
      `The configuration refers to the secret ${missing}, which does not exist in the cluster; create it first.`,
    );
}

function wordsFor({ pipelineName, version }: SecretUse): string {
  return `the pipeline "${pipelineName}" (version ${version})`;
}

function purposeOf(id: string): string {
  return `secret ${id}`;
}

function rowsOf(database: Database | DatabaseTransaction, { accountId, clusterId }: SecretsPlace) {
  return database
    .selectFrom('weir_secrets')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cluster_id', '=', clusterId);
}

async function requireSecret(
  transaction: DatabaseTransaction,
  place: SecretsPlace,
  name: string,
): Promise<SecretRow> {
  const row = await rowsOf(transaction, place).where('name', '=', name).executeTakeFirst();
  if (row === undefined) throw notFound('secret');
  return row;
}

function secretOf(row: SecretRow): Secret {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    allowsExporters: row.allows_exporters === 1,
    createdMs: row.created_ms,
    createdBy: row.created_by,
    updatedMs: row.updated_ms,
    updatedBy: row.updated_by,
  };
}
