import { UnreadableBytes } from '../bytes/byte-reader.ts';
import { ClusterState } from '../cluster-state.ts';
import { type ProducerBatch, windowBatches } from '../commit/producers.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import { readConfigs, writeConfigs } from '../topics/topic-entries.ts';
import { SnapshotReader, SnapshotWriter } from './snapshot-columns.ts';

/**
 * The whole state in bytes. What is written is the state as such and not how it lies in memory: files are numbered as the
 * pointers mention them, producers and file ids go by age. So equal states give equal bytes, whether they came to be by
 * executing, by following or from a snapshot.
 *
 * Raise the version with every change of the layout, and keep a reader of the one before: a new release begins with the snapshot
 * of the old one.
 */
const snapshotVersion = 1;

/** So many rows make a block. Blocks keep slices small enough to be stored one by one. */
const blockRows = 65_536;

export function saveState(state: ClusterState): Buffer[] {
  const writer = new SnapshotWriter();
  writeCluster(state, writer);
  const logs = writeTopics(state, writer);
  writeLogs(logs, writer);
  writePointers(state, logs, writer);
  writeProducers(state, writer);
  writeRecentFiles(state, writer);
  return writer.finish(snapshotVersion);
}

export function restoreState(bytes: Buffer): ClusterState {
  const reader = new SnapshotReader(bytes, snapshotVersion);
  const state = readCluster(reader);
  const logs = readTopics(state, reader);
  readLogs(state, logs, reader);
  readProducers(state, reader);
  readRecentFiles(state, reader);
  reader.fields.end();
  return state;
}

function writeCluster(state: ClusterState, { fields }: SnapshotWriter): void {
  fields.text(state.clusterId);
  fields.varint(state.nowMs);
  fields.varint(state.nextProducerId);
  writeConfigs(fields, state.clusterConfigs);
}

function readCluster({ fields }: SnapshotReader): ClusterState {
  const state = new ClusterState(fields.text());
  state.nowMs = fields.varint();
  state.nextProducerId = fields.varint();
  state.clusterConfigs = readConfigs(fields);
  return state;
}

/** Gives all partitions, in the order in which everything about them is written. */
function writeTopics({ topics }: ClusterState, writer: SnapshotWriter): PartitionLog[] {
  const logs: PartitionLog[] = [];
  const held = [...topics.held()];
  const { fields } = writer;
  fields.varint(topics.nextNumber);
  fields.varint(held.length);
  for (const { number, description, deletedMs, partitions } of held) {
    fields.varint(number);
    fields.text(description.topicId);
    fields.text(description.name);
    fields.varint(description.createdMs);
    fields.varint(deletedMs === undefined ? 0 : deletedMs + 1);
    fields.varint(partitions.length);
    writeConfigs(fields, description.configs);
    writer.cut();
    for (const log of partitions) logs.push(log);
  }
  return logs;
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

function writeLogs(logs: readonly PartitionLog[], writer: SnapshotWriter): void {
  const logStartOffset = new Float64Array(logs.length);
  const nextOffset = new Float64Array(logs.length);
  const pointerCount = new Uint32Array(logs.length);
  for (const [index, log] of logs.entries()) {
    logStartOffset[index] = log.logStartOffset;
    nextOffset[index] = log.nextOffset;
    pointerCount[index] = log.pointerCount;
  }
  writer.column(logStartOffset);
  writer.column(nextOffset);
  writer.column(pointerCount);
}

/** Columns of some pointers. */
interface PointerBlock {
  readonly fileNumber: Uint32Array;
  readonly byteStart: Uint32Array;
  readonly byteLength: Uint32Array;
  readonly baseOffset: Float64Array;
  readonly maxTimestampMs: Float64Array;
}

function emptyBlock(rows: number): PointerBlock {
  return {
    fileNumber: new Uint32Array(rows),
    byteStart: new Uint32Array(rows),
    byteLength: new Uint32Array(rows),
    baseOffset: new Float64Array(rows),
    maxTimestampMs: new Float64Array(rows),
  };
}

function writeBlock(block: PointerBlock, writer: SnapshotWriter): void {
  writer.column(block.fileNumber);
  writer.column(block.byteStart);
  writer.column(block.byteLength);
  writer.column(block.baseOffset);
  writer.column(block.maxTimestampMs);
}

function readBlock(rows: number, reader: SnapshotReader): PointerBlock {
  return {
    fileNumber: reader.u32(rows),
    byteStart: reader.u32(rows),
    byteLength: reader.u32(rows),
    baseOffset: reader.f64(rows),
    maxTimestampMs: reader.f64(rows),
  };
}

function writePointers(
  { pointers, files }: ClusterState,
  logs: readonly PartitionLog[],
  writer: SnapshotWriter,
): void {
  // Files are numbered as the pointers mention them, so that where they lie in the table leaves no trace.
  const unnumbered = 0xffff_ffff;
  const numberOfSlot = new Uint32Array(files.slotCount).fill(unnumbered);
  const slots = new Uint32Array(files.slotCount);
  let fileCount = 0;

  const total = logs.reduce((sum, { pointerCount }) => sum + pointerCount, 0);
  const blocks: PointerBlock[] = [];
  let block = emptyBlock(0);
  let row = 0;
  let left = total;
  for (const log of logs) {
    for (let index = 0; index < log.pointerCount; index++) {
      if (row === block.fileNumber.length) {
        block = emptyBlock(Math.min(left, blockRows));
        blocks.push(block);
        row = 0;
      }
      const slot = log.slot(index);
      const fileSlot = pointers.fileSlot(slot);
      let fileNumber = numberOfSlot[fileSlot]!;
      if (fileNumber === unnumbered) {
        fileNumber = fileCount++;
        numberOfSlot[fileSlot] = fileNumber;
        slots[fileNumber] = fileSlot;
      }
      block.fileNumber[row] = fileNumber;
      block.byteStart[row] = pointers.byteStart(slot);
      block.byteLength[row] = pointers.byteLength(slot);
      block.baseOffset[row] = pointers.baseOffset(slot);
      block.maxTimestampMs[row] = pointers.maxTimestampMs(slot);
      row++;
      left--;
    }
  }

  writer.fields.varint(fileCount);
  for (let first = 0; first < fileCount; first += blockRows) {
    const rows = Math.min(blockRows, fileCount - first);
    const ids = Buffer.allocUnsafeSlow(16 * rows);
    const fileBytes = new Uint32Array(rows);
    for (let fileRow = 0; fileRow < rows; fileRow++) {
      const fileSlot = slots[first + fileRow]!;
      files.copyFileId(fileSlot, ids, 16 * fileRow);
      fileBytes[fileRow] = files.fileBytes(fileSlot);
    }
    writer.column(ids);
    writer.column(fileBytes);
  }
  for (const filled of blocks) writeBlock(filled, writer);
}

/** Ends, files and pointers of all partitions. */
function readLogs({ files }: ClusterState, logs: readonly PartitionLog[], reader: SnapshotReader): void {
  const logStartOffset = reader.f64(logs.length);
  const nextOffset = reader.f64(logs.length);
  const pointerCount = reader.u32(logs.length);

  const fileCount = reader.fields.varint();
  for (let first = 0; first < fileCount; first += blockRows) {
    const rows = Math.min(blockRows, fileCount - first);
    const ids = reader.fields.raw(16 * rows);
    const fileBytes = reader.u32(rows);
    for (let row = 0; row < rows; row++) {
      files.addFrom(ids, 16 * row, fileBytes[row]!);
    }
  }

  let left = pointerCount.reduce((sum, count) => sum + count, 0);
  let block = emptyBlock(0);
  let row = 0;
  for (const [position, log] of logs.entries()) {
    log.logStartOffset = logStartOffset[position]!;
    log.nextOffset = nextOffset[position]!;
    for (let count = pointerCount[position]!; count > 0; count--) {
      if (row === block.fileNumber.length) {
        block = readBlock(Math.min(left, blockRows), reader);
        left -= block.fileNumber.length;
        row = 0;
      }
      const fileNumber = block.fileNumber[row]!;
      log.push(
        fileNumber,
        block.byteStart[row]!,
        block.byteLength[row]!,
        block.baseOffset[row]!,
        block.maxTimestampMs[row]!,
      );
      files.countPointer(fileNumber);
      row++;
    }
  }
}

function writeProducers({ producers }: ClusterState, writer: SnapshotWriter): void {
  const { fields } = writer;
  fields.varint(producers.count);
  let writtenMsBefore = 0;
  for (const { log, producerId, epoch, writtenMs, batches } of producers.oldestFirst()) {
    fields.varint(log.topicNumber);
    fields.varint(log.partition);
    fields.varint(producerId);
    fields.varint(epoch);
    // They go by age, so that the difference is small.
    fields.varint(writtenMs - writtenMsBefore);
    writtenMsBefore = writtenMs;
    fields.u8(batches.length);
    for (const { firstSequence, lastSequence, baseOffset } of batches) {
      fields.varint(firstSequence);
      fields.varint(lastSequence);
      fields.varint(baseOffset);
    }
    writer.cut();
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
        `a producer wrote to partition ${partition} of topic ${topicNumber}, which is not there`,
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

function writeRecentFiles({ recentFiles }: ClusterState, writer: SnapshotWriter): void {
  const { fields } = writer;
  fields.varint(recentFiles.count);
  for (const { fileId, committedMs, reply } of recentFiles.oldestFirst()) {
    fields.hex16(fileId);
    fields.varint(committedMs);
    fields.varint(reply.length);
    fields.raw(reply);
    writer.cut();
  }
}

function readRecentFiles({ recentFiles }: ClusterState, { fields }: SnapshotReader): void {
  for (let left = fields.varint(); left > 0; left--) {
    const fileId = fields.hex16();
    const committedMs = fields.varint();
    // A copy, so that one answer does not keep the whole snapshot in memory.
    const reply = Buffer.from(fields.raw(fields.varint()));
    recentFiles.add(fileId, committedMs, reply);
  }
}
