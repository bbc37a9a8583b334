import type { ConsumerHeartbeat } from '@weir/cluster';
import { assignors, isAssignorName } from '../assignors/assignor.ts';
import { invalidity, type Problem, tooLong } from '../modern/heartbeats.ts';
import { awayEpoch } from './consumer-group.ts';
import type { ConsumerRules } from './event.ts';

/** Validates a heartbeat independently of the group. */
export function checkHeartbeat(heartbeat: ConsumerHeartbeat, rules: ConsumerRules): Problem | undefined {
  const invalid = invalidity(heartbeat, rules) ?? inconsistency(heartbeat, rules);
  if (invalid !== undefined) return { error: 'INVALID_REQUEST', message: invalid };
  const { serverAssignor } = heartbeat;
  if (serverAssignor !== null && !isAssignorName(serverAssignor)) {
    const known = Object.keys(assignors).join(' and ');
    return {
      error: 'UNSUPPORTED_ASSIGNOR',
      message: `Assignor ${serverAssignor} is not supported; supported are ${known}.`,
    };
  }
  return undefined;
}

function inconsistency(heartbeat: ConsumerHeartbeat, rules: ConsumerRules): string | undefined {
  const { memberId, memberEpoch, instanceId } = heartbeat;
  if (instanceId !== null && instanceId.length > rules.nameCharsMax) return tooLong(rules);
  if (instanceId === '') return 'The instance id is empty.';
  if (memberId.trim() === '' && (heartbeat.requiresMemberId || memberEpoch !== 0)) {
    return 'The member id is empty.';
  }
  if (memberEpoch < awayEpoch) return `Member epoch ${memberEpoch} is invalid.`;
  if (memberEpoch === awayEpoch && instanceId === null)
    return 'Only a member with an instance id can leave temporarily.';
  if (heartbeat.rebalanceTimeoutMs < -1) return 'The rebalance timeout is negative.';
  return memberEpoch === 0 ? incompleteness(heartbeat) : undefined;
}

/** A joining member must send all of its fields and own no partitions. */
function incompleteness(heartbeat: ConsumerHeartbeat): string | undefined {
  const { rebalanceTimeoutMs, ownedPartitions, subscribedTopicNames, subscribedTopicRegex } = heartbeat;
  if (rebalanceTimeoutMs === -1) return 'A joining member must send its rebalance timeout.';
  if (ownedPartitions === null || ownedPartitions.length > 0) {
    return 'A joining member must send an empty list of owned partitions.';
  }
  if (subscribedTopicNames === null && subscribedTopicRegex === null) {
    return 'A joining member must send its subscription.';
  }
  return undefined;
}
