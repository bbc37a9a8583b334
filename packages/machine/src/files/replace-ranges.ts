import {
  type ClusterChange,
  type CompactionCommit,
  type CompactionResult,
  topicConfigValue,
} from '@weir/cluster';
import { fileIdOf } from '@weir/core';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { markerFileSlot } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { topicOf } from '../topics/topic-entries.ts';
import { isBucketKnown } from './known-buckets.ts';

/** A range that still lies in the inputs, without what the log has lost of it. */
interface Replacement {
  readonly range: number;
  readonly log: PartitionLog;
  /** Where its first pointer begins now. */
  readonly fromOffset: number;
  readonly toOffset: number;
  /** Rows of the new pointers. */
  readonly firstRow: number;
  readonly endRow: number;
}

/** A partition whose keys are compacted up to an offset. */
interface CompactedPartition {
  readonly log: PartitionLog;
  readonly cleanOffset: number;
  /** Last offsets of aborted transactions of which nothing is left. */
  readonly droppedAborts: readonly number[];
}

interface Decision {
  readonly replacements: readonly Replacement[];
  /** Absent unless keys were compacted. */
  readonly compacted?: readonly CompactedPartition[];
  readonly result: CompactionResult;
}

/** Decides which ranges a compaction replaces, without applying it. */
export function decideReplaceRanges(
  state: ClusterState,
  limits: MachineLimits,
  commit: CompactionCommit,
  nowMs: number,
): Decision {
  const { files, topics } = state;
  const { outputs, inputFileIds, topicIds, ranges, plannedMs } = commit;
  if (outputs.some(({ fileId, isContinued }) => isContinued !== true && files.slotOf(fileId) >= 0)) {
    return { replacements: [], result: { outcome: 'repeated', isReplaced: new Uint8Array(0) } };
  }
  const isReplaced = new Uint8Array(ranges.topic.length);
  let replacements: Replacement[] = [];
  const changed = new Set<PartitionLog>();
  // The new files may have been deleted as orphans, and their ids forgotten (F7).
  const isRefused =
    plannedMs < nowMs - limits.compactionMsMax ||
    outputs.some((output) => output.isContinued === true && !isAlive(state, output)) ||
    outputs.some(({ fileId }) => !isBucketKnown(state, fileId));
  const inputs = new Set(inputFileIds.map((reference) => files.slotOf(fileIdOf(reference))));
  let endRow = 0;
  for (let range = 0; range < isReplaced.length; range++) {
    const firstRow = endRow;
    endRow += ranges.pointerCount[range]!;
    if (isRefused) continue;
    const log = topics.heldById(topicIds[ranges.topic[range]!]!)?.partitions[ranges.partition[range]!];
    if (log === undefined) continue;
    const found = findRange(state, log, ranges.fromOffset[range]!, ranges.toOffset[range]!, inputs);
    if (found === undefined) {
      if (ranges.toOffset[range]! > log.logStartOffset) changed.add(log);
      continue;
    }
    isReplaced[range] = 1;
    replacements.push({
      range,
      log,
      fromOffset: found,
      toOffset: ranges.toOffset[range]!,
      firstRow: firstRowAbove(commit, firstRow, endRow, log.logStartOffset),
      endRow,
    });
  }
  const mayCompact = commit.keys !== undefined && !isRefused;
  const compacted = mayCompact ? compactedPartitions(state, commit, changed) : commit.keys && [];
  if (compacted !== undefined) {
    const logs = new Set(compacted.map(({ log }) => log));
    for (const { range, log } of replacements) if (!logs.has(log)) isReplaced[range] = 0;
    replacements = replacements.filter(({ log }) => logs.has(log));
  }
  const outcome = replacements.length > 0 ? 'done' : 'refused';
  return { replacements, ...(compacted && { compacted }), result: { outcome, isReplaced } };
}

/**
 * Returns the partitions of which every range that is still in the log can be replaced. A compaction that removed a
 * tombstone relies on the removal of what lies before it, so that it takes effect as a whole or not at all.
 */
function compactedPartitions(
  { topics, clusterConfigs }: ClusterState,
  { topicIds, keys }: CompactionCommit,
  changed: ReadonlySet<PartitionLog>,
): CompactedPartition[] {
  const { partitions, droppedAborts } = keys!;
  const found: CompactedPartition[] = [];
  let firstAbort = 0;
  for (let row = 0; row < partitions.topic.length; row++) {
    const endAbort = firstAbort + partitions.droppedAbortCount[row]!;
    const aborts = droppedAborts.subarray(firstAbort, endAbort);
    firstAbort = endAbort;
    const topic = topics.byId(topicIds[partitions.topic[row]!]!);
    const log = topic?.partitions[partitions.partition[row]!];
    if (topic === undefined || log === undefined || changed.has(log)) continue;
    const policy = topicConfigValue('cleanup.policy', topic.description.configs, clusterConfigs);
    if (!policy.includes('compact')) continue;
    found.push({ log, cleanOffset: partitions.cleanOffset[row]!, droppedAborts: [...aborts] });
  }
  return found;
}

/** Whether an earlier commit brought this file, and it still has pointers. */
function isAlive(
  { files }: ClusterState,
  { fileId, fileBytes }: { readonly fileId: string; readonly fileBytes: number },
): boolean {
  const slot = files.slotOf(fileId);
  return slot >= 0 && files.isReferenced(slot) && files.fileBytes(slot) === fileBytes;
}

/**
 * Returns where the first pointer of a range begins, if the log covers the range by whole pointers into the inputs and
 * markers, apart from what it lost at its front; else `undefined`.
 */
function findRange(
  { pointers }: ClusterState,
  log: PartitionLog,
  fromOffset: number,
  toOffset: number,
  inputs: ReadonlySet<number>,
): number | undefined {
  if (log.pointerCount === 0 || toOffset > log.nextOffset || toOffset <= log.logStartOffset) return undefined;
  let index = log.indexOfOffset(fromOffset);
  const firstOffset = pointers.baseOffset(log.slot(index));
  // Beyond its start a log has lost nothing, so that only its first pointer may begin later than the range.
  if (firstOffset !== fromOffset && !(index === 0 && firstOffset > fromOffset)) return undefined;
  if (firstOffset >= toOffset) return undefined;
  for (; ; index++) {
    const fileSlot = pointers.fileSlot(log.slot(index));
    if (fileSlot !== markerFileSlot && !inputs.has(fileSlot)) return undefined;
    const endOffset = log.endOf(index);
    if (endOffset === toOffset) return firstOffset;
    if (endOffset > toOffset) return undefined;
  }
}

/** Leaves out new pointers that lie wholly below the log start. */
function firstRowAbove(
  { pointers }: CompactionCommit,
  firstRow: number,
  endRow: number,
  logStartOffset: number,
): number {
  let row = firstRow;
  while (row + 1 < endRow && pointers.baseOffset[row + 1]! <= logStartOffset) row++;
  return row;
}

/** The files that an entry names: those with new pointers, or those that are dead because nothing was replaced. */
export function filesToWrite(
  { outputs }: CompactionCommit,
  { replacements }: Decision,
): CompactionCommit['outputs'] {
  return replacements.length > 0 ? outputs : outputs.filter(({ isContinued }) => isContinued !== true);
}

/** Files, then per range: topic number, partition, offsets, and pointers as differences. */
export function writeRangesReplaced(
  writer: ByteWriter,
  { pointers }: CompactionCommit,
  outputs: CompactionCommit['outputs'],
  { replacements }: Decision,
): void {
  writer.varint(outputs.length);
  for (const { fileId, fileBytes } of outputs) {
    writer.hex16(fileId);
    writer.varint(fileBytes);
  }
  writer.varint(replacements.length);
  for (const { log, fromOffset, toOffset, firstRow, endRow } of replacements) {
    writer.varint(log.topicNumber);
    writer.varint(log.partition);
    writer.varint(fromOffset);
    writer.varint(toOffset - fromOffset);
    writer.varint(endRow - firstRow);
    let offset = 0;
    for (let row = firstRow; row < endRow; row++) {
      writer.varint(pointers.file[row]!);
      writer.varint(pointers.byteStart[row]!);
      writer.varint(pointers.byteLength[row]!);
      writer.varint(pointers.baseOffset[row]! - offset);
      offset = pointers.baseOffset[row]!;
      writer.f64(pointers.maxTimestampMs[row]!);
    }
  }
}

/** After the ranges, per partition: topic number, partition, offset, and ends of transactions that are forgotten. */
export function writeKeysCompacted(writer: ByteWriter, compacted: readonly CompactedPartition[]): void {
  writer.varint(compacted.length);
  for (const { log, cleanOffset, droppedAborts } of compacted) {
    writer.varint(log.topicNumber);
    writer.varint(log.partition);
    writer.varint(cleanOffset);
    writer.varint(droppedAborts.length);
    for (const offset of droppedAborts) writer.varint(offset);
  }
}

export function applyKeysCompacted(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes = applyRangesReplaced(state, reader);
  for (let left = reader.varint(); left > 0; left--) {
    const topic = topicOf(state, reader.varint());
    const log = topic.partitions[reader.varint()];
    if (log === undefined) throw new UnreadableBytes(`topic ${topic.number} has no such partition`);
    log.cleanOffset = Math.max(log.cleanOffset, reader.varint());
    const aborts = Array.from({ length: reader.varint() }, () => reader.varint());
    if (aborts.length > 0) log.aborted?.drop(new Set(aborts));
  }
  return changes;
}

export function applyRangesReplaced(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const { files, nowMs } = state;
  const outputs: { readonly fileId: string; readonly fileBytes: number; slot: number }[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    outputs.push({ fileId: reader.hex16(), fileBytes: reader.varint(), slot: -1 });
  }
  const slotOf = (output: number) => {
    const file = outputs[output];
    if (file === undefined)
      throw new UnreadableBytes(`a pointer lies in file ${output} of ${outputs.length}`);
    if (file.slot < 0) file.slot = files.add(file.fileId, file.fileBytes);
    return file.slot;
  };
  const changed = new Map<string, Map<number, number>>();
  for (let left = reader.varint(); left > 0; left--) {
    const topic = topicOf(state, reader.varint());
    const log = topic.partitions[reader.varint()];
    const fromOffset = reader.varint();
    const toOffset = fromOffset + reader.varint();
    if (log === undefined) throw new UnreadableBytes(`topic ${topic.number} has no such partition`);
    replaceRange(state, log, fromOffset, toOffset, reader, slotOf);
    if (topic.deletedMs !== undefined) continue;
    const { topicId } = topic.description;
    const offsets = changed.get(topicId) ?? new Map<number, number>();
    changed.set(topicId, offsets);
    offsets.set(log.partition, Math.max(toOffset, offsets.get(log.partition) ?? 0));
  }
  // Nothing lies in these, so that they can be deleted (F1).
  for (const { fileId, fileBytes, slot } of outputs) if (slot < 0) files.addDead(fileId, fileBytes, nowMs);
  return [...changed].map(([topicId, offsets]) => ({
    kind: 'replaced',
    topicId,
    partition: Uint32Array.from(offsets.keys()),
    belowOffset: Float64Array.from(offsets.values()),
  }));
}

function replaceRange(
  { files, pointers, nowMs }: ClusterState,
  log: PartitionLog,
  fromOffset: number,
  toOffset: number,
  reader: ByteReader,
  slotOf: (output: number) => number,
): void {
  const first = log.pointerCount === 0 ? 0 : log.indexOfOffset(fromOffset);
  const last = log.pointerCount === 0 ? 0 : log.indexOfOffset(toOffset - 1);
  if (
    log.pointerCount === 0 ||
    pointers.baseOffset(log.slot(first)) !== fromOffset ||
    log.endOf(last) !== toOffset
  ) {
    throw new UnreadableBytes(`a partition has no pointers from ${fromOffset} to ${toOffset}`);
  }
  const rows = {
    fileSlot: [] as number[],
    byteStart: [] as number[],
    byteLength: [] as number[],
    baseOffset: [] as number[],
    maxTimestampMs: [] as number[],
  };
  let offset = 0;
  for (let left = reader.varint(); left > 0; left--) {
    rows.fileSlot.push(slotOf(reader.varint()));
    rows.byteStart.push(reader.varint());
    rows.byteLength.push(reader.varint());
    offset += reader.varint();
    rows.baseOffset.push(offset);
    rows.maxTimestampMs.push(reader.f64());
  }
  if (rows.fileSlot.length === 0) throw new UnreadableBytes('a range without pointers');
  for (const [row, fileSlot] of rows.fileSlot.entries()) files.countPointer(fileSlot, rows.byteLength[row]!);
  for (let index = first; index <= last; index++) {
    const slot = log.slot(index);
    const fileSlot = pointers.fileSlot(slot);
    if (fileSlot !== markerFileSlot) files.discountPointer(fileSlot, pointers.byteLength(slot), nowMs);
  }
  log.replace(first, last - first + 1, rows);
}
