import type { OutputOf } from '@weir/api';
import type { BatchesAnswer, Pointers, ProducersAnswer } from '@weir/cluster';
import { fileIdLevel, fileIdOf, fileIdTimeMs, timeText } from '@weir/core';
import { logFileKey } from '@weir/storage';

export type LocatedRecord = OutputOf<'locate_record'>;

/** As many as the catalogue allows. */
const transactionsMax = 1_000;
/** The last time that the API can represent. */
const latestMs = Date.UTC(9999, 11, 31);

interface RecordToLocate {
  readonly clusterId: string;
  readonly topicId: string;
  readonly offset: number;
}

/** Says where a record is, by what the leader or a backup knows of its partition. */
export function locatedRecord(
  { clusterId, topicId, offset }: RecordToLocate,
  { logStartOffset, nextOffset, lastStableOffset, pointers, aborted }: BatchesAnswer,
  { producers }: ProducersAnswer,
): LocatedRecord {
  const ends = {
    topic_id: topicId,
    log_start_offset: logStartOffset,
    end_offset: nextOffset,
    last_stable_offset: lastStableOffset,
  };
  const nowhere = { ...ends, range: null, marker: null, aborted_transactions: [], open_transactions: [] };
  if (offset < logStartOffset) return { ...nowhere, place: 'before_log_start' };
  if (offset >= nextOffset || pointers.fileId.length === 0) return { ...nowhere, place: 'beyond_end' };
  const marker = markerOf(pointers);
  if (marker !== undefined) return { ...nowhere, place: 'marker', marker };
  const open = producers.filter(({ transactionStartOffset: first }) => first >= 0 && first <= offset);
  return {
    ...ends,
    place: 'file',
    range: rangeOf(clusterId, pointers),
    marker: null,
    aborted_transactions: abortedAround(aborted, offset),
    open_transactions: open.slice(0, transactionsMax).map(({ producerId, transactionStartOffset }) => ({
      producer_id: producerId,
      first_offset: transactionStartOffset,
    })),
  };
}

function markerOf({ markers }: Pointers): LocatedRecord['marker'] | undefined {
  if (markers?.row[0] !== 0) return undefined;
  return {
    result: markers.isCommit[0] === 1 ? 'commit' : 'abort',
    producer_id: markers.producerId[0]!,
    producer_epoch: markers.producerEpoch[0]!,
    ended_at: timeText(markers.timestampMs[0]!),
  };
}

function rangeOf(clusterId: string, pointers: Pointers): LocatedRecord['range'] {
  const [reference] = pointers.fileId as [string];
  const fileId = fileIdOf(reference);
  return {
    first_offset: pointers.baseOffset[0]!,
    end_offset: pointers.nextOffset[0]!,
    file_id: fileId,
    level: fileIdLevel(fileId),
    file_time: timeText(Math.min(fileIdTimeMs(fileId), latestMs)),
    key: logFileKey(clusterId, reference),
    first_byte: pointers.byteStart[0]!,
    byte_count: pointers.byteLength[0]!,
  };
}

function abortedAround(aborted: BatchesAnswer['aborted'], offset: number) {
  if (aborted === undefined) return [];
  const found: LocatedRecord['aborted_transactions'] = [];
  for (const [row, first] of aborted.firstOffset.entries()) {
    if (first > offset || aborted.lastOffset[row]! < offset || found.length === transactionsMax) continue;
    found.push({ producer_id: aborted.producerId[row]!, first_offset: first });
  }
  return found;
}
