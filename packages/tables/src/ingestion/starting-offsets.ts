/** Where to begin to read each partition of a topic, by what the table has and what the log has. */
import type { SourceOffsets } from '../append/summary-keys.ts';
import type { PartitionState } from './ingestion-state.ts';
import type { SourcePartition, SourceTopic } from './source.ts';

export interface SourceGap {
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
}

interface Start {
  readonly state: PartitionState;
  /** Records that the log does not have any more, and the table never had. */
  readonly gap?: SourceGap | undefined;
}

/** Never re-reads: a log that is not the one that the table was made of stops its partition. */
export function startOf(topic: string, found: SourcePartition, committed: bigint | undefined): Start {
  const { partition, logStart, endOffset } = found;
  const position = committed === undefined || committed < logStart ? logStart : committed;
  const state: PartitionState = {
    partition,
    committed,
    begun: position,
    position,
    endOffset,
    oldestMs: undefined,
    lastMs: undefined,
    stopped: undefined,
  };
  if (committed === undefined || (committed >= logStart && committed <= endOffset)) return { state };
  if (committed < logStart) return { state, gap: { partition, from: committed, to: logStart } };
  const error = `partition ${partition} of topic ${topic} ends at offset ${endOffset}, but the table has it up to ${committed}: the topic was truncated or created anew; delete the table to read the topic from its start`;
  return { state: { ...state, stopped: { offset: committed, error } } };
}

export function startsOf(
  topic: string,
  found: SourceTopic,
  offsets: SourceOffsets,
  knownTopicId: string | undefined,
): Start[] {
  const starts = found.partitions.map((one) => startOf(topic, one, offsets.get(one.partition)));
  const { topicId } = found;
  if (knownTopicId !== undefined && topicId !== undefined && topicId !== knownTopicId) {
    const error = `topic ${topic} was created anew: its id is ${topicId}, and the table has records of ${knownTopicId}; delete the table to read the topic from its start`;
    return starts.map(({ state }) => ({
      state: { ...state, stopped: { offset: state.committed ?? state.position, error } },
    }));
  }
  const partitions = new Set(found.partitions.map(({ partition }) => partition));
  for (const [partition, offset] of offsets) {
    if (partitions.has(partition)) continue;
    const error = `topic ${topic} has no partition ${partition}, but the table has records of it: the topic was created anew; delete the table to read the topic from its start`;
    const missing = { partition, logStart: offset, endOffset: offset };
    const { state } = startOf(topic, missing, offset);
    starts.push({ state: { ...state, stopped: { offset, error } } });
  }
  return starts;
}
