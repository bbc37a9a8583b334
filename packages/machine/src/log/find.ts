import {
  type BatchesAnswer,
  type BatchesQuery,
  type EntryError,
  markerBytes,
  type OffsetAnswer,
  type OffsetQuery,
} from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { markerFileSlot } from './marker.ts';
import type { PartitionLog } from './partition-log.ts';
import { noPointers, readPointers } from './pointers.ts';

export function findBatches(state: ClusterState, limits: MachineLimits, query: BatchesQuery): BatchesAnswer {
  const log = findLog(state, query);
  if (typeof log === 'string') {
    return { error: log, logStartOffset: -1, nextOffset: -1, lastStableOffset: -1, pointers: noPointers };
  }
  const { offset, bytesMax } = query;
  const { logStartOffset, nextOffset, lastStableOffset } = log;
  const ends = { logStartOffset, nextOffset, lastStableOffset };
  // Phrased so that it also refuses NaN.
  if (!(offset >= logStartOffset && offset <= nextOffset)) {
    return { error: 'OFFSET_OUT_OF_RANGE', ...ends, pointers: noPointers };
  }
  if (offset === nextOffset) return { error: 'NONE', ...ends, pointers: noPointers };

  const firstIndex = log.indexOfOffset(offset);
  const countMax = Math.min(log.pointerCount - firstIndex, limits.pointersPerAnswerMax);
  let count = 0;
  let bytes = 0;
  do {
    const index = firstIndex + count;
    const slot = log.slot(index);
    const baseOffset = state.pointers.baseOffset(slot);
    const end = log.endOf(index);
    // Bytes before the offset are not sent, and must not keep an answer from being filled.
    bytes += ((end - Math.max(offset, baseOffset)) / (end - baseOffset)) * bytesOf(state, slot);
    count++;
  } while (count < countMax && bytes < bytesMax);
  const pointers = readPointers(state, log, firstIndex, count);
  const aborted = log.aborted?.overlapping(offset, log.endOf(firstIndex + count - 1));
  return { error: 'NONE', ...ends, pointers, ...(aborted === undefined ? {} : { aborted }) };
}

function bytesOf({ pointers }: ClusterState, slot: number): number {
  return pointers.fileSlot(slot) === markerFileSlot ? markerBytes : pointers.byteLength(slot);
}

export function findOffset(state: ClusterState, query: OffsetQuery): OffsetAnswer {
  const log = findLog(state, query);
  if (typeof log === 'string') return { error: log, pointers: noPointers };
  const index =
    query.want === 'latest' ? log.indexOfLatestTimestamp() : log.indexOfTimestamp(query.timestampMs);
  if (index < 0) return { error: 'NONE', pointers: noPointers };
  const pointers = readPointers(state, log, index, 1);
  if (query.want === 'first') return { error: 'NONE', pointers };
  return { error: 'NONE', pointers, latestTimestampMs: state.pointers.maxTimestampMs(log.slot(index)) };
}

function findLog(
  state: ClusterState,
  { topicId, partition }: { readonly topicId: string; readonly partition: number },
): PartitionLog | EntryError {
  const topic = state.topics.byId(topicId);
  if (topic === undefined) return 'UNKNOWN_TOPIC_ID';
  return topic.partitions[partition] ?? 'UNKNOWN_TOPIC_OR_PARTITION';
}
