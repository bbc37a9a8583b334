import {
  type ClusterChange,
  type ManagedTopic,
  type MigrationStateAnswer,
  type MigrationStateChanges,
  managedTopicNamespace,
  migrationTransitions,
  stateAfterDeadline,
  writeManagedTopic,
} from '@weir/cluster';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { applyEntriesPut, decidePutEntries, type EntryChange, writeEntriesPut } from '../kv/put-entries.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import { readPointers } from '../log/pointers.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { migrationOf } from '../managed/managed-topics.ts';
import { topicOf } from '../topics/topic-entries.ts';
import { existing } from './manage-topics.ts';

/** A transaction of the source that is aborted here, because its end was not copied. */
interface CutTransaction {
  readonly log: PartitionLog;
  readonly producerId: number;
  readonly producerEpoch: number;
}

interface Decision {
  readonly changed: readonly EntryChange[];
  readonly cut: readonly CutTransaction[];
  readonly answer: MigrationStateAnswer;
}

/** Decides a change of the states of a set of topics: all of them, or none (U4). */
export function decideChangeStates(
  state: ClusterState,
  limits: MachineLimits,
  request: MigrationStateChanges,
  nowMs: number,
): Decision {
  const { to, by, reason } = request;
  const changed: (EntryChange & { readonly value: Buffer })[] = [];
  const topics: { topicId: string; migration: ManagedTopic }[] = [];
  const cut: CutTransaction[] = [];
  const seen = new Set<string>();
  for (const { topicId, from, epoch } of request.topics) {
    const topic = state.topics.byId(topicId);
    const migration = migrationOf(state, topicId);
    if (topic === undefined || migration?.pipelineId !== request.pipelineId)
      return refused('NOT_MANAGED', `Topic ${nameOf(state, topicId)} is not managed by this migration.`);
    const { name } = topic.description;
    if (seen.has(topicId)) return refused('NOT_ALLOWED', `The change names topic ${name} twice.`);
    seen.add(topicId);
    if (migration.state !== from || migration.epoch !== epoch)
      return refused('CHANGED', `Topic ${name} is ${migration.state} by now, since another change.`);
    const rule = migrationTransitions[from][to];
    if (rule === undefined || (rule.isHandOver === true && request.isIrreversible !== true))
      return refused('NOT_ALLOWED', `Topic ${name} cannot become ${to}: it is ${from}.`);
    const deadlineMs = deadlineOf(request, migration, nowMs);
    const hasDeadline = deadlineMs !== undefined;
    if (hasDeadline ? rule.deadline === 'never' : rule.deadline === 'must')
      return refused('NOT_ALLOWED', `${to} ${hasDeadline ? 'has no' : 'needs a'} deadline.`);
    if (rule.endsTransactions === true) {
      for (const log of topic.partitions) {
        if (log.openTransactions === undefined) continue;
        if (request.abortsTransactions !== true)
          return refused(
            'OPEN_TRANSACTIONS',
            `Partition ${log.partition} of topic ${name} has a transaction that has not ended at the source.`,
          );
        for (const producerId of log.openTransactions.keys())
          cut.push({ log, producerId, producerEpoch: Math.max(0, state.producers.epochOf(log, producerId)) });
      }
    }
    const next: ManagedTopic = {
      ...migration,
      state: to,
      epoch: epoch + 1,
      changedMs: nowMs,
      changedBy: by.slice(0, limits.migrationTextCharsMax),
      reason: reason.slice(0, limits.migrationTextCharsMax),
      deadlineMs,
    };
    topics.push({ topicId, migration: next });
    changed.push({ namespace: managedTopicNamespace, key: topicId, value: writeManagedTopic(next) });
  }
  const { problem } = decidePutEntries(state, limits, changed);
  if (problem !== undefined)
    return refused('NOT_ALLOWED', `The cluster has no room for the change: ${problem}.`);
  return { changed, cut, answer: { error: 'NONE', message: null, topics } };
}

function deadlineOf(
  { deadlineMs, lastsMs }: MigrationStateChanges,
  before: ManagedTopic,
  nowMs: number,
): number | undefined {
  if (lastsMs === undefined) return deadlineMs;
  return Math.min(nowMs + lastsMs, before.deadlineMs ?? Number.POSITIVE_INFINITY);
}

/** Decides what becomes of states whose deadline is over (U5). At most so many, the others with the next call. */
export function decideExpireStates(state: ClusterState, limits: MachineLimits, nowMs: number): EntryChange[] {
  const changed: EntryChange[] = [];
  for (const topicId of state.kv.of(managedTopicNamespace).keys()) {
    if (changed.length === limits.expiredMigrationsPerCallMax) break;
    const migration = migrationOf(state, topicId)!;
    const to = stateAfterDeadline[migration.state];
    if (migration.deadlineMs === undefined || migration.deadlineMs > nowMs || to === undefined) continue;
    const next: ManagedTopic = {
      ...migration,
      state: to,
      epoch: migration.epoch + 1,
      changedMs: nowMs,
      changedBy: 'timeout',
      reason: `the cut-over was not done in time: the topic was ${migration.state}`,
      deadlineMs: undefined,
    };
    changed.push({ namespace: managedTopicNamespace, key: topicId, value: writeManagedTopic(next) });
  }
  return decidePutEntries(state, limits, changed).problem === undefined ? changed : [];
}

/** Entries as in `entriesPut`, then per aborted transaction: topic number, partition, producer and epoch. */
export function writeCopiesEnded(writer: ByteWriter, { changed, cut }: Decision): void {
  writeEntriesPut(writer, changed);
  writer.varint(cut.length);
  for (const { log, producerId, producerEpoch } of cut) {
    writer.varint(log.topicNumber);
    writer.varint(log.partition);
    writer.varint(producerId);
    writer.varint(producerEpoch);
  }
}

export function applyCopiesEnded(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const records = applyEntriesPut(state, reader);
  const grown = new Map<PartitionLog, number>();
  for (let left = reader.varint(); left > 0; left--) {
    const log = existing(topicOf(state, reader.varint()), reader.varint());
    if (!grown.has(log)) grown.set(log, log.pointerCount);
    const marker = { producerId: reader.varint(), producerEpoch: reader.varint(), isCommit: false };
    log.endTransaction(marker, state.nowMs);
  }
  const appended = Array.from(grown, ([log, firstNew]): ClusterChange => {
    const pointers = readPointers(state, log, firstNew, log.pointerCount - firstNew);
    const aborted = log.aborted?.overlapping(pointers.baseOffset[0]!, log.nextOffset);
    return {
      kind: 'appended',
      topicId: log.topicId,
      partition: log.partition,
      pointers,
      lastStableOffset: log.lastStableOffset,
      ...(aborted && { aborted }),
    };
  });
  // Readers may see the ends of transactions before clients write behind them.
  return [...appended, ...records];
}

function nameOf({ topics }: ClusterState, topicId: string): string {
  return topics.byId(topicId)?.description.name ?? topicId;
}

function refused(error: Exclude<MigrationStateAnswer['error'], 'NONE'>, message: string): Decision {
  return { changed: [], cut: [], answer: { error, message, topics: [] } };
}
