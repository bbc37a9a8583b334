import type { OutputOf } from '@weir/api';
import { fileIdBucket } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import { type ReadRecord, type RecordPlace, readRecord } from './read-record.ts';

type LocatedRecord = OutputOf<'locate_record'>;

/** Where metadata comes from. */
export interface MetadataSource {
  /** Such as `leader` or `backup of 2026-01-31T12:00:00.000Z`. */
  readonly name: string;
  readonly clusterId: string;
  locate(offset: number): Promise<LocatedRecord>;
}

type Outcome =
  | 'readable'
  | 'aborted'
  | 'open'
  | 'marker'
  | 'before_log_start'
  | 'beyond_end'
  | 'compacted'
  | 'damaged'
  | 'missing'
  | 'not_read';

export interface Diagnosis {
  readonly offset: number;
  readonly located: LocatedRecord;
  /** Absent if the record is in no file, or there is no access to the bucket. */
  readonly read: ReadRecord | undefined;
  readonly transaction: 'none' | 'committed' | 'aborted' | 'open' | undefined;
  readonly outcome: Outcome;
  /** One line. */
  readonly explanation: string;
}

/** A file may be compacted, and deleted, between metadata and reading. */
const attemptsMax = 3;

/** Finds a record by metadata, and reads it if there is a bucket. `latest` is the last offset. */
export async function diagnoseRecord(
  source: MetadataSource,
  store: ObjectStore | undefined,
  wanted: number | 'earliest' | 'latest',
): Promise<Diagnosis> {
  let offset = typeof wanted === 'number' ? wanted : 0;
  let located = await source.locate(offset);
  if (typeof wanted !== 'number') {
    const { log_start_offset: start, end_offset: end } = located;
    offset = wanted === 'earliest' ? start : Math.max(start, end - 1);
    located = await source.locate(offset);
  }
  for (let attempt = 1; ; attempt++) {
    const { range } = located;
    if (store === undefined || range === null) return diagnosisOf(offset, located, undefined);
    const read = await readRecord(store, placeOf(range), offset);
    if (read.outcome.kind !== 'missing' || attempt === attemptsMax) return diagnosisOf(offset, located, read);
    const again = await source.locate(offset);
    if (again.range?.file_id === range.file_id) return diagnosisOf(offset, located, read);
    located = again;
  }
}

function placeOf(range: NonNullable<LocatedRecord['range']>): RecordPlace {
  const { key, file_id, level, first_offset, end_offset, first_byte, byte_count } = range;
  return {
    key,
    fileId: file_id,
    level,
    firstOffset: first_offset,
    endOffset: end_offset,
    firstByte: first_byte,
    byteCount: byte_count,
  };
}

function diagnosisOf(offset: number, located: LocatedRecord, read: ReadRecord | undefined): Diagnosis {
  const transaction = transactionOf(located, read, offset);
  return { offset, located, read, transaction, ...concluded(located, read, transaction) };
}

function transactionOf(located: LocatedRecord, read: ReadRecord | undefined, offset: number) {
  const view = read?.batch?.view;
  if (view === undefined) return undefined;
  if (!view.isTransactional) return 'none';
  const isOf = ({ producer_id, first_offset }: LocatedRecord['open_transactions'][number]) =>
    BigInt(producer_id) === view.producerId && first_offset <= offset;
  if (located.aborted_transactions.some(isOf)) return 'aborted';
  return located.open_transactions.some(isOf) ? 'open' : 'committed';
}

type Conclusion = Pick<Diagnosis, 'outcome' | 'explanation'>;

function concluded(
  { place, log_start_offset: start, end_offset: end, marker, range }: LocatedRecord,
  read: ReadRecord | undefined,
  transaction: Diagnosis['transaction'],
): Conclusion {
  if (place === 'before_log_start')
    return {
      outcome: 'before_log_start',
      explanation: `not readable: before the log start offset ${start}; deleted, or past its retention`,
    };
  if (place === 'beyond_end')
    return {
      outcome: 'beyond_end',
      explanation: `not readable: the log end offset is ${end}; not written yet`,
    };
  if (place === 'marker')
    return {
      outcome: 'marker',
      explanation: `no record: a transaction marker (${marker?.result}), which consumers skip`,
    };
  if (read === undefined)
    return {
      outcome: 'not_read',
      explanation: 'located, not read: set -bucketURL to read it',
    };
  return ofReading(read, transaction, range === null ? 0 : fileIdBucket(range.file_id));
}

function ofReading(
  { outcome, file }: ReadRecord,
  transaction: Diagnosis['transaction'],
  bucket: number,
): Conclusion {
  switch (outcome.kind) {
    case 'missing': {
      const advice =
        bucket === 0
          ? 'restore it from an object version or a copy of the bucket'
          : `it is in bucket ${bucket} of the cluster; if that is -bucketURL, restore it from an object version or a copy of the bucket`;
      return { outcome: 'missing', explanation: `not readable: ${outcome.reason}; ${advice}` };
    }
    case 'damaged':
      return { outcome: 'damaged', explanation: `not readable: ${outcome.reason}` };
    case 'compacted':
      return { outcome: 'compacted', explanation: `no record: removed by compaction; ${outcome.reason}` };
    case 'control':
      return {
        outcome: 'marker',
        explanation: 'no record: a transaction marker, which consumers skip',
      };
    case 'record':
      break;
  }
  if (transaction === 'aborted')
    return {
      outcome: 'aborted',
      explanation: 'readable; read_committed consumers skip it: its transaction was aborted',
    };
  if (transaction === 'open')
    return {
      outcome: 'open',
      explanation: 'readable; read_committed consumers wait for the end of its transaction',
    };
  if (file?.problem !== undefined)
    return {
      outcome: 'damaged',
      explanation: `readable, but the file is damaged elsewhere: ${file.problem}`,
    };
  return { outcome: 'readable', explanation: 'readable' };
}
