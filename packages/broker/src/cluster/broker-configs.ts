import type { EntriesView } from '@weir/cluster';
import type { ClusterView } from './cluster-view.ts';

type Configs = Readonly<Record<string, string>>;
type View = Pick<ClusterView, 'clusterConfigs' | 'records'>;

/** Returns the configs that are set for one broker alone, by its node id. */
export function configsOfBroker(cluster: Pick<ClusterView, 'records'>, nodeId: number | string): Configs {
  const value = ofBrokers(cluster).byKey.get(String(nodeId));
  return value === undefined ? {} : (JSON.parse(Buffer.from(value).toString()) as Configs);
}

/** Whether configs are set for the broker. */
export function hasConfigs(cluster: Pick<ClusterView, 'records'>, nodeId: string): boolean {
  return ofBrokers(cluster).byKey.has(nodeId);
}

/**
 * Returns a reader of the effective configs of one broker: its own override those of the cluster. The reader returns
 * the same object until a config changes, so that callers can cache derived values.
 */
export function ownConfigsReader(nodeId: () => number): (cluster: View) => Configs {
  let clusterConfigs: Configs | undefined;
  let version = -1;
  let node = -1;
  let own: Configs = {};
  return (cluster) => {
    const present = cluster.clusterConfigs();
    const records = ofBrokers(cluster);
    if (records.byKey.size === 0) return present;
    if (present !== clusterConfigs || records.version !== version || nodeId() !== node) {
      clusterConfigs = present;
      version = records.version;
      node = nodeId();
      own = { ...present, ...configsOfBroker(cluster, node) };
    }
    return own;
  };
}

function ofBrokers(cluster: Pick<ClusterView, 'records'>): EntriesView {
  return cluster.records('brokerConfigs');
}
