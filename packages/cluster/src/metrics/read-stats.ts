import type { Clock } from '@weir/core';
import { clusterLimits } from '../limits.ts';
import { addAgentStats } from './agent-stats.ts';
import { CombinedStats } from './combined-stats.ts';
import { addGroupStats } from './group-stats.ts';
import type { MeasuredClusterView } from './measured-cluster-view.ts';
import type { SwitchedTag } from './published-metric.ts';
import { type GroupLimits, readGroups } from './read-groups.ts';
import { addClusterStats, addTopicStats } from './topic-stats.ts';

/** What is told of the cluster. */
export interface ClusterMetricsSettings {
  /** Whether consumer groups are among it. */
  readonly includesGroups: boolean;
  readonly withoutTags: readonly SwitchedTag[];
}

interface ReadStats {
  readonly stats: CombinedStats;
  /** Groups that there are besides. */
  readonly groupsLeftOut: number;
}

const usualLimits: GroupLimits = {
  groupsMax: clusterLimits.publishedGroupsMax,
  partitionsMax: clusterLimits.publishedGroupPartitionsMax,
};

/**
 * What can be said of a cluster at one moment. What there is few of comes first, so that wherever series are limited it has its place, and
 * everything in the same order each time, so that the same series are left out.
 */
export async function readStats(
  sight: MeasuredClusterView,
  settings: ClusterMetricsSettings,
  clock: Clock,
  limits: GroupLimits = usualLimits,
): Promise<ReadStats> {
  const stats = new CombinedStats(settings.withoutTags);
  await addClusterStats(sight, stats);
  addAgentStats(sight.agents(), stats);
  let groupsLeftOut = 0;
  if (settings.includesGroups) {
    const topicIdOf = (name: string) => sight.topicByName(name)?.topicId;
    const { groups, leftOut } = await readGroups({ port: sight.port, topicIdOf, limits });
    groupsLeftOut = leftOut;
    await addGroupStats(sight, groups, stats, clock);
  }
  await addTopicStats(sight, stats, clock);
  return { stats, groupsLeftOut };
}
