import type { ConfigResourceKind } from '../calls/admin-calls.ts';
import { brokerConfigs, isUnchangeable } from './broker-configs.ts';
import { clientMetricsConfigs } from './client-metrics-configs.ts';
import { clusterConfigAliases, clusterConfigs } from './cluster-configs.ts';
import type { ConfigAlias, ConfigRow } from './config-row.ts';
import { groupConfigs } from './group-configs.ts';
import { topicConfigAliases, topicConfigs } from './topic-configs.ts';

/** Prefix of configs that are not Kafka's. */
export const ourPrefix = 'service.';

/** All configs of one kind of resource. */
export interface ConfigCatalogue {
  /** Name of the resource in messages. */
  readonly noun: string;
  readonly rows: Readonly<Record<string, ConfigRow>>;
  readonly aliases: Readonly<Record<string, ConfigAlias>>;
  /** Returns whether a name without a row is a Kafka config that cannot be set here. Every other name is an error. */
  isUnchangeable(name: string): boolean;
}

/** Returns whether a kind of resource has a config or an alias of this name. */
export function isConfigName(kind: ConfigResourceKind, name: string): boolean {
  const { rows, aliases } = configCatalogues[kind];
  return Object.hasOwn(rows, name) || Object.hasOwn(aliases, name);
}

/** Sorted by name: the order in which configs are stored and shown. */
const ofBrokers: Readonly<Record<string, ConfigRow>> = Object.fromEntries(
  Object.entries<ConfigRow>({ ...clusterConfigs, ...brokerConfigs }).sort(([a], [b]) => (a < b ? -1 : 1)),
);
const never = () => false;

export const configCatalogues: Readonly<Record<ConfigResourceKind, ConfigCatalogue>> = {
  topic: { noun: 'topic', rows: topicConfigs, aliases: topicConfigAliases, isUnchangeable: never },
  cluster: { noun: 'cluster', rows: ofBrokers, aliases: clusterConfigAliases, isUnchangeable },
  broker: { noun: 'broker', rows: ofBrokers, aliases: clusterConfigAliases, isUnchangeable },
  group: { noun: 'group', rows: groupConfigs, aliases: {}, isUnchangeable: never },
  clientMetrics: { noun: 'client metrics', rows: clientMetricsConfigs, aliases: {}, isUnchangeable: never },
};
