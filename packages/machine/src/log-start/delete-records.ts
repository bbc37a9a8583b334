import { type DeleteRecordsResult, type RecordsToDelete, topicConfigValue } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import { isManaged } from '../managed/managed-topics.ts';
import type { LogStarts } from './log-starts.ts';

/** Decides which log starts DeleteRecords raises, without applying it. */
export function decideDeleteRecords(
  state: ClusterState,
  requests: readonly RecordsToDelete[],
): { starts: LogStarts; results: DeleteRecordsResult[] } {
  const { topics, clusterConfigs } = state;
  const starts = new Map<PartitionLog, number>();

  const results = requests.map(({ topicId, partition, offset }): DeleteRecordsResult => {
    const topic = topics.byId(topicId);
    if (topic === undefined) return refused('UNKNOWN_TOPIC_ID');
    const log = topic.partitions[partition];
    if (log === undefined) return refused('UNKNOWN_TOPIC_OR_PARTITION');
    if (isManaged(state, topicId)) return refused('POLICY_VIOLATION');
    const policy = topicConfigValue('cleanup.policy', topic.description.configs, clusterConfigs);
    // Without any policy records stay, and may be deleted.
    if (policy.includes('compact') && !policy.includes('delete')) return refused('POLICY_VIOLATION');
    const wanted = offset === -1 ? log.nextOffset : offset;
    // Phrased so that it also refuses NaN.
    if (!(Number.isSafeInteger(wanted) && wanted >= 0 && wanted <= log.nextOffset)) {
      return refused('OFFSET_OUT_OF_RANGE');
    }
    const start = starts.get(log) ?? log.logStartOffset;
    if (wanted > start) starts.set(log, wanted);
    return { error: 'NONE', logStartOffset: Math.max(start, wanted) };
  });
  return { starts, results };
}

function refused(error: Exclude<DeleteRecordsResult['error'], 'NONE'>): DeleteRecordsResult {
  return { error, logStartOffset: -1 };
}
