import {
  type ClusterChange,
  type CopiedFile,
  type CopiedFileResult,
  type CopyError,
  copiedRowKinds,
  copyErrors,
} from '@weir/cluster';
import { fileIdLevel, fileIdTimeMs } from '@weir/core';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { MalformedCommand } from '../command.ts';
import { committableFromMs } from '../files/dead-files.ts';
import { isBucketKnown } from '../files/known-buckets.ts';
import { producerIdMax } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import { readPointers } from '../log/pointers.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { ownMigrationOf } from '../managed/managed-topics.ts';
import { topicOf } from '../topics/topic-entries.ts';
import { existing } from './manage-topics.ts';

const codeOf = Object.fromEntries(copyErrors.map((error, code) => [error, code])) as Readonly<
  Record<CopyError, number>
>;
const kindOf = { plain: 0, transactional: 1, commitMarker: 2, abortMarker: 3 } as const satisfies Record<
  (typeof copiedRowKinds)[number],
  number
>;

interface AppendedRange {
  readonly range: number;
  readonly log: PartitionLog;
  readonly firstRow: number;
  readonly endRow: number;
}

interface Decision {
  readonly appended: readonly AppendedRange[];
  /** Producer states to forget first, so that there is room. */
  readonly evictedProducers: number;
  /** Whether nothing lies in the file, which is dead then. */
  readonly isDead: boolean;
  readonly result: CopiedFileResult;
}

/**
 * Decides which ranges of a file of copies are appended, without applying it. A range is appended if the partition ends
 * where the range expects it: so two agents that copy the same partition can never interleave (U1).
 */
export function decideAppendCopied(
  state: ClusterState,
  limits: MachineLimits,
  file: CopiedFile,
  nowMs: number,
): Decision {
  checkCopiedFile(file);
  const { fileId, topicIds, ranges, pipelineId } = file;
  const count = ranges.topic.length;
  const error = new Uint8Array(count);
  const nextOffset = new Float64Array(count).fill(-1);
  // As for files of clients (F3, C1, F11). A file that is known was appended by the first of two equal calls.
  const isKnown = state.files.slotOf(fileId) >= 0;
  const isUnusable =
    isKnown || fileIdTimeMs(fileId) < committableFromMs(limits, nowMs) || !isBucketKnown(state, fileId);
  const isOwn = topicIds.map((topicId) => ownMigrationOf(state, topicId)?.pipelineId === pipelineId);
  const appended: AppendedRange[] = [];
  const ends = new Map<PartitionLog, number>();
  const added = new Set<string>();
  let endRow = 0;
  for (let range = 0; range < count; range++) {
    const firstRow = endRow;
    endRow += ranges.batchCount[range]!;
    const topic = state.topics.byId(topicIds[ranges.topic[range]!]!);
    const log = topic?.partitions[ranges.partition[range]!];
    const problem = problemOf(log === undefined ? undefined : (ends.get(log) ?? log.nextOffset));
    if (problem !== 'NONE') {
      error[range] = codeOf[problem];
      continue;
    }
    ends.set(log!, ranges.nextOffset[range]!);
    nextOffset[range] = ranges.nextOffset[range]!;
    appended.push({ range, log: log!, firstRow, endRow });
    for (let row = firstRow; row < endRow; row++) {
      const producerId = file.batches.producerId[row]!;
      if (isOfWindow(file, row) && !state.producers.isKnown(log!, producerId))
        added.add(`${log!.topicNumber} ${log!.partition} ${producerId}`);
    }

    function problemOf(endOffset: number | undefined): CopyError {
      if (topic === undefined) return 'UNKNOWN_TOPIC_ID';
      if (endOffset === undefined) return 'UNKNOWN_TOPIC_OR_PARTITION';
      nextOffset[range] = endOffset;
      if (!isOwn[ranges.topic[range]!]) return 'NOT_MANAGED';
      if (ranges.expectedOffset[range] !== endOffset) return 'END_CHANGED';
      return isUnusable ? 'KAFKA_STORAGE_ERROR' : 'NONE';
    }
  }
  const evictedProducers = Math.min(
    state.producers.count,
    Math.max(0, state.producers.count + added.size - limits.producerStatesMax),
  );
  const isDead = appended.length === 0 && !isUnusable;
  return { appended, evictedProducers, isDead, result: { error, nextOffset } };
}

const uint32Max = 2 ** 32 - 1;

/** Throws for a malformed file that no correct agent sends. */
function checkCopiedFile({ fileId, fileBytes, topicIds, ranges, batches }: CopiedFile): void {
  const refuse = (problem: string): never => {
    throw new MalformedCommand(`file ${fileId} of copies: ${problem}`);
  };
  if (!/^[0-9a-f]{32}$/.test(fileId)) refuse('its id is not 32 hex digits');
  // Readers take the offsets of batches from their headers in files above level 0 only.
  if (fileIdLevel(fileId) === 0) refuse('its level is 0');
  if (fileBytes > uint32Max) refuse(`it has ${fileBytes} bytes`);
  let row = 0;
  for (let range = 0; range < ranges.topic.length; range++) {
    const topic = ranges.topic[range]!;
    if (topic >= topicIds.length) refuse(`range ${range} is of topic ${topic} of ${topicIds.length}`);
    const byteLength = ranges.byteLength[range]!;
    if (byteLength === 0 || ranges.byteStart[range]! + byteLength > fileBytes)
      refuse(`range ${range} has ${byteLength} bytes`);
    let offset = ranges.expectedOffset[range]!;
    const endOffset = ranges.nextOffset[range]!;
    if (
      !(Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(endOffset) && endOffset > offset)
    )
      refuse(`range ${range} is from ${offset} to ${endOffset}`);
    const timestampMs = ranges.maxTimestampMs[range]!;
    if (!Number.isFinite(timestampMs)) refuse(`range ${range} has the timestamp ${timestampMs}`);
    const endRow = row + ranges.batchCount[range]!;
    if (endRow > batches.kind.length) refuse(`range ${range} has more batches than the file`);
    for (; row < endRow; row++) {
      const [from, to] = [batches.baseOffset[row]!, batches.nextOffset[row]!];
      if (!(from >= offset && to > from && to <= endOffset && Number.isSafeInteger(from)))
        refuse(`batch ${row} is from ${from} to ${to}`);
      offset = to;
      if (batches.kind[row]! >= copiedRowKinds.length) refuse(`batch ${row} is of kind ${batches.kind[row]}`);
      const producerId = batches.producerId[row]!;
      if (
        !(producerId >= 0 && producerId <= producerIdMax && Number.isSafeInteger(producerId)) ||
        batches.producerEpoch[row]! < 0
      )
        refuse(`batch ${row} has producer ${producerId}, epoch ${batches.producerEpoch[row]}`);
      if (batches.baseSequence[row]! < -1) refuse(`batch ${row} has sequence ${batches.baseSequence[row]}`);
    }
  }
  if (row !== batches.kind.length) refuse('it has batches without a range');
}

/** Whether a row becomes part of the window of its producer, as it does when a client writes it (P1). */
function isOfWindow({ batches }: CopiedFile, row: number): boolean {
  return batches.kind[row]! <= kindOf.transactional && batches.baseSequence[row]! >= 0;
}

/**
 * How many producers are forgotten, and the file. Then per range: topic number, partition, place in the file, offsets,
 * latest timestamp, and batches with their offsets as differences.
 */
export function writeCopiesAppended(
  writer: ByteWriter,
  { fileId, fileBytes, ranges, batches }: CopiedFile,
  { appended, evictedProducers }: Decision,
): void {
  writer.varint(evictedProducers);
  writer.hex16(fileId);
  writer.varint(fileBytes);
  writer.varint(appended.length);
  for (const { range, log, firstRow, endRow } of appended) {
    writer.varint(log.topicNumber);
    writer.varint(log.partition);
    writer.varint(ranges.byteStart[range]!);
    writer.varint(ranges.byteLength[range]!);
    let offset = ranges.expectedOffset[range]!;
    writer.varint(offset);
    writer.varint(ranges.nextOffset[range]! - offset);
    writer.f64(ranges.maxTimestampMs[range]!);
    writer.varint(endRow - firstRow);
    for (let row = firstRow; row < endRow; row++) {
      writer.u8(batches.kind[row]!);
      writer.varint(batches.baseOffset[row]! - offset);
      writer.varint(batches.nextOffset[row]! - batches.baseOffset[row]!);
      offset = batches.nextOffset[row]!;
      writer.varint(batches.producerId[row]!);
      writer.varint(batches.producerEpoch[row]!);
      writer.varint(batches.baseSequence[row]! + 1);
    }
  }
}

export function applyCopiesAppended(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const { files, producers, nowMs } = state;
  producers.forgetOldest(reader.varint());
  const fileId = reader.hex16();
  const fileBytes = reader.varint();
  const rangeCount = reader.varint();
  if (rangeCount === 0) {
    files.addDead(fileId, fileBytes, nowMs);
    return [];
  }
  const fileSlot = files.add(fileId, fileBytes);
  const fileIds = new Map([[fileSlot, fileId]]);
  const grown = new Map<PartitionLog, number>();
  for (let left = rangeCount; left > 0; left--) {
    const topic = topicOf(state, reader.varint());
    const log = existing(topic, reader.varint());
    const byteStart = reader.varint();
    const byteLength = reader.varint();
    const expectedOffset = reader.varint();
    const span = reader.varint();
    const maxTimestampMs = reader.f64();
    if (log.nextOffset !== expectedOffset)
      throw new UnreadableBytes(
        `partition ${log.partition} of topic ${topic.number} does not end at ${expectedOffset}`,
      );
    // A pointer of this file is of this command.
    if (log.append(fileSlot, byteStart, byteLength, span, maxTimestampMs)) {
      files.countPointer(fileSlot, byteLength);
      if (!grown.has(log)) grown.set(log, log.pointerCount - 1);
    } else files.addLiveBytes(fileSlot, byteLength);
    readBatches(state, log, expectedOffset, reader);
  }
  return Array.from(grown, ([log, firstNew]) => {
    const pointers = readPointers(state, log, firstNew, log.pointerCount - firstNew, fileIds);
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
}

/** Rebuilds what the source knows of producers and transactions, from the headers of their batches. */
function readBatches(
  { producers, nowMs }: ClusterState,
  log: PartitionLog,
  from: number,
  reader: ByteReader,
) {
  let offset = from;
  for (let left = reader.varint(); left > 0; left--) {
    const kind = reader.u8();
    const baseOffset = offset + reader.varint();
    const span = reader.varint();
    offset = baseOffset + span;
    const producerId = reader.varint();
    const epoch = reader.varint();
    const baseSequence = reader.varint() - 1;
    if (kind === kindOf.commitMarker || kind === kindOf.abortMarker) {
      log.endCopiedTransaction(producerId, kind === kindOf.commitMarker, baseOffset);
      continue;
    }
    if (kind === kindOf.transactional && log.openTransactions?.has(producerId) !== true)
      log.beginTransaction(producerId, baseOffset);
    if (baseSequence < 0) continue;
    // The source has accepted the sequence, so that it is not checked again. What compaction removed makes no gap.
    const starts = producers.epochOf(log, producerId) !== epoch;
    producers.record(log, producerId, epoch, baseSequence, span, baseOffset, starts, nowMs);
  }
}
