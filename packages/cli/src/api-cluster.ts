import { type Client, clusterTypes, type OutputOf } from '@weir/api';
import { clusterKind, Failure } from '@weir/core';
import { orFailure } from './api-client.ts';

type VirtualCluster = OutputOf<'list_virtual_clusters'>['virtual_clusters'][number];

/**
 * Returns the id of the cluster that was named, by id or by name; without a name, the only cluster that the key can
 * see. Data lakes do not count unless there is nothing else: each `local`, `playground` and `demo` has one.
 */
export async function clusterId(client: Client, named: string | undefined): Promise<string> {
  if (named !== undefined && /^vci_/i.test(named)) return named;
  const { virtual_clusters: clusters } = await orFailure(client.call('list_virtual_clusters', {}));
  if (clusters.length === 0)
    throw new Failure(
      'the key has access to no virtual cluster; use an application key, which has access to the clusters of its workspace',
    );
  const wanted =
    named === undefined ? withoutDataLakes(clusters, ({ id }) => id) : clustersNamed(clusters, named);
  const [only, ...others] = wanted;
  if (only !== undefined && others.length === 0) return only.id;
  const all = (wanted.length === 0 ? clusters : wanted).map(({ id, name }) => `${name} (${id})`).join(', ');
  if (named !== undefined && only === undefined)
    throw new Failure(`-cluster ${named}: not found; the key has access to ${all}`);
  throw new Failure(
    `the key has access to ${wanted.length} virtual clusters; choose one with -cluster: ${all}`,
  );
}

/** Clusters that are not data lakes, unless there is nothing else. */
export function withoutDataLakes<Cluster>(
  clusters: readonly Cluster[],
  idOf: (cluster: Cluster) => string,
): readonly Cluster[] {
  const others = clusters.filter((cluster) => clusterKind(idOf(cluster)) !== 'data lake');
  return others.length === 0 ? clusters : others;
}

/** Prefixes may be left out, that of the type too: `tables` is `vcn_dl_tables`, unless there is `vcn_tables`. */
function clustersNamed<Cluster extends Pick<VirtualCluster, 'name' | 'type'>>(
  clusters: readonly Cluster[],
  named: string,
): readonly Cluster[] {
  const exact = clusters.filter(({ name }) => withoutPrefix(name) === withoutPrefix(named));
  if (exact.length > 0) return exact;
  return clusters.filter(({ name, type }) => name === `${clusterTypes[type].namePrefix}${named}`);
}

function withoutPrefix(name: string): string {
  return name.replace(/^vcn_/, '');
}
