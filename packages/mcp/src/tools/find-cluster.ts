import { ApiError, clusterTypes, isId, type OutputOf } from '@weir/api';
import { nearestNames } from '@weir/core';
import { ToolProblem } from '../answers/problem.ts';
import type { ToolContext } from './tool-context.ts';

type VisibleCluster = OutputOf<'get_context'>['workspaces'][number]['virtual_clusters'][number];

const candidatesMax = 10;

/** Returns the id of the named cluster. The prefix of the name may be omitted. */
export async function clusterIdOf(context: ToolContext, given: string): Promise<string> {
  if (isId('cluster', given)) return given;
  const clusters = await reachedClusters(context);
  const found = clusters.filter((cluster) => cluster.name === given || shortName(cluster) === given);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only.id;
  if (only !== undefined)
    throw new ToolProblem(
      'cluster_not_found',
      `${found.length} virtual clusters have this name; give the id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  throw notFound(clusters, given);
}

/** Runs work on a cluster. One that the caller may not see is not found; the error names the visible ones. */
export async function onCluster<T>(
  context: ToolContext,
  given: string,
  work: (clusterId: string) => Promise<T>,
): Promise<T> {
  const clusterId = await clusterIdOf(context, given);
  try {
    return await work(clusterId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    const clusters = await reachedClusters(context);
    if (clusters.some(({ id }) => id === clusterId)) throw error;
    throw notFound(clusters, given);
  }
}

export async function reachedClusters(context: ToolContext): Promise<readonly VisibleCluster[]> {
  const { workspaces } = await context.call('get_context', {});
  return workspaces.flatMap(({ virtual_clusters }) => virtual_clusters);
}

function notFound(clusters: readonly VisibleCluster[], given: string): ToolProblem {
  const names = clusters.map(({ name }) => name);
  const near = nearestNames(given, [...names, ...clusters.map(shortName)]);
  const candidates = near.length > 0 ? near : names.slice(0, candidatesMax);
  const there =
    candidates.length === 0
      ? 'The keys of this connection reach no virtual cluster.'
      : `Virtual clusters that these keys reach: ${candidates.join(', ')}${candidates.length < names.length ? ', …' : ''}.`;
  return new ToolProblem('cluster_not_found', `Virtual cluster not found. ${there}`);
}

/** Returns the name without the prefix of its type. */
export function shortName({ name, type }: Pick<VisibleCluster, 'name' | 'type'>): string {
  return name.slice(clusterTypes[type].namePrefix.length);
}
