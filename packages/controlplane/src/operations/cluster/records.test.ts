import assert from 'node:assert/strict';
import { test } from 'node:test';
import { youngFileId } from '@weir/core/testing';
import { openTestClusterApi } from '../../../testing/test-cluster-api.ts';
import { locatedRecord } from './locate-record.ts';

test('a record is located in its file, or outside of the log', async (t) => {
  const testApi = await openTestClusterApi(t);
  const topicId = await testApi.addTopic('orders', 2);
  await testApi.write(topicId, 1, 5);
  await testApi.write(topicId, 1, 7);
  await testApi.node.deleteRecords([{ topicId, partition: 1, offset: 2 }]);
  const at = (offset: number) =>
    testApi.call('locate_record', { topic_name: 'orders', partition: 1, offset });
  const found = await at(6);
  assert.deepEqual(
    [found.topic_id, found.log_start_offset, found.end_offset, found.last_stable_offset, found.place],
    [topicId, 2, 12, 12, 'file'],
  );
  const { first_offset, end_offset, level, key, file_id, first_byte, byte_count } = found.range!;
  assert.deepEqual([first_offset, end_offset, level, first_byte, byte_count], [5, 12, 0, 0, 100]);
  assert.match(key, new RegExp(`^service/vci_[^/]+/${file_id.slice(-2)}/${file_id}$`));
  for (const [offset, place] of [
    [1, 'before_log_start'],
    [12, 'beyond_end'],
    [2 ** 53 - 1, 'beyond_end'],
  ] as const) {
    const { place: actual, range, end_offset } = await at(offset);
    assert.deepEqual([actual, range, end_offset], [place, null, 12], `offset ${offset}`);
  }
  for (const [body, message] of [
    [{ topic_name: 'orders', partition: 2, offset: 0 }, 'The topic orders has no partition 2.'],
    [{ topic_name: 'payments', partition: 0, offset: 0 }, 'Topic payments not found.'],
  ] as const)
    assert.deepEqual(await testApi.refusal('locate_record', body), ['not_found', message]);
});

const log = { error: 'NONE', logStartOffset: 0, nextOffset: 100, lastStableOffset: 50 } as const;
const row = {
  byteStart: Float64Array.of(7),
  byteLength: Float64Array.of(100),
  baseOffset: Float64Array.of(40),
  nextOffset: Float64Array.of(60),
};
const record = { clusterId: 'vci_test', topicId: 'topic', offset: 55 };

test('transactions around the offset are listed, and others are not', () => {
  const { aborted_transactions, open_transactions } = locatedRecord(
    record,
    {
      ...log,
      pointers: { ...row, fileId: [youngFileId(1)] },
      aborted: {
        producerId: Float64Array.of(1, 2, 3),
        firstOffset: Float64Array.of(41, 50, 56),
        lastOffset: Float64Array.of(54, 55, 58),
      },
    },
    { error: 'NONE', producers: [producer(4, 50), producer(5, 56), producer(6, -1)] },
  );
  assert.deepEqual(aborted_transactions, [{ producer_id: 2, first_offset: 50 }]);
  assert.deepEqual(open_transactions, [{ producer_id: 4, first_offset: 50 }]);
});

test('a file of the cluster that was cloned lies below the prefix of that one', () => {
  const fileId = youngFileId(1);
  const { range } = locatedRecord(
    record,
    { ...log, pointers: { ...row, fileId: [`${fileId}@vci_source`] } },
    { error: 'NONE', producers: [] },
  );
  assert.deepEqual([range!.file_id, range!.key], [fileId, `service/vci_source/01/${fileId}`]);
});

function producer(producerId: number, transactionStartOffset: number) {
  return { producerId, producerEpoch: 0, lastSequence: 0, lastTimestampMs: 0, transactionStartOffset };
}

test('the end of a transaction is in no file', () => {
  const markers = {
    row: Uint32Array.of(0),
    isCommit: Uint8Array.of(0),
    producerId: Float64Array.of(9),
    producerEpoch: Int16Array.of(2),
    timestampMs: Float64Array.of(0),
  };
  const located = locatedRecord(
    record,
    { ...log, pointers: { ...row, fileId: [''], markers } },
    { error: 'NONE', producers: [] },
  );
  assert.deepEqual([located.place, located.range], ['marker', null]);
  assert.deepEqual(located.marker, {
    result: 'abort',
    producer_id: 9,
    producer_epoch: 2,
    ended_at: '1970-01-01T00:00:00.000Z',
  });
});
