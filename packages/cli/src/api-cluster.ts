import type { Client } from '@weir/api';
import { orFailure } from '../api-client.ts';
import { Failure } from '../failure.ts';

/** The cluster that is meant: the one that was named, or the only one that the key sees. */
export async function eventCluster(client: Client, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const { virtual_clusters: clusters } = await orFailure(client.call('list_virtual_clusters', {}));
  const [only, ...others] = clusters;
  if (only === undefined) throw new Failure('the key sees no virtual cluster');
  if (others.length > 0)
    throw new Failure(`the key sees ${clusters.length} virtual clusters; say which with -cluster`);
  return only.id;
}
