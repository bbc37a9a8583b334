import assert from 'node:assert/strict';
import { test } from 'node:test';
import { javaBatches } from '../../testing/golden-batches.ts';
import { DecodeError } from '../decode-error.ts';
import { RecordBatchView } from './batch.ts';
import { buildRecordBatch } from './builder.ts';
import { buildEndTransactionMarker, readControlRecord } from './control.ts';

function controlBatch(key: string | null, value: string | null): RecordBatchView {
  const bytes = (hex: string | null) => (hex === null ? null : Buffer.from(hex, 'hex'));
  return new RecordBatchView(
    buildRecordBatch([{ timestamp: 0n, key: bytes(key), value: bytes(value) }], { isControl: true }),
  );
}

for (const result of ['commit', 'abort'] as const) {
  test(`writes and reads the ${result} marker of the Java broker`, () => {
    const marker = buildEndTransactionMarker({
      result,
      producerId: 4_000_000_000n,
      producerEpoch: 7,
      coordinatorEpoch: 5,
      timestamp: 1700000000000n,
      baseOffset: 42n,
      partitionLeaderEpoch: 3,
    });
    assert.equal(marker.toString('hex'), javaBatches[result].toString('hex'));
    assert.deepEqual(readControlRecord(new RecordBatchView(marker)), {
      kind: 'endTransaction',
      result,
      coordinatorEpoch: 5,
    });
  });
}

test('ignores fields that later versions may append, and reads other kinds by their type', () => {
  assert.deepEqual(readControlRecord(controlBatch('00010001ff', '000100000009ff')), {
    kind: 'endTransaction',
    result: 'commit',
    coordinatorEpoch: 9,
  });
  assert.deepEqual(readControlRecord(controlBatch('00000002', null)), { kind: 'other', type: 2 });
});

test('rejects records that are no control records', () => {
  const table: [name: string, batch: RecordBatchView, problem: RegExp][] = [
    ['a data batch', new RecordBatchView(javaBatches.none), /control bit/],
    ['no record', new RecordBatchView(buildRecordBatch([], { isControl: true })), /there is none/],
    ['no key', controlBatch(null, '000000000005'), /key/],
    ['a short key', controlBatch('000000', '000000000005'), /key/],
    ['a negative version', controlBatch('ffff0001', '000000000005'), /version -1/],
    ['no value', controlBatch('00000001', null), /value/],
    ['a short value', controlBatch('00000001', '0000000000'), /value/],
  ];
  for (const [name, batch, problem] of table) {
    assert.throws(
      () => readControlRecord(batch),
      (error) => error instanceof DecodeError && problem.test(error.message),
      name,
    );
  }
});
