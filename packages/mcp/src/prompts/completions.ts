import { apiLimits } from '@weir/api/limits';
import { filterFieldsOf } from '@weir/events';
import { mcpLimits } from '../limits.ts';
import { clusterIdOf, reachedClusters } from '../tools/find-cluster.ts';
import type { ToolContext } from '../tools/tool-context.ts';
import type { PromptArgument } from './prompts.ts';

type Completion = {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
};

/** Returns the values that begin with the typed text, then those that contain it. */
export function completionOf(values: readonly string[], typed: string): Completion {
  const wanted = typed.toLowerCase();
  const found = values.filter((value) => value.toLowerCase().includes(wanted));
  const begins = (value: string) => (value.toLowerCase().startsWith(wanted) ? 0 : 1);
  const sorted = found.toSorted((a, b) => begins(a) - begins(b));
  const shown = sorted.slice(0, mcpLimits.mcpCompletionsMax);
  return { values: shown, total: found.length, hasMore: found.length > shown.length };
}

/**
 * Returns the possible values of an argument, given the earlier ones. Without a cluster its contents cannot be
 * completed.
 */
export async function valuesOf(
  completedBy: PromptArgument['completedBy'],
  given: Readonly<Record<string, string>>,
  typed: string,
  context: ToolContext,
): Promise<readonly string[]> {
  if (completedBy === undefined) return [];
  if (completedBy === 'event_field') return filterFieldsOf().filter((name) => !name.endsWith('*'));
  if (completedBy === 'cluster') return (await reachedClusters(context)).map(({ name }) => name);
  if (given.virtual_cluster_id === undefined) return [];
  const virtual_cluster_id = await clusterIdOf(context, given.virtual_cluster_id);
  if (completedBy === 'topic')
    return (await context.call('list_topics', { virtual_cluster_id })).topics.map(({ name }) => name);
  const { groups } = await context.call('list_consumer_groups', {
    virtual_cluster_id,
    query: typed,
    limit: apiLimits.apiPageRowsMax,
  });
  return groups.map(({ name }) => name);
}
