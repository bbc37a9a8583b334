import { type ConfigTexts, clusterConfigValue, groupConfigValue, type StartOffset } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { groupLimits } from '../limits.ts';
import type { ModernRules } from '../modern/modern-step.ts';
import type { PartitionRules } from './partitions/share-partition.ts';

/** The configuration of one share group. */
export interface ShareGroupRules extends ModernRules, PartitionRules {
  /** The start position in a partition that the group has not read yet. */
  readonly beginsAt: StartOffset;
  readonly isReadCommitted: boolean;
}

export function shareRules(own: ConfigTexts, cluster: ConfigTexts): ShareGroupRules {
  return {
    assignmentIntervalMs: assignmentIntervalMs(own, cluster),
    heartbeatIntervalMs: groupConfigValue('share.heartbeat.interval.ms', own, cluster),
    sessionTimeoutMs: groupConfigValue('share.session.timeout.ms', own, cluster),
    groupSizeMax: clusterConfigValue('group.share.max.size', cluster),
    subscribedNamesMax: groupLimits.subscribedNamesMax,
    textCharsMax: groupLimits.groupMetadataBytesMax,
    nameCharsMax: coreLimits.groupNameCharsMax,
    lockMs: groupConfigValue('share.record.lock.duration.ms', own, cluster),
    deliveriesMax: groupConfigValue('share.delivery.count.limit', own, cluster),
    windowMax: groupConfigValue('share.partition.max.record.locks', own, cluster),
    mayRenew: groupConfigValue('share.renew.acknowledge.enable', own, cluster),
    beginsAt: groupConfigValue('share.auto.offset.reset', own, cluster),
    isReadCommitted: groupConfigValue('share.isolation.level', own, cluster) === 'read_committed',
  };
}

/** The config of the group applies within the bounds of the cluster configs. */
function assignmentIntervalMs(own: ConfigTexts, cluster: ConfigTexts): number {
  const wantedMs = groupConfigValue('share.assignment.interval.ms', own, cluster);
  if (!Object.hasOwn(own, 'share.assignment.interval.ms')) return wantedMs;
  const minMs = clusterConfigValue('group.share.min.assignment.interval.ms', cluster);
  const maxMs = clusterConfigValue('group.share.max.assignment.interval.ms', cluster);
  return Math.max(minMs, Math.min(maxMs, wantedMs));
}
