import type { Clock } from '@weir/core';
import { clusterLimits } from '../limits.ts';
import { addAgentStats } from './agent-stats.ts';
import { CombinedStats } from './combined-stats.ts';
import { addGroupStats } from './group-stats.ts';
import type { MeasuredClusterView } from './measured-cluster-view.ts';
import type { SwitchedTag } from './published-metric.ts';
import { type GroupLimits, readGroups } from './read-groups.ts';
import { addStorageStats } from './storage-stats.ts';
import { addTableStats } from './table-stats.ts';
import { addClusterStats, addTopicStats } from './topic-stats.ts';

/** Which metrics of the cluster are published. */
export interface ClusterMetricsSettings {
  /** Whether metrics of consumer groups are included. */
  readonly includesGroups: boolean;
  readonly withoutTags: readonly SwitchedTag[];
}

interface ReadStats {
  readonly stats: CombinedStats;
  /** Number of groups that were omitted. */
  readonly groupsLeftOut: number;
}

const usualLimits: GroupLimits = {
  groupsMax: clusterLimits.publishedGroupsMax,
  partitionsMax: clusterLimits.publishedGroupPartitionsMax,
};

/**
 * Reads all stats of a cluster. Metrics with few series come first, so that they fit wherever series are limited. The
 * order is the same in every round, so that the same series are omitted.
 */
export async function readStats(
  view: MeasuredClusterView,
  settings: ClusterMetricsSettings,
  clock: Clock,
  limits: GroupLimits = usualLimits,
): Promise<ReadStats> {
  const stats = new CombinedStats(settings.withoutTags);
  await addClusterStats(view, stats);
  await addStorageStats(view.port, stats);
  addAgentStats(view.agents(), stats);
  await addTableStats(view.port, stats);
  let groupsLeftOut = 0;
  if (settings.includesGroups) {
    const topicIdOf = (name: string) => view.topicByName(name)?.topicId;
    const { groups, leftOut } = await readGroups({ port: view.port, topicIdOf, limits });
    groupsLeftOut = leftOut;
    await addGroupStats(view, groups, stats, clock);
  }
  await addTopicStats(view, stats, clock);
  return { stats, groupsLeftOut };
}
