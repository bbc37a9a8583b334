import { type ConfigTexts, clusterConfigValue, groupConfigValue } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { groupLimits } from '../limits.ts';
import type { StreamsRules } from './event.ts';

/** The configuration of one streams group. */
export function streamsRules(own: ConfigTexts, cluster: ConfigTexts): StreamsRules {
  const standbyCount = groupConfigValue('streams.num.standby.replicas', own, cluster);
  const standbyCountMax = clusterConfigValue('group.streams.max.standby.replicas', cluster);
  return {
    assignmentIntervalMs: boundedMs('assignment.interval.ms', own, cluster),
    heartbeatIntervalMs: boundedMs('heartbeat.interval.ms', own, cluster),
    sessionTimeoutMs: boundedMs('session.timeout.ms', own, cluster),
    groupSizeMax: clusterConfigValue('group.streams.max.size', cluster),
    subscribedNamesMax: groupLimits.subscribedNamesMax,
    textCharsMax: groupLimits.groupMetadataBytesMax,
    nameCharsMax: coreLimits.groupNameCharsMax,
    standbyCount: Object.hasOwn(own, 'streams.num.standby.replicas')
      ? Math.min(standbyCount, standbyCountMax)
      : standbyCount,
    initialDelayMs: groupConfigValue('streams.initial.rebalance.delay.ms', own, cluster),
  };
}

/** Group configs apply within the bounds of the cluster configs. */
function boundedMs(
  name: 'assignment.interval.ms' | 'heartbeat.interval.ms' | 'session.timeout.ms',
  own: ConfigTexts,
  cluster: ConfigTexts,
): number {
  if (!Object.hasOwn(own, `streams.${name}`)) return clusterConfigValue(`group.streams.${name}`, cluster);
  const min = clusterConfigValue(`group.streams.min.${name}`, cluster);
  const max = clusterConfigValue(`group.streams.max.${name}`, cluster);
  return Math.max(min, Math.min(max, groupConfigValue(`streams.${name}`, own, cluster)));
}
