import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryErrors, type FileCommit, type FileCommitResult } from '@weir/cluster';
import { FakeCluster } from './fake-cluster.ts';
import { commitOf } from './file-commit.ts';

function idempotent(
  file: FileCommit,
  producerId: number,
  epoch: number,
  sequences: readonly number[],
): FileCommit {
  return {
    ...file,
    producerId: file.producerId.map(() => producerId),
    producerEpoch: file.producerEpoch.map(() => epoch),
    baseSequence: Int32Array.from(sequences),
  };
}

function outcome({ error, baseOffset }: FileCommitResult) {
  return Array.from(error, (code, row) => (code === 0 ? baseOffset[row] : entryErrors[code]));
}

test('batches that lie together are one range, and a file is committed once', async () => {
  const cluster = new FakeCluster();
  const { topicId } = cluster.addTopic('t', 2);
  const file = commitOf(topicId, [
    { partition: 0, records: 3 },
    { partition: 0, records: 2 },
    { partition: 1, records: 1 },
    { partition: 9, records: 1 },
  ]);
  for (let time = 0; time < 2; time++) {
    const [result] = await cluster.commitFiles([file]);
    assert.deepEqual(outcome(result!), [0, 3, 0, 'UNKNOWN_TOPIC_OR_PARTITION']);
  }
  const [answer] = await cluster.findBatches([{ topicId, partition: 0, offset: 4, bytesMax: 1 }]);
  assert.deepEqual(answer, {
    error: 'NONE',
    logStartOffset: 0,
    nextOffset: 5,
    lastStableOffset: 5,
    pointers: {
      fileId: [file.fileId],
      byteStart: Float64Array.of(0),
      byteLength: Float64Array.of(200),
      baseOffset: Float64Array.of(0),
      nextOffset: Float64Array.of(5),
    },
  });
});

test('idempotent producers', async () => {
  const cluster = new FakeCluster();
  const { topicId } = cluster.addTopic('t');
  // epoch, base sequence, records, outcome
  const cases: [epoch: number, sequence: number, records: number, expected: number | string][] = [
    [0, 7, 3, 0],
    [0, 10, 2, 3],
    [0, 7, 3, 0],
    [0, 10, 2, 3],
    [0, 13, 1, 'OUT_OF_ORDER_SEQUENCE_NUMBER'],
    [0, 12, 1, 5],
    [1, 5, 1, 'OUT_OF_ORDER_SEQUENCE_NUMBER'],
    [1, 0, 1, 6],
    [0, 13, 1, 'INVALID_PRODUCER_EPOCH'],
  ];
  for (const [epoch, sequence, records, expected] of cases) {
    const file = idempotent(commitOf(topicId, [{ partition: 0, records }]), 5, epoch, [sequence]);
    const [result] = await cluster.commitFiles([file]);
    assert.deepEqual(outcome(result!), [expected]);
  }
});

test('a duplicate in a file splits the range', async () => {
  const cluster = new FakeCluster();
  const { topicId } = cluster.addTopic('t');
  const batch = { partition: 0, records: 1 };
  await cluster.commitFiles([idempotent(commitOf(topicId, [batch]), 5, 0, [0])]);
  await cluster.commitFiles([idempotent(commitOf(topicId, [batch, batch, batch]), 5, 0, [1, 0, 2])]);
  const [answer] = await cluster.findBatches([{ topicId, partition: 0, offset: 1, bytesMax: 1e9 }]);
  assert.deepEqual([...answer!.pointers.byteStart], [0, 200]);
  assert.deepEqual([...answer!.pointers.baseOffset], [1, 2]);
});

test('offsets by time', async () => {
  const cluster = new FakeCluster();
  const { topicId } = cluster.addTopic('t');
  for (const maxTimestampMs of [10, 30, 20, 30]) {
    await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 1, maxTimestampMs }])]);
  }
  const find = async (want: 'first' | 'latest', timestampMs: number) => {
    const [answer] = await cluster.findOffsets([{ topicId, partition: 0, want, timestampMs }]);
    return [...answer!.pointers.baseOffset];
  };
  assert.deepEqual(await find('first', 5), [0]);
  assert.deepEqual(await find('first', 11), [1]);
  assert.deepEqual(await find('first', 31), []);
  assert.deepEqual(await find('latest', 0), [1]);
});
