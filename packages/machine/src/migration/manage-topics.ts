import {
  type ClusterChange,
  checkTopicConfigs,
  describeProblem,
  type ManagedConfigs,
  type ManagedTopic,
  type ManagedTopicResult,
  managedTopicNamespace,
  migratedProducerIdMin,
  type PartitionsToManage,
  readManagedTopic,
  replicationFactorOf,
  type TopicDescription,
  type TopicToManage,
  writeManagedTopic,
} from '@weir/cluster';
import { retainedCopy } from '@weir/core';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { MalformedCommand } from '../command.ts';
import type { ConfigChanges } from '../config-changes.ts';
import { decidePutEntries } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { migrationOf, ownMigrationOf } from '../managed/managed-topics.ts';
import { decideCreateTopics } from '../topics/create-topics.ts';
import { PartitionBudget } from '../topics/partition-budget.ts';
import { readConfigs, topicOf, withFactor, writeConfigs } from '../topics/topic-entries.ts';
import type { Topic } from '../topics/topics.ts';

interface TopicCreated {
  readonly description: TopicDescription;
  readonly logStarts: Float64Array;
  readonly migration: ManagedTopic;
}

/** Decides which managed topics are created, without applying it. */
export function decideManageTopics(
  state: ClusterState,
  limits: MachineLimits,
  pipelineId: string,
  topics: readonly TopicToManage[],
  topicIds: readonly string[],
  nowMs: number,
): { created: TopicCreated[]; results: ManagedTopicResult[] } {
  for (const { logStarts } of topics) logStarts.forEach(checkOffset);
  const known = topics.map((topic) => knownTopic(state, pipelineId, topic));
  const fresh = topics.flatMap((topic, index) =>
    known[index] === undefined ? [{ topic, topicId: topicIds[index]! }] : [],
  );
  const decided = decideCreateTopics(
    state,
    limits,
    fresh.map(({ topic: { name, logStarts, replicationFactor, configs } }) => ({
      name,
      partitionCount: logStarts.length,
      replicationFactor,
      configs,
    })),
    fresh.map(({ topicId }) => topicId),
    nowMs,
  );
  let rows = decided.created.map((description): TopicCreated => {
    const { topic } = fresh.find(({ topicId }) => topicId === description.topicId)!;
    const { sourceTopic, sourceTopicId, logStarts } = topic;
    const migration: ManagedTopic = {
      pipelineId,
      sourceTopic,
      sourceTopicId,
      state: 'REPLICATING',
      epoch: 1,
      changedMs: nowMs,
      changedBy: 'migration',
      reason: '',
    };
    return { description, logStarts, migration };
  });
  const { problem } = decidePutEntries(state, limits, rows.map(entryOf));
  if (problem !== undefined) rows = [];
  const results = [...decided.results];
  return {
    created: rows,
    results: known.map((result): ManagedTopicResult => {
      if (result !== undefined) return result;
      const own = results.shift()!;
      if (own.error !== 'NONE' || problem === undefined) return own;
      return refused('POLICY_VIOLATION', problem);
    }),
  };
}

/** The result for a topic that exists; `undefined` for one that has to be created. */
function knownTopic(
  state: ClusterState,
  pipelineId: string,
  { name, sourceTopic, sourceTopicId }: TopicToManage,
): ManagedTopicResult | undefined {
  const topic = state.topics.byName(name);
  if (topic === undefined) return undefined;
  const migration = migrationOf(state, topic.description.topicId);
  if (migration?.pipelineId !== pipelineId || migration.sourceTopic !== sourceTopic)
    return refused(
      'TOPIC_ALREADY_EXISTS',
      `Topic ${name} exists and is no copy of ${sourceTopic}: nothing is written to it. Delete it, or give its copies a prefix.`,
    );
  // A source may learn to give topics ids with an upgrade.
  const isOther = migration.sourceTopicId !== '' && migration.sourceTopicId !== sourceTopicId;
  if (isOther && sourceTopicId !== '')
    return refused(
      'SOURCE_CHANGED',
      `Topic ${sourceTopic} of the source is not the one that ${name} is a copy of: it was deleted and made again.`,
    );
  return { error: 'NONE', message: null, topic: topic.description };
}

function entryOf({ description, migration }: TopicCreated) {
  const value = writeManagedTopic(migration);
  return { namespace: managedTopicNamespace, key: description.topicId, value } as const;
}

export function writeManagedTopicsCreated(writer: ByteWriter, topics: readonly TopicCreated[]): void {
  writer.varint(migratedProducerIdMin);
  writer.varint(topics.length);
  for (const { description, logStarts, migration } of topics) {
    writer.text(description.topicId);
    writer.text(description.name);
    writer.varint(description.partitionCount);
    writer.varint(replicationFactorOf(description));
    writeConfigs(writer, description.configs);
    for (const offset of logStarts) writer.varint(offset);
    const value = writeManagedTopic(migration);
    writer.varint(value.length);
    writer.raw(value);
  }
}

export function applyManagedTopicsCreated(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  state.nextProducerId = Math.max(state.nextProducerId, reader.varint());
  for (let left = reader.varint(); left > 0; left--) {
    const topic = state.topics.create({
      topicId: reader.text(),
      name: reader.text(),
      partitionCount: reader.varint(),
      ...withFactor(reader.varint()),
      configs: readConfigs(reader),
      createdMs: state.nowMs,
    });
    for (const log of topic.partitions) log.beginAt(reader.varint());
    const value = retainedCopy(reader.raw(reader.varint()));
    readManagedTopic(value);
    const { topicId } = topic.description;
    state.kv.put(managedTopicNamespace, topicId, value);
    // First, so that no follower takes it for a topic of clients.
    changes.push({ kind: 'record', namespace: managedTopicNamespace, key: topicId, value });
    changes.push(withEnds(topic));
  }
  return changes;
}

/** The topic with the ends of its partitions, which do not begin at 0. */
function withEnds({ description, partitions }: Topic): ClusterChange {
  return {
    kind: 'topicRestored',
    topic: description,
    logStartOffset: Float64Array.from(partitions, ({ logStartOffset }) => logStartOffset),
    nextOffset: Float64Array.from(partitions, ({ nextOffset }) => nextOffset),
    lastStableOffset: Float64Array.from(partitions, ({ lastStableOffset }) => lastStableOffset),
  };
}

interface Growth {
  readonly topic: Topic;
  readonly logStarts: Float64Array;
}

/** Decides which managed topics get more partitions, without applying it. */
export function decideGrowManagedTopics(
  state: ClusterState,
  limits: MachineLimits,
  pipelineId: string,
  requests: readonly PartitionsToManage[],
): { grown: Growth[]; results: ManagedTopicResult[] } {
  const grown = new Map<Topic, Growth>();
  const budget = new PartitionBudget(state, limits);
  const results = requests.map(({ topicId, partitionCount, logStarts }): ManagedTopicResult => {
    logStarts.forEach(checkOffset);
    const topic = findManaged(state, pipelineId, topicId);
    if ('error' in topic) return topic;
    const before = topic.partitions.length;
    // Another agent has added them.
    if (before >= partitionCount + logStarts.length)
      return { error: 'NONE', message: null, topic: topic.description };
    if (before !== partitionCount || grown.has(topic))
      return refused('INVALID_PARTITIONS', `The topic has ${before} partitions, not ${partitionCount}.`);
    const total = before + logStarts.length;
    const overBudget = budget.take(logStarts.length, total);
    if (overBudget !== undefined) return refused(overBudget.error, overBudget.message);
    grown.set(topic, { topic, logStarts });
    return { error: 'NONE', message: null, topic: { ...topic.description, partitionCount: total } };
  });
  return { grown: [...grown.values()], results };
}

export function writeManagedTopicsGrown(writer: ByteWriter, growths: readonly Growth[]): void {
  writer.varint(growths.length);
  for (const { topic, logStarts } of growths) {
    writer.varint(topic.number);
    writer.varint(logStarts.length);
    for (const offset of logStarts) writer.varint(offset);
  }
}

export function applyManagedTopicsGrown(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const topic = topicOf(state, reader.varint());
    const before = topic.partitions.length;
    state.topics.growTo(topic, before + reader.varint());
    for (const log of topic.partitions.slice(before)) log.beginAt(reader.varint());
    changes.push(withEnds(topic));
  }
  return changes;
}

/** Decides which managed topics are deleted: as the source did, whatever protects them from clients. */
export function decideDeleteManaged(
  state: ClusterState,
  pipelineId: string,
  topicIds: readonly string[],
): { deleted: Topic[]; results: ManagedTopicResult[] } {
  const deleted = new Set<Topic>();
  const results = topicIds.map((topicId): ManagedTopicResult => {
    const topic = findManaged(state, pipelineId, topicId);
    if ('error' in topic) return topic;
    deleted.add(topic);
    return { error: 'NONE', message: null, topic: undefined };
  });
  return { deleted: [...deleted], results };
}

/** Decides new configs of managed topics, as changes to those that they have. */
export function decideManagedConfigs(
  state: ClusterState,
  pipelineId: string,
  requests: readonly ManagedConfigs[],
): { changes: Map<Topic, ConfigChanges>; results: ManagedTopicResult[] } {
  const changes = new Map<Topic, ConfigChanges>();
  const results = requests.map(({ topicId, configs: wanted }): ManagedTopicResult => {
    const topic = findManaged(state, pipelineId, topicId);
    if ('error' in topic) return topic;
    const { configs, problems } = checkTopicConfigs(wanted);
    if (problems.length > 0) return refused('INVALID_CONFIG', problems.map(describeProblem).join('; '));
    const before = topic.description.configs;
    const names = [...new Set([...Object.keys(before), ...Object.keys(configs)])].sort();
    const changed = names.filter((name) => before[name] !== configs[name]);
    if (changed.length === 0) changes.delete(topic);
    else changes.set(topic, Object.fromEntries(changed.map((name) => [name, configs[name] ?? null])));
    return { error: 'NONE', message: null, topic: { ...topic.description, configs } };
  });
  return { changes, results };
}

function findManaged(state: ClusterState, pipelineId: string, topicId: string): Topic | ManagedTopicResult {
  const topic = state.topics.byId(topicId);
  if (topic === undefined) return refused('UNKNOWN_TOPIC_ID', `Topic with id ${topicId} does not exist.`);
  if (ownMigrationOf(state, topicId)?.pipelineId === pipelineId) return topic;
  const { name } = topic.description;
  return refused('NOT_MANAGED', `Topic ${name} is not managed by migration ${pipelineId}, or not any more.`);
}

function refused(error: Exclude<ManagedTopicResult['error'], 'NONE'>, message: string): ManagedTopicResult {
  return { error, message, topic: undefined };
}

function checkOffset(offset: number): void {
  if (!(Number.isSafeInteger(offset) && offset >= 0))
    throw new MalformedCommand(`a log cannot begin at ${offset}`);
}

/** Removes the migration of a topic that is removed with its data. */
export function forgetMigration({ kv }: ClusterState, topicId: string): ClusterChange[] {
  if (kv.get(managedTopicNamespace, topicId) === undefined) return [];
  kv.delete(managedTopicNamespace, topicId);
  return [{ kind: 'record', namespace: managedTopicNamespace, key: topicId, value: null }];
}

/** Checked while an entry is read, so that a damaged one is found before anything relies on it. */
export function existing(topic: Topic, partition: number) {
  const log = topic.partitions[partition];
  if (log === undefined) throw new UnreadableBytes(`topic ${topic.number} has no partition ${partition}`);
  return log;
}
