import type { ClusterState } from '../cluster-state.ts';

/** Sums over partitions of a topic. */
interface TopicEnd {
  readonly number: number;
  readonly name: string;
  readonly partitionCount: number;
  /** The sum of the offsets of the next records. */
  readonly end: number;
}

export interface TopicGrowth extends TopicEnd {
  /** The bytes of its batches. */
  readonly byteCount: number;
  /** The bytes of batches that were appended since this process has the topic. */
  readonly appendedByteCount: number;
}

/** Sums over those partitions of a topic that a group has offsets of. */
export interface GroupProgress extends TopicEnd {
  /** The sum of the committed offsets. */
  readonly committed: number;
  /** Records that the group has yet to read. */
  readonly lag: number;
}

/** After this many partitions the caller may let other work of the thread run; about a millisecond. */
const partitionsPerTurn = 2_000;

/** Yields `undefined` between parts of the work. The state may change before the caller goes on. */
export function* topicGrowth({ topics }: ClusterState): Generator<TopicGrowth | undefined> {
  let left = partitionsPerTurn;
  for (const { number, description, partitions } of topics.live()) {
    let [end, byteCount, appendedByteCount] = [0, 0, 0];
    for (const log of partitions) {
      if (left-- === 0) {
        left = partitionsPerTurn;
        yield undefined;
      }
      end += log.nextOffset;
      byteCount += log.byteCount;
      appendedByteCount += log.appendedByteCount;
    }
    const { name } = description;
    yield { number, name, partitionCount: partitions.length, end, byteCount, appendedByteCount };
  }
}

/** The progress of a group by topic, without deleted ones. A negative offset is no position, so it has no lag. */
export function groupProgress({ offsets, topics }: ClusterState, groupId: string): GroupProgress[] {
  const byTopic = new Map<number, { -readonly [Name in keyof GroupProgress]: GroupProgress[Name] }>();
  for (const { topicNumber, partition, offset } of offsets.of(groupId)) {
    if (offset < 0) continue;
    const topic = topics.byNumber(topicNumber);
    const log = topic?.partitions[partition];
    if (topic === undefined || log === undefined || topics.byId(topic.description.topicId) !== topic)
      continue;
    const { name } = topic.description;
    const sums = byTopic.get(topicNumber) ?? {
      number: topicNumber,
      name,
      partitionCount: 0,
      end: 0,
      committed: 0,
      lag: 0,
    };
    byTopic.set(topicNumber, sums);
    sums.partitionCount++;
    sums.end += log.nextOffset;
    sums.committed += offset;
    sums.lag += Math.max(0, log.nextOffset - offset);
  }
  return [...byTopic.values()];
}
