import type { StreamsHeartbeat } from '@weir/cluster';
import { invalidity, type Problem, tooLong } from '../modern/heartbeats.ts';
import type { StreamsRules } from './event.ts';
import { awayEpoch } from './streams-group.ts';
import { problemOfTopology } from './topology.ts';

/** Validates a heartbeat independently of the group. */
export function checkHeartbeat(heartbeat: StreamsHeartbeat, rules: StreamsRules): Problem | undefined {
  const invalid = invalidity(heartbeat, rules) ?? inconsistency(heartbeat, rules);
  if (invalid !== undefined) return { error: 'INVALID_REQUEST', message: invalid };
  if (heartbeat.topology === null) return undefined;
  const problem = problemOfTopology(heartbeat.topology);
  return problem === undefined ? undefined : { error: 'STREAMS_INVALID_TOPOLOGY', message: problem };
}

function inconsistency(heartbeat: StreamsHeartbeat, rules: StreamsRules): string | undefined {
  const { memberId, memberEpoch, instanceId, processId, endpoint, clientTags, topology } = heartbeat;
  if (memberId.trim() === '') return "MemberId can't be empty.";
  if (instanceId === '') return "InstanceId can't be empty.";
  const names = [instanceId, processId, endpoint?.host, ...Object.entries(clientTags ?? {}).flat()];
  if (names.some((name) => (name?.length ?? 0) > rules.nameCharsMax)) return tooLong(rules);
  if (memberEpoch < awayEpoch)
    return `MemberEpoch is ${memberEpoch}, but must be greater than or equal to -2.`;
  if (memberEpoch === awayEpoch && instanceId === null)
    return 'Only a member with an instance id can leave temporarily.';
  if (heartbeat.rebalanceTimeoutMs < -1) return 'The rebalance timeout is negative.';
  if (memberEpoch !== 0)
    return topology === null ? undefined : 'Topology can only be provided when (re-)joining.';
  return incompleteness(heartbeat);
}

/** A joining member must send all of its fields and own no tasks. */
function incompleteness({ rebalanceTimeoutMs, owned, topology }: StreamsHeartbeat): string | undefined {
  if (rebalanceTimeoutMs === -1) return 'RebalanceTimeoutMs must be provided in first request.';
  if (owned !== null && (owned.active.length > 0 || owned.standby.length > 0)) {
    return 'ActiveTasks and StandbyTasks must be empty when (re-)joining.';
  }
  return topology === null ? 'Topology must be non-null when (re-)joining.' : undefined;
}
