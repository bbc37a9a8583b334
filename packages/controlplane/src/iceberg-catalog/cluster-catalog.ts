import { clusterTypeOf } from '@weir/api';
import type { Tables } from '../accounts/workspaces/tables.ts';
import type { VirtualClusters } from '../accounts/workspaces/virtual-clusters.ts';
import { controlPlaneLimits } from '../limits.ts';
import {
  askedTable,
  askTables,
  type CatalogSecrets,
  type QuestionsPort,
} from '../operations/cluster/ask-tables.ts';
import { OperationFailed } from '../operations/operation-failed.ts';
import type { CatalogTables } from './catalog-answers.ts';

interface ClusterCatalogsOptions {
  readonly virtualClusters: Pick<VirtualClusters, 'find'>;
  readonly tables: Pick<Tables, 'list'>;
  readonly secrets: CatalogSecrets;
  readonly portOf: (clusterId: string) => QuestionsPort;
  readonly freshUuid: () => string;
}

interface KnownMetadata {
  readonly location: string;
  readonly metadata: string;
}

/**
 * The tables of clusters, as their catalogs show them. An agent says which metadata is the newest; its text is kept,
 * since it never changes.
 */
export class ClusterCatalogs {
  readonly #options: ClusterCatalogsOptions;
  /** By UUID of the table; the least recently used first. */
  readonly #known = new Map<string, KnownMetadata>();
  #knownChars = 0;

  constructor(options: ClusterCatalogsOptions) {
    this.#options = options;
  }

  /** `undefined` if the cluster is no data lake. */
  async tablesOf(clusterId: string, stop: AbortSignal): Promise<CatalogTables | undefined> {
    if (clusterTypeOf(clusterId) !== 'byoc_data_lake') return undefined;
    const { virtualClusters, tables, secrets, portOf, freshUuid } = this.#options;
    const cluster = await virtualClusters.find(clusterId);
    if (cluster === undefined) return undefined;
    const place = { accountId: cluster.accountId, clusterId };
    return {
      list: async () => (await tables.list(place)).map(({ name }) => name).sort(),
      load: async (name) => {
        const table = (await tables.list(place)).find((one) => one.name === name);
        if (table === undefined) return undefined;
        const known = this.#known.get(table.uuid);
        const question = {
          kind: 'tableMetadata',
          table: await askedTable(table, place, secrets),
          ...(known === undefined ? {} : { knownLocation: known.location }),
        } as const;
        const { location, metadata } = await askTables(portOf(clusterId), question, {
          queryId: freshUuid(),
          stop,
        });
        if (metadata !== undefined) return this.#keep(table.uuid, { location, metadata });
        if (known?.location !== location)
          throw new OperationFailed('unavailable', 'The metadata of the table changed meanwhile; try again.');
        return this.#keep(table.uuid, known);
      },
    };
  }

  #keep(uuid: string, known: KnownMetadata): KnownMetadata {
    const before = this.#known.get(uuid);
    if (before !== undefined) this.#forget(uuid, before);
    this.#known.set(uuid, known);
    this.#knownChars += known.metadata.length;
    for (const [oldest, one] of this.#known) {
      if (this.#knownChars <= controlPlaneLimits.catalogMetadataCharsMax) break;
      this.#forget(oldest, one);
    }
    return known;
  }

  #forget(uuid: string, { metadata }: KnownMetadata): void {
    this.#known.delete(uuid);
    this.#knownChars -= metadata.length;
  }
}
