import type {
  BatchesAnswer,
  BatchesQuery,
  EntryError,
  OffsetAnswer,
  OffsetQuery,
} from '../../cluster/port.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../limits.ts';
import type { PartitionLog } from './partition-log.ts';
import { noPointers, readPointers } from './pointers.ts';

export function findBatches(state: ClusterState, limits: MachineLimits, query: BatchesQuery): BatchesAnswer {
  const log = findLog(state, query);
  if (typeof log === 'string') {
    return { error: log, logStartOffset: -1, nextOffset: -1, pointers: noPointers };
  }
  const { offset, bytesMax } = query;
  const { logStartOffset, nextOffset } = log;
  // Said so that it refuses what is no number, too.
  if (!(offset >= logStartOffset && offset <= nextOffset)) {
    return { error: 'OFFSET_OUT_OF_RANGE', logStartOffset, nextOffset, pointers: noPointers };
  }
  if (offset === nextOffset) return { error: 'NONE', logStartOffset, nextOffset, pointers: noPointers };

  const firstIndex = log.indexOfOffset(offset);
  const countMax = Math.min(log.pointerCount - firstIndex, limits.pointersPerAnswerMax);
  let count = 0;
  let bytes = 0;
  do {
    bytes += state.pointers.byteLength(log.slot(firstIndex + count));
    count++;
  } while (count < countMax && bytes < bytesMax);
  return {
    error: 'NONE',
    logStartOffset,
    nextOffset,
    pointers: readPointers(state, log, firstIndex, count),
  };
}

export function findOffset(state: ClusterState, query: OffsetQuery): OffsetAnswer {
  const log = findLog(state, query);
  if (typeof log === 'string') return { error: log, pointers: noPointers };
  const index =
    query.want === 'latest' ? log.indexOfLatestTimestamp() : log.indexOfTimestamp(query.timestampMs);
  return { error: 'NONE', pointers: index < 0 ? noPointers : readPointers(state, log, index, 1) };
}

function findLog(
  state: ClusterState,
  { topicId, partition }: { readonly topicId: string; readonly partition: number },
): PartitionLog | EntryError {
  const topic = state.topics.byId(topicId);
  if (topic === undefined) return 'UNKNOWN_TOPIC_ID';
  return topic.partitions[partition] ?? 'UNKNOWN_TOPIC_OR_PARTITION';
}
