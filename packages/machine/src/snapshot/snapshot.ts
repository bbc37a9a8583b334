import { UnreadableBytes } from '../bytes/byte-reader.ts';
import { ClusterState } from '../cluster-state.ts';
import type { ProducerBatch } from '../commit/producer-state.ts';
import { windowBatches } from '../commit/producers.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import { snapshotVersion } from '../snapshot-format/snapshot-version.ts';
import { readConfigs, writeConfigs } from '../topics/topic-entries.ts';
import { CapturedState } from './captured-state.ts';
import { readLogs, writeLogs } from './log-blocks.ts';
import { readParts, writeParts } from './parts.ts';
import { readReplies, writeReplies } from './saved-replies.ts';
import { readLogsOfVersion1 } from './version-1.ts';

/**
 * Snapshot of the whole state. It contains the logical state, not its memory layout: files are numbered in order of
 * mention by pointers; producers and file ids are sorted by age. So equal states give equal bytes, whether they came
 * from executing, following or a snapshot.
 */
const readableVersions = [1, 2];

/** A snapshot in progress, written slice by slice while the machine continues. */
export interface Saving {
  /** Each slice is made on demand, which takes at most some milliseconds. */
  readonly slices: Iterable<Buffer>;
  /** Must be called at the end, whether or not all slices were taken. */
  end(): void;
}

export function beginSave(state: ClusterState): Saving {
  const captured = new CapturedState(state);
  return { slices: write(captured), end: () => captured.end() };
}

function* write(captured: CapturedState): Generator<Buffer> {
  const writer = new SnapshotWriter();
  yield* writer.head(snapshotVersion);
  writeCluster(captured, writer);
  yield* writeTopics(captured, writer);
  yield* writeLogs(captured, writer);
  yield* writeProducers(captured, writer);
  yield* writeReplies(captured.recentFiles, writer, (id) => writer.fields.hex16(id));
  yield* writeParts(captured, writer);
  yield* writer.end();
}

export function restoreState(bytes: Buffer): ClusterState {
  const reader = new SnapshotReader(bytes, readableVersions);
  const state = readCluster(reader);
  const logs = readTopics(state, reader);
  if (reader.version === 1) readLogsOfVersion1(state, logs, reader);
  else readLogs(state, logs, reader);
  readProducers(state, reader);
  readReplies(state.recentFiles, reader, () => reader.fields.hex16());
  if (reader.version > 1) readParts(state, reader);
  reader.fields.end();
  return state;
}

function writeCluster(captured: CapturedState, { fields }: SnapshotWriter): void {
  fields.text(captured.clusterId);
  fields.varint(captured.nowMs);
  fields.varint(captured.nextProducerId);
  writeConfigs(fields, captured.clusterConfigs);
}

function readCluster({ fields }: SnapshotReader): ClusterState {
  const state = new ClusterState(fields.text());
  state.nowMs = fields.varint();
  state.nextProducerId = fields.varint();
  state.clusterConfigs = readConfigs(fields);
  return state;
}

function* writeTopics({ nextTopicNumber, topics }: CapturedState, writer: SnapshotWriter): Generator<Buffer> {
  const { fields } = writer;
  fields.varint(nextTopicNumber);
  fields.varint(topics.length);
  for (const { number, description, deletedMs } of topics) {
    fields.varint(number);
    fields.text(description.topicId);
    fields.text(description.name);
    fields.varint(description.createdMs);
    fields.varint(deletedMs === undefined ? 0 : deletedMs + 1);
    fields.varint(description.partitionCount);
    writeConfigs(fields, description.configs);
    yield* writer.cut();
  }
}

function readTopics({ topics }: ClusterState, { fields }: SnapshotReader): PartitionLog[] {
  const logs: PartitionLog[] = [];
  const nextNumber = fields.varint();
  for (let left = fields.varint(); left > 0; left--) {
    const number = fields.varint();
    const topicId = fields.text();
    const name = fields.text();
    const createdMs = fields.varint();
    const deletedMsPlusOne = fields.varint();
    const partitionCount = fields.varint();
    const configs = readConfigs(fields);
    const topic = topics.restore(
      number,
      { topicId, name, partitionCount, configs, createdMs },
      deletedMsPlusOne === 0 ? undefined : deletedMsPlusOne - 1,
    );
    for (const log of topic.partitions) logs.push(log);
  }
  topics.skipTo(nextNumber);
  return logs;
}

function* writeProducers({ producers }: CapturedState, writer: SnapshotWriter): Generator<Buffer> {
  const { fields } = writer;
  fields.varint(producers.count);
  let writtenMsBefore = 0;
  for (const { log, producerId, epoch, writtenMs, batches } of producers.oldestFirst()) {
    fields.varint(log.topicNumber);
    fields.varint(log.partition);
    fields.varint(producerId);
    fields.varint(epoch);
    // Sorted by age, so differences are small.
    fields.varint(writtenMs - writtenMsBefore);
    writtenMsBefore = writtenMs;
    fields.u8(batches.length);
    for (const { firstSequence, lastSequence, baseOffset } of batches) {
      fields.varint(firstSequence);
      fields.varint(lastSequence);
      fields.varint(baseOffset);
    }
    yield* writer.cut();
  }
}

function readProducers({ producers, topics }: ClusterState, { fields }: SnapshotReader): void {
  let writtenMs = 0;
  for (let left = fields.varint(); left > 0; left--) {
    const topicNumber = fields.varint();
    const partition = fields.varint();
    const log = topics.byNumber(topicNumber)?.partitions[partition];
    if (log === undefined) {
      throw new UnreadableBytes(
        `a producer wrote to partition ${partition} of topic ${topicNumber}, which does not exist`,
      );
    }
    const producerId = fields.varint();
    const epoch = fields.varint();
    writtenMs += fields.varint();
    const batchCount = fields.u8();
    if (batchCount > windowBatches) throw new UnreadableBytes(`a producer has ${batchCount} batches`);
    const batches: ProducerBatch[] = [];
    for (let index = 0; index < batchCount; index++) {
      batches.push({
        firstSequence: fields.varint(),
        lastSequence: fields.varint(),
        baseOffset: fields.varint(),
      });
    }
    producers.restore({ log, producerId, epoch, writtenMs, batches });
  }
}
