import type {
  AcknowledgeAnswer,
  ClusterPort,
  ModernHeartbeatAnswer,
  RecordsToAcknowledge,
  ShareHeartbeat,
} from '@weir/cluster';
import { GatheredCalls } from '../cluster-calls/gathered-calls.ts';
import { brokerLimits } from '../limits.ts';

/** Heartbeats of members of share groups, batched into common calls. */
export function shareHeartbeats(port: ClusterPort): GatheredCalls<ShareHeartbeat, ModernHeartbeatAnswer> {
  return new GatheredCalls({
    call: (heartbeats) => port.shareGroupHeartbeats(heartbeats),
    weigh: ({ subscribedTopicNames }) => 1 + (subscribedTopicNames?.length ?? 0),
    weightMax: brokerLimits.gatheredRowsMax,
  });
}

/** Acknowledgements of members, batched into common calls. */
export function shareAcknowledgements(
  port: ClusterPort,
): GatheredCalls<RecordsToAcknowledge, AcknowledgeAnswer> {
  return new GatheredCalls({
    call: (requests) => port.acknowledgeRecords(requests),
    weigh: ({ partitions, released }) =>
      1 + released.length + partitions.reduce((sum, { type }) => sum + 1 + type.length, 0),
    weightMax: brokerLimits.gatheredRowsMax,
  });
}
