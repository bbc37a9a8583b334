import { type ConfigTexts, clusterConfigValue } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { groupLimits } from '../limits.ts';
import type { ClassicRules } from './event.ts';

/** A member without an answer to its first JoinGroup is removed after this time, as in Kafka. */
const newMemberJoinMs = 300_000;

/** How long after the loss of an agent or a leader joins mostly come from clients that had waited there. */
export const returningMs = 10_000;
/** Clients that lost their coordinator join again within this time. */
const returnDelayMs = 1_000;

/**
 * The rules while clients return. They have waited for their first generation already, and losses every few seconds
 * would delay it forever if each of them started the wait anew. The price is another rebalance for those that are late.
 */
export function rulesForReturning(rules: ClassicRules): ClassicRules {
  const initialRebalanceDelayMs = Math.min(rules.initialRebalanceDelayMs, returnDelayMs);
  return { ...rules, initialRebalanceDelayMs };
}

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
