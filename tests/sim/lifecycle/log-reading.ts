import type { BatchesAnswer, BatchesQuery, Pointers } from '@weir/cluster';
import { fileIdLevel } from '@weir/core';
import { logFileKey, type ObjectStore } from '@weir/storage';
import { batchRecords, readControlRecord, recordBatches } from '@weir/wire';
import { isMarker, markerBatch } from '../../../packages/broker/src/read-path/marker-batches.ts';
import { LogProblem } from './log-problem.ts';
import { clusterId } from './setting.ts';

interface SeenRecord {
  readonly offset: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly timestampMs: number;
}

export interface SeenBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly producerId: number;
  readonly isTransactional: boolean;
  /** The end of a transaction, if it is one. */
  readonly end?: 'commit' | 'abort';
  readonly records: readonly SeenRecord[];
}

interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

/** Where the records of a partition lie, from an offset on. */
export interface LocatedLog {
  readonly startOffset: number;
  readonly nextOffset: number;
  readonly stableOffset: number;
  readonly pages: readonly { readonly fromOffset: number; readonly pointers: Pointers }[];
  readonly aborted: readonly AbortedTransaction[];
}

export interface SeenLog extends LocatedLog {
  readonly batches: readonly SeenBatch[];
}

type FindBatches = (queries: readonly BatchesQuery[]) => Promise<BatchesAnswer[]>;

/** A reader whose offset is gone begins again at the start; this often. */
const startsMax = 5;

/** Finds all pointers of a partition, page by page; `undefined` if there is no such topic. */
export async function locateLog(
  find: FindBatches,
  topicId: string,
  partition: number,
): Promise<LocatedLog | undefined> {
  for (let start = 0; start < startsMax; start++) {
    const located = await locateFrom(find, topicId, partition);
    if (located !== 'outOfRange') return located;
  }
  throw new LogProblem('the start of a log moves whenever it is read');
}

async function locateFrom(
  find: FindBatches,
  topicId: string,
  partition: number,
): Promise<LocatedLog | undefined | 'outOfRange'> {
  const pages: { fromOffset: number; pointers: Pointers }[] = [];
  const aborted = new Map<string, AbortedTransaction>();
  let offset = -1;
  for (;;) {
    const [answer] = await find([{ topicId, partition, offset: Math.max(0, offset), bytesMax: 4096 }]);
    const { error, logStartOffset, nextOffset, lastStableOffset, pointers } = answer!;
    if (error === 'UNKNOWN_TOPIC_ID') return undefined;
    if (offset < 0 && logStartOffset > 0) {
      offset = logStartOffset;
      continue;
    }
    offset = Math.max(0, offset);
    if (error === 'OFFSET_OUT_OF_RANGE') return 'outOfRange';
    if (error !== 'NONE') throw new LogProblem(`findBatches answers ${error}`);
    const transactions = answer!.aborted;
    for (let row = 0; row < (transactions?.producerId.length ?? 0); row++) {
      const producerId = transactions!.producerId[row]!;
      const firstOffset = transactions!.firstOffset[row]!;
      aborted.set(`${producerId} ${firstOffset}`, { producerId, firstOffset });
    }
    if (pointers.fileId.length > 0) pages.push({ fromOffset: offset, pointers });
    const end = pointers.nextOffset.at(-1) ?? nextOffset;
    if (end < nextOffset) {
      offset = end;
      continue;
    }
    return {
      startOffset: logStartOffset,
      nextOffset,
      stableOffset: lastStableOffset,
      pages,
      aborted: [...aborted.values()].sort((a, b) => a.firstOffset - b.firstOffset),
    };
  }
}

/** Reads what was located. Throws if bytes are missing or are not the batches of their pointers. */
export async function readLog(store: ObjectStore, located: LocatedLog): Promise<SeenLog> {
  const batches: SeenBatch[] = [];
  for (const { fromOffset, pointers } of located.pages) {
    for (let row = 0; row < pointers.fileId.length; row++) {
      const read = await readPointer(store, pointers, row);
      for (const batch of read) if (batch.nextOffset > fromOffset) batches.push(batch);
    }
  }
  return { ...located, batches };
}

async function readPointer(store: ObjectStore, pointers: Pointers, row: number): Promise<SeenBatch[]> {
  const start = pointers.baseOffset[row]!;
  const end = pointers.nextOffset[row]!;
  const fileId = pointers.fileId[row]!;
  const marker = isMarker(pointers, row);
  const from = pointers.byteStart[row]!;
  const bytes = marker
    ? markerBatch(pointers, row)
    : await store.getRange(logFileKey(clusterId, fileId), from, from + pointers.byteLength[row]!);
  const hasStoredOffsets = !marker && fileIdLevel(fileId) > 0;
  const batches: SeenBatch[] = [];
  let offset = start;
  for (const batch of recordBatches(bytes, { partialTail: 'error' })) {
    if (!batch.hasValidCrc())
      throw new LogProblem(`a batch at ${offset} of ${fileId} does not match its CRC`);
    const baseOffset = hasStoredOffsets ? Number(batch.baseOffset) : offset;
    if (baseOffset < offset)
      throw new LogProblem(`a batch of ${fileId} begins at ${baseOffset}, before ${offset}`);
    const nextOffset = baseOffset + batch.lastOffsetDelta + 1;
    const shift = baseOffset - Number(batch.baseOffset);
    const control = batch.isControl ? readControlRecord(batch) : undefined;
    batches.push({
      baseOffset,
      nextOffset,
      producerId: Number(batch.producerId),
      isTransactional: batch.isTransactional,
      ...(control?.kind === 'endTransaction' ? { end: control.result } : {}),
      records: batch.isControl
        ? []
        : Array.from(batchRecords(batch), (record) => ({
            offset: Number(record.offset) + shift,
            key: record.key?.toString() ?? null,
            value: record.value?.toString() ?? null,
            timestampMs: Number(record.timestamp),
          })),
    });
    offset = nextOffset;
  }
  if (offset !== end)
    throw new LogProblem(`the batches of ${start} in ${fileId} end at ${offset} and not at ${end}`);
  return batches;
}
