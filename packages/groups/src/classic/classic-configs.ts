import { type ConfigTexts, clusterConfigValue } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { groupLimits } from '../limits.ts';
import type { ClassicRules } from './event.ts';

/** A member without an answer to its first JoinGroup is removed after this time, as in Kafka. */
const newMemberJoinMs = 300_000;

/** Classic groups have no configs of their own. */
export function classicRules(_own: ConfigTexts, cluster: ConfigTexts): ClassicRules {
  return {
    sessionTimeoutMsMin: clusterConfigValue('group.min.session.timeout.ms', cluster),
    sessionTimeoutMsMax: clusterConfigValue('group.max.session.timeout.ms', cluster),
    initialRebalanceDelayMs: clusterConfigValue('group.initial.rebalance.delay.ms', cluster),
    groupSizeMax: clusterConfigValue('group.max.size', cluster),
    pendingMembersMax: coreLimits.groupMembersMax,
    newMemberJoinMs,
    memberProtocolsMax: groupLimits.memberProtocolsMax,
    metadataBytesMax: groupLimits.groupMetadataBytesMax,
    assignmentBytesMax: groupLimits.groupAssignmentBytesMax,
  };
}
