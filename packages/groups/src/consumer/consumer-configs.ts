import { type ConfigTexts, clusterConfigValue, groupConfigValue } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { groupLimits } from '../limits.ts';
import type { ConsumerRules } from './event.ts';

export function consumerRules(own: ConfigTexts, cluster: ConfigTexts): ConsumerRules {
  return {
    assignmentIntervalMs: boundedMs('assignment.interval.ms', own, cluster),
    heartbeatIntervalMs: boundedMs('heartbeat.interval.ms', own, cluster),
    sessionTimeoutMs: boundedMs('session.timeout.ms', own, cluster),
    groupSizeMax: clusterConfigValue('group.consumer.max.size', cluster),
    subscribedNamesMax: groupLimits.subscribedNamesMax,
    textCharsMax: groupLimits.groupMetadataBytesMax,
    nameCharsMax: coreLimits.groupNameCharsMax,
    classicSessionTimeoutMsMin: clusterConfigValue('group.min.session.timeout.ms', cluster),
    classicSessionTimeoutMsMax: clusterConfigValue('group.max.session.timeout.ms', cluster),
    memberProtocolsMax: groupLimits.memberProtocolsMax,
  };
}

/** Returns whether the migration policy lets groups with members change to the other protocol. */
export function mayMigrate(to: 'consumer' | 'classic', cluster: ConfigTexts): boolean {
  const policy = clusterConfigValue('group.consumer.migration.policy', cluster);
  return policy === 'bidirectional' || policy === (to === 'consumer' ? 'upgrade' : 'downgrade');
}

/** Group configs apply within the bounds of the cluster configs. */
function boundedMs(
  name: 'assignment.interval.ms' | 'heartbeat.interval.ms' | 'session.timeout.ms',
  own: ConfigTexts,
  cluster: ConfigTexts,
): number {
  if (!Object.hasOwn(own, `consumer.${name}`)) return clusterConfigValue(`group.consumer.${name}`, cluster);
  const min = clusterConfigValue(`group.consumer.min.${name}`, cluster);
  const max = clusterConfigValue(`group.consumer.max.${name}`, cluster);
  return Math.max(min, Math.min(max, groupConfigValue(`consumer.${name}`, own, cluster)));
}
