import type { ClusterChange, ManagedLogStart, ManagedLogStartResult } from '@weir/cluster';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import { type LogStarts, moveLogStart } from '../log-start/log-starts.ts';
import { ownMigrationOf } from '../managed/managed-topics.ts';
import { topicOf } from '../topics/topic-entries.ts';
import { existing } from './manage-topics.ts';

/** Decides which logs of copies begin later, as those of the source do, without applying it. */
export function decideManagedLogStarts(
  state: ClusterState,
  pipelineId: string,
  requests: readonly ManagedLogStart[],
): { starts: LogStarts; results: ManagedLogStartResult[] } {
  const starts = new Map<PartitionLog, number>();
  const results = requests.map((request): ManagedLogStartResult => {
    const { topicId, partition, logStartOffset, endOffset } = request;
    const topic = state.topics.byId(topicId);
    if (topic === undefined) return refused('UNKNOWN_TOPIC_ID');
    const log = topic.partitions[partition];
    if (log === undefined) return refused('UNKNOWN_TOPIC_OR_PARTITION');
    const start = starts.get(log) ?? log.logStartOffset;
    const nextOffset = Math.max(log.nextOffset, start);
    const ends = { logStartOffset: start, nextOffset };
    if (ownMigrationOf(state, topicId)?.pipelineId !== pipelineId) return { error: 'NOT_MANAGED', ...ends };
    if (!Number.isSafeInteger(logStartOffset)) return { error: 'OFFSET_OUT_OF_RANGE', ...ends };
    if (logStartOffset <= start) return { error: 'NONE', ...ends };
    if (logStartOffset > nextOffset && endOffset !== nextOffset) return { error: 'END_CHANGED', ...ends };
    starts.set(log, logStartOffset);
    return { error: 'NONE', logStartOffset, nextOffset: Math.max(nextOffset, logStartOffset) };
  });
  return { starts, results };
}

/** The layout is that of `logStartsMoved`. A start beyond the end empties the log, which goes on there. */
export function applyManagedLogStarts(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let topicsLeft = reader.varint(); topicsLeft > 0; topicsLeft--) {
    const topic = topicOf(state, reader.varint());
    const partitions: number[] = [];
    const offsets: number[] = [];
    for (let left = reader.varint(); left > 0; left--) {
      const log = existing(topic, reader.varint());
      const offset = reader.varint();
      if (offset < log.logStartOffset)
        throw new UnreadableBytes(`the log of topic ${topic.number} cannot begin at ${offset}`);
      moveTo(state, log, offset);
      partitions.push(log.partition);
      offsets.push(offset);
    }
    changes.push({
      kind: 'logStarts',
      topicId: topic.description.topicId,
      partition: Uint32Array.from(partitions),
      logStartOffset: Float64Array.from(offsets),
    });
  }
  return changes;
}

function moveTo(state: ClusterState, log: PartitionLog, offset: number): void {
  if (offset > log.nextOffset) {
    // What ends a transaction of before may lie in the gap. One that has not ended begins anew with its next batch.
    log.openTransactions = undefined;
    moveLogStart(state, log, log.nextOffset);
    log.nextOffset = offset;
  }
  moveLogStart(state, log, offset);
}

function refused(error: ManagedLogStartResult['error']): ManagedLogStartResult {
  return { error, logStartOffset: -1, nextOffset: -1 };
}
