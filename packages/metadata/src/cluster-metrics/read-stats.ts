import { type Clock, caps } from '@weir/core';
import { addAgentFigures } from './agent-stats.ts';
import { CombinedFigures } from './combined-stats.ts';
import { addGroupFigures } from './group-stats.ts';
import type { ClusterSight } from './measured-cluster-view.ts';
import type { SwitchedTag } from './published-metric.ts';
import { type GroupLimits, readGroups } from './read-groups.ts';
import { addClusterFigures, addTopicFigures } from './topic-stats.ts';

/** What is told of the cluster. */
export interface ClusterMetricsSettings {
  /** Whether consumer groups are among it. */
  readonly areGroupsTold: boolean;
  readonly withoutTags: readonly SwitchedTag[];
}

export interface ReadFigures {
  readonly figures: CombinedFigures;
  /** Groups that there are besides. */
  readonly groupsLeftOut: number;
}

const usualLimits: GroupLimits = {
  groupsMax: caps.publishedGroupsMax,
  partitionsMax: caps.publishedGroupPartitionsMax,
};

/**
 * What can be said of a cluster at one moment. What there is few of comes first, so that wherever series are limited it has its place, and
 * everything in the same order each time, so that the same series are left out.
 */
export async function readFigures(
  sight: ClusterSight,
  settings: ClusterMetricsSettings,
  clock: Clock,
  limits: GroupLimits = usualLimits,
): Promise<ReadFigures> {
  const figures = new CombinedFigures(settings.withoutTags);
  await addClusterFigures(sight, figures);
  addAgentFigures(sight.agents(), figures);
  let groupsLeftOut = 0;
  if (settings.areGroupsTold) {
    const topicIdOf = (name: string) => sight.topicByName(name)?.topicId;
    const { groups, leftOut } = await readGroups({ port: sight.port, topicIdOf, limits });
    groupsLeftOut = leftOut;
    await addGroupFigures(sight, groups, figures, clock);
  }
  await addTopicFigures(sight, figures, clock);
  return { figures, groupsLeftOut };
}
