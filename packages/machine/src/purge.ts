import type { ClusterChange } from '@weir/cluster';
import { ByteReader } from './bytes/byte-reader.ts';
import type { ByteWriter } from './bytes/byte-writer.ts';
import type { ClusterState } from './cluster-state.ts';
import { markerFileSlot } from './log/marker.ts';
import type { MachineLimits } from './machine-limits.ts';
import { forgetMigration } from './migration/manage-topics.ts';
import { deletedTopicTtlMs } from './topics/restore-topics.ts';
import { applyTopicsDeleted, topicOf } from './topics/topic-entries.ts';
import type { Topic } from './topics/topics.ts';

/** Items that have expired. */
interface Purge {
  /** Number of the producers that were idle longest. */
  readonly producers: number;
  /** Number of the oldest file ids. */
  readonly fileIds: number;
  readonly topics: readonly Topic[];
}

/** Decides what is due, without applying it. */
export function decidePurge(state: ClusterState, limits: MachineLimits, nowMs: number): Purge {
  const ttlMs = deletedTopicTtlMs(state);
  const topics: Topic[] = [];
  for (const topic of state.topics.held()) {
    if (topic.deletedMs !== undefined && topic.deletedMs + ttlMs <= nowMs) topics.push(topic);
  }
  return {
    producers: state.producers.countSilent(nowMs - limits.producerStateMsMax),
    fileIds: state.recentFiles.countOlder(nowMs - limits.recentFileMsMax),
    topics,
  };
}

export function writePurged(writer: ByteWriter, { producers, fileIds, topics }: Purge): void {
  writer.varint(producers);
  writer.varint(fileIds);
  writer.varint(topics.length);
  for (const { number } of topics) writer.varint(number);
}

export function applyPurged(state: ClusterState, reader: ByteReader): ClusterChange[] {
  state.producers.forgetOldest(reader.varint());
  state.recentFiles.forgetOldest(reader.varint());
  return removeTopics(state, reader);
}

/** Removes live topics: deletes them like other topics, then removes them at once. */
export function applyTopicsRemoved(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const numbers = reader.raw(reader.left);
  const changes = applyTopicsDeleted(state, new ByteReader(numbers));
  return [...changes, ...removeTopics(state, new ByteReader(numbers))];
}

function removeTopics(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const removed = new Set<number>();
  const changes: ClusterChange[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const topic = topicOf(state, reader.varint());
    removeTopic(state, topic);
    removed.add(topic.number);
    changes.push(...forgetMigration(state, topic.description.topicId));
  }
  if (removed.size === 0) return changes;
  state.offsets.forgetTopics(removed);
  state.transactions.forgetTopics(removed);
  return changes;
}

function removeTopic({ topics, producers, files, pointers, nowMs }: ClusterState, topic: Topic): void {
  for (const log of topic.partitions) {
    for (let index = 0; index < log.pointerCount; index++) {
      const slot = log.slot(index);
      const fileSlot = pointers.fileSlot(slot);
      if (fileSlot !== markerFileSlot) files.discountPointer(fileSlot, pointers.byteLength(slot), nowMs);
    }
    log.free();
    producers.forgetLog(log);
  }
  topics.remove(topic);
}
