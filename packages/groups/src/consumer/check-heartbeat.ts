import type { ConsumerHeartbeat, GroupError } from '@weir/cluster';
import { assignors, isAssignorName } from '../assignors/assignor.ts';
import { awayEpoch } from './consumer-group.ts';
import type { ConsumerRules } from './event.ts';

export interface Problem {
  readonly error: GroupError;
  readonly message: string;
}

/** Validates a heartbeat independently of the group. */
export function checkHeartbeat(heartbeat: ConsumerHeartbeat, rules: ConsumerRules): Problem | undefined {
  const invalid = invalidity(heartbeat, rules);
  if (invalid !== undefined) return { error: 'INVALID_REQUEST', message: invalid };
  const { serverAssignor } = heartbeat;
  if (serverAssignor !== null && !isAssignorName(serverAssignor)) {
    const known = Object.keys(assignors).join(' and ');
    return {
      error: 'UNSUPPORTED_ASSIGNOR',
      message: `There is no assignor ${serverAssignor}; ${known} are there.`,
    };
  }
  return undefined;
}

function invalidity(heartbeat: ConsumerHeartbeat, rules: ConsumerRules): string | undefined {
  const { groupId, memberId, memberEpoch, instanceId, rackId } = heartbeat;
  if (groupId.trim() === '') return 'The group id is empty.';
  const texts = [groupId, memberId, instanceId ?? '', rackId ?? '', heartbeat.clientId];
  if (texts.some((text) => text.length > rules.nameCharsMax)) {
    return `An id has more than ${rules.nameCharsMax} characters.`;
  }
  if (instanceId === '') return 'The instance id is empty.';
  if (rackId === '') return 'The rack id is empty.';
  if (memberId.trim() === '' && (heartbeat.requiresMemberId || memberEpoch !== 0)) {
    return 'The member id is empty.';
  }
  if (memberEpoch < awayEpoch) return `${memberEpoch} is no member epoch.`;
  if (memberEpoch === awayEpoch && instanceId === null)
    return 'Only a member with an instance id leaves for a while.';
  if (heartbeat.rebalanceTimeoutMs < -1) return 'The rebalance timeout is negative.';
  const nameCount = heartbeat.subscribedTopicNames?.length ?? 0;
  if (nameCount > rules.subscribedNamesMax) {
    return `${nameCount} topic names; at most ${rules.subscribedNamesMax} can be subscribed to.`;
  }
  return memberEpoch === 0 ? incompleteness(heartbeat) : undefined;
}

/** A joining member must send all of its fields and own no partitions. */
function incompleteness(heartbeat: ConsumerHeartbeat): string | undefined {
  const { rebalanceTimeoutMs, ownedPartitions, subscribedTopicNames, subscribedTopicRegex } = heartbeat;
  if (rebalanceTimeoutMs === -1) return 'A member that joins has to say its rebalance timeout.';
  if (ownedPartitions === null || ownedPartitions.length > 0) {
    return 'A member that joins has to say that it owns no partitions.';
  }
  if (subscribedTopicNames === null && subscribedTopicRegex === null) {
    return 'A member that joins has to say what it subscribes to.';
  }
  return undefined;
}
