import type { TopicsWithEnds } from '../calls/owner-calls.ts';
import type { TopicDescription } from '../calls/topic-calls.ts';

export interface PartitionEnds {
  readonly logStartOffset: number;
  /** The first offset that an open transaction holds back, or `nextOffset`. */
  readonly lastStableOffset: number;
  /** The offset after the last record. */
  readonly nextOffset: number;
}

/** Looks up topics and the ends of their partitions in the columns of a snapshot. */
export class SnapshotTopics<Snapshot extends TopicsWithEnds = TopicsWithEnds> {
  readonly snapshot: Snapshot;
  readonly #byId = new Map<string, { readonly topic: TopicDescription; readonly firstRow: number }>();
  readonly #byName = new Map<string, TopicDescription>();

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    let firstRow = 0;
    for (const topic of snapshot.topics) {
      this.#byId.set(topic.topicId, { topic, firstRow });
      this.#byName.set(topic.name, topic);
      firstRow += topic.partitionCount;
    }
  }

  topicById(topicId: string): TopicDescription | undefined {
    return this.#byId.get(topicId)?.topic;
  }

  topicByName(name: string): TopicDescription | undefined {
    return this.#byName.get(name);
  }

  /** Returns `undefined` if the topic or the partition does not exist. */
  ends(topicId: string, partition: number): PartitionEnds | undefined {
    const found = this.#byId.get(topicId);
    if (found === undefined || partition < 0 || partition >= found.topic.partitionCount) return undefined;
    const row = found.firstRow + partition;
    const { logStartOffset, lastStableOffset, nextOffset } = this.snapshot;
    return {
      logStartOffset: logStartOffset[row]!,
      lastStableOffset: lastStableOffset[row]!,
      nextOffset: nextOffset[row]!,
    };
  }
}
