import type { Client } from '@weir/api';
import { Failure } from '@weir/core';
import { orFailure } from './api-client.ts';

/**
 * Returns the id of the cluster that was named, by id or by name; without a name, the only cluster that the key can
 * see.
 */
export async function clusterId(client: Client, named: string | undefined): Promise<string> {
  if (named !== undefined && /^vci_/i.test(named)) return named;
  const { virtual_clusters: clusters } = await orFailure(client.call('list_virtual_clusters', {}));
  if (clusters.length === 0)
    throw new Failure(
      'the key sees no virtual cluster; keys of applications see those of their workspace, keys of the account none',
    );
  const wanted = clusters.filter(({ name }) => named === undefined || nameOf(name) === nameOf(named));
  const [only, ...others] = wanted;
  if (only !== undefined && others.length === 0) return only.id;
  const all = (wanted.length === 0 ? clusters : wanted).map(({ id, name }) => `${name} (${id})`).join(', ');
  if (named !== undefined && only === undefined)
    throw new Failure(`-cluster ${named}: the key sees no virtual cluster of this name; there are ${all}`);
  throw new Failure(`the key sees ${wanted.length} virtual clusters; say which with -cluster: ${all}`);
}

/** Some API responses prefix the name. */
function nameOf(name: string): string {
  return name.replace(/^vcn_/, '');
}
