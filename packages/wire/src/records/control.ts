import { DecodeError } from '../decode-error.ts';
import type { RecordBatchView } from './batch.ts';
import { buildRecordBatch } from './builder.ts';
import { noSequence } from './layout.ts';
import { RecordCursor } from './record-cursor.ts';

/**
 * Control batches hold one record that consumers never see. The one kind that clusters write into topics ends a
 * transaction: it says whether everything its producer wrote since the last such marker is committed or aborted.
 *
 *     key    version int16 = 0, type int16 (0 abort, 1 commit)
 *     value  version int16 = 0, coordinator epoch int32
 */
export type TransactionResult = 'abort' | 'commit';

const resultTypes: Readonly<Record<TransactionResult, number>> = { abort: 0, commit: 1 };
const keyBytes = 4;
const valueBytes = 6;
/** Later versions may append fields; the ones above stay in place. */
const writtenVersion = 0;

export interface EndTransactionMarker {
  readonly result: TransactionResult;
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly coordinatorEpoch: number;
  readonly timestamp: bigint;
  readonly baseOffset?: bigint;
  readonly partitionLeaderEpoch?: number;
}

/** `other` are the markers of consensus logs, which a reader of topics skips. */
export type ControlRecord =
  | { readonly kind: 'endTransaction'; readonly result: TransactionResult; readonly coordinatorEpoch: number }
  | { readonly kind: 'other'; readonly type: number };

/** Writes a marker as a whole batch. It takes one offset and no sequence. */
export function buildEndTransactionMarker(marker: EndTransactionMarker): Buffer {
  const { result, coordinatorEpoch, timestamp, ...fields } = marker;
  const key = Buffer.alloc(keyBytes);
  key.writeInt16BE(writtenVersion, 0);
  key.writeInt16BE(resultTypes[result], 2);
  const value = Buffer.alloc(valueBytes);
  value.writeInt16BE(writtenVersion, 0);
  value.writeInt32BE(coordinatorEpoch, 2);
  return buildRecordBatch([{ timestamp, key, value }], {
    ...fields,
    baseSequence: noSequence,
    isTransactional: true,
    isControl: true,
  });
}

/** Reads the record of a control batch. Throws `DecodeError` if the batch is none or is malformed. */
export function readControlRecord(batch: RecordBatchView): ControlRecord {
  if (!batch.isControl) throw failure('attributes', 'the control bit is clear');
  const cursor = new RecordCursor(batch);
  if (!cursor.next()) throw failure('records', 'there is none');
  const { key, value } = cursor;
  if (key === null || key.length < keyBytes) throw failure('key', 'is shorter than a version and a type');
  if (key.readInt16BE(0) < 0) throw failure('key', `version ${key.readInt16BE(0)} is negative`);
  const type = key.readInt16BE(2);
  if (type !== resultTypes.abort && type !== resultTypes.commit) return { kind: 'other', type };
  if (value === null || value.length < valueBytes)
    throw failure('value', 'is shorter than a version and an epoch');
  return {
    kind: 'endTransaction',
    result: type === resultTypes.commit ? 'commit' : 'abort',
    coordinatorEpoch: value.readInt32BE(2),
  };
}

function failure(field: string, problem: string): DecodeError {
  return new DecodeError('control batch', field, 0, problem);
}
