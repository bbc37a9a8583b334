import { apiLimits } from '@weir/api/limits';
import { freshId } from '../common/ids.ts';
import { byName, checkedName, requireRoomInCluster } from '../common/names.ts';
import { AccountStore } from '../database/account-store.ts';
import { federationTable, virtualClusterTable } from '../database/account-table.ts';
import type { FederationRow } from '../database/schema.ts';

/** The required value of a claim, as written. */
interface FederationRule {
  readonly path: string;
  readonly value: string;
}

/** Defines whose tokens admit agents to a cluster. Immutable; a new one replaces it. */
export interface Federation {
  /** `wif_…` */
  readonly id: string;
  readonly clusterId: string;
  readonly name: string;
  readonly issuer: string;
  /** The audience that a token must have. */
  readonly audience: string;
  readonly rules: readonly FederationRule[];
  readonly isReadOnly: boolean;
  /** The lifetime of the issued agent token. */
  readonly lifetimeSeconds: number;
  readonly createdMs: number;
}

export type NewFederation = Omit<Federation, 'id' | 'createdMs'>;

/** The federations of clusters. The caller validates the rules. */
export class Federations extends AccountStore {
  /** By name. */
  async list(accountId: string, clusterId: string): Promise<Federation[]> {
    const rows = await federationTable.list(this.database, accountId, { cluster_id: clusterId });
    return rows.map(federationOf).sort(byName);
  }

  /** Lists those that admit to a cluster, in any account. A deleted cluster has none. */
  async admittingTo(clusterId: string): Promise<Federation[]> {
    const rows = await this.database
      .selectFrom('weir_federations as federations')
      .innerJoin('weir_virtual_clusters as clusters', 'clusters.id', 'federations.cluster_id')
      .selectAll('federations')
      .where('federations.cluster_id', '=', clusterId)
      .where('clusters.deleted_ms', 'is', null)
      .orderBy('federations.name')
      .execute();
    return rows.map(federationOf);
  }

  create(accountId: string, federation: NewFederation): Promise<Federation> {
    return this.changeAccount(accountId, async (transaction) => {
      const { clusterId, name } = federation;
      await virtualClusterTable.require(transaction, accountId, clusterId);
      const others = await federationTable.list(transaction, accountId, { cluster_id: clusterId });
      requireRoomInCluster(others, { what: 'federation', name, max: apiLimits.workloadBindingsMax });
      const { clock, random } = this.deps;
      const row: FederationRow = {
        id: freshId('workloadIdentity', random),
        account_id: accountId,
        cluster_id: clusterId,
        name: checkedName('federation', name),
        issuer: federation.issuer,
        audience: federation.audience,
        claim_rules: JSON.stringify(federation.rules.map(({ path, value }) => ({ path, value }))),
        is_read_only: federation.isReadOnly ? 1 : 0,
        lifetime_seconds: federation.lifetimeSeconds,
        created_ms: clock.nowMs(),
      };
      await transaction.insertInto('weir_federations').values(row).execute();
      return federationOf(row);
    });
  }

  async delete(accountId: string, clusterId: string, federationId: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await federationTable.delete(transaction, accountId, federationId, { cluster_id: clusterId });
    });
  }
}

function federationOf(row: FederationRow): Federation {
  return {
    id: row.id,
    clusterId: row.cluster_id,
    name: row.name,
    issuer: row.issuer,
    audience: row.audience,
    rules: JSON.parse(row.claim_rules) as FederationRule[],
    isReadOnly: row.is_read_only === 1,
    lifetimeSeconds: row.lifetime_seconds,
    createdMs: row.created_ms,
  };
}
