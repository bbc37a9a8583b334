import {
  type ClusterChange,
  replicationFactorOf,
  type TopicDescription,
  usualReplicationFactor,
} from '@weir/cluster';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { Topic } from './topics.ts';

/** Journal entries about topics, and how they change the state. */

export function writeTopicsCreated(writer: ByteWriter, topics: readonly TopicDescription[]): void {
  writer.varint(topics.length);
  for (const { topicId, name, partitionCount, configs } of topics) {
    writer.text(topicId);
    writer.text(name);
    writer.varint(partitionCount);
    writeConfigs(writer, configs);
  }
}

export function writeReplicatedTopicsCreated(writer: ByteWriter, topics: readonly TopicDescription[]): void {
  writer.varint(topics.length);
  for (const topic of topics) {
    writer.text(topic.topicId);
    writer.text(topic.name);
    writer.varint(topic.partitionCount);
    writer.varint(replicationFactorOf(topic));
    writeConfigs(writer, topic.configs);
  }
}

export function applyTopicsCreated(state: ClusterState, reader: ByteReader): ClusterChange[] {
  return createTopics(state, reader, () => ({}));
}

export function applyReplicatedTopicsCreated(state: ClusterState, reader: ByteReader): ClusterChange[] {
  return createTopics(state, reader, () => withFactor(reader.varint()));
}

/** Returns the replication factor for a description: absent if it is the default, so that equal topics are equal. */
export function withFactor(replicationFactor: number): Pick<TopicDescription, 'replicationFactor'> {
  return replicationFactor === usualReplicationFactor ? {} : { replicationFactor };
}

function createTopics(
  state: ClusterState,
  reader: ByteReader,
  readFactor: () => Pick<TopicDescription, 'replicationFactor'>,
): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const topic = state.topics.create({
      topicId: reader.text(),
      name: reader.text(),
      partitionCount: reader.varint(),
      ...readFactor(),
      configs: readConfigs(reader),
      createdMs: state.nowMs,
    });
    changes.push({ kind: 'topic', topic: topic.description });
  }
  return changes;
}

export function writeTopicsDeleted(writer: ByteWriter, topics: readonly Topic[]): void {
  writer.varint(topics.length);
  for (const { number } of topics) writer.varint(number);
}

export function applyTopicsDeleted(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const topic = topicOf(state, reader.varint());
    state.topics.softDelete(topic, state.nowMs);
    const { topicId, name } = topic.description;
    changes.push({ kind: 'topicDeleted', topicId, name });
  }
  return changes;
}

/** Writes restored topics by number. */
export function writeTopicsRestored(writer: ByteWriter, topics: readonly Topic[]): void {
  writer.varint(topics.length);
  for (const { number } of topics) writer.varint(number);
}

export function applyTopicsRestored(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const topic = topicOf(state, reader.varint());
    if (topic.deletedMs === undefined) {
      throw new UnreadableBytes(`the topic with the number ${topic.number} is not deleted`);
    }
    state.topics.undelete(topic);
    const { description, partitions } = topic;
    changes.push({
      kind: 'topicRestored',
      topic: description,
      logStartOffset: Float64Array.from(partitions, ({ logStartOffset }) => logStartOffset),
      nextOffset: Float64Array.from(partitions, ({ nextOffset }) => nextOffset),
      lastStableOffset: Float64Array.from(partitions, ({ lastStableOffset }) => lastStableOffset),
    });
  }
  return changes;
}

export interface Growth {
  readonly topic: Topic;
  readonly partitionCount: number;
}

export function writePartitionsCreated(writer: ByteWriter, growths: readonly Growth[]): void {
  writer.varint(growths.length);
  for (const { topic, partitionCount } of growths) {
    writer.varint(topic.number);
    writer.varint(partitionCount);
  }
}

export function applyPartitionsCreated(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const topic = topicOf(state, reader.varint());
    state.topics.growTo(topic, reader.varint());
    changes.push({ kind: 'topic', topic: topic.description });
  }
  return changes;
}

export function topicOf(state: ClusterState, number: number): Topic {
  const topic = state.topics.byNumber(number);
  if (topic === undefined) throw new UnreadableBytes(`topic number ${number} does not exist`);
  return topic;
}

export function writeConfigs(writer: ByteWriter, configs: Readonly<Record<string, string>>): void {
  const pairs = Object.entries(configs);
  writer.varint(pairs.length);
  for (const [name, text] of pairs) {
    writer.text(name);
    writer.text(text);
  }
}

export function readConfigs(reader: ByteReader): Record<string, string> {
  const configs: Record<string, string> = {};
  for (let left = reader.varint(); left > 0; left--) {
    const name = reader.text();
    configs[name] = reader.text();
  }
  return configs;
}
