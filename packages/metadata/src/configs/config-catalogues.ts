import type { ConfigResourceKind } from '../cluster/admin-port.ts';
import { clientMetricsConfigs } from './client-metrics-configs.ts';
import { clusterConfigAliases, clusterConfigs } from './cluster-configs.ts';
import type { ConfigAlias, ConfigRow } from './config-row.ts';
import { groupConfigs } from './group-configs.ts';
import { topicConfigAliases, topicConfigs } from './topic-configs.ts';

/** Names that begin so are ours; one that the catalogue does not have is a mistake, and others are somebody else's. */
export const ourPrefix = 'service.';

/** All configs of one kind of resource. */
export interface ConfigCatalogue {
  /** As messages call the resource. */
  readonly noun: string;
  readonly rows: Readonly<Record<string, ConfigRow>>;
  readonly aliases: Readonly<Record<string, ConfigAlias>>;
  /** Whether a name that is not in the catalogue is a mistake even without our prefix. */
  readonly knowsAll: boolean;
}

/** Whether a kind of resource has a config of this name, or one that goes by it. */
export function isConfigName(kind: ConfigResourceKind, name: string): boolean {
  const { rows, aliases } = configCatalogues[kind];
  return Object.hasOwn(rows, name) || Object.hasOwn(aliases, name);
}

export const configCatalogues: Readonly<Record<ConfigResourceKind, ConfigCatalogue>> = {
  topic: { noun: 'topic', rows: topicConfigs, aliases: topicConfigAliases, knowsAll: false },
  cluster: { noun: 'cluster', rows: clusterConfigs, aliases: clusterConfigAliases, knowsAll: false },
  group: { noun: 'group', rows: groupConfigs, aliases: {}, knowsAll: true },
  clientMetrics: { noun: 'client metrics', rows: clientMetricsConfigs, aliases: {}, knowsAll: true },
};
