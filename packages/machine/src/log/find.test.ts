import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';

/** Ten pointers of 100 bytes and two records each, with timestamps in no order. */
function filled(limits = {}): Cluster {
  const cluster = new Cluster(limits);
  cluster.create('a', 2);
  for (const timestampMs of [5, 3, 9, 9, 1, 9, 20, 4, 20, 7]) {
    cluster.commit({ topicId: 'a', records: 2, timestampMs });
  }
  return cluster;
}

function find(cluster: Cluster, offset: number, bytesMax: number, partition = 0, topicId = 'a') {
  const [answer] = cluster.machine.findBatches([{ topicId, partition, offset, bytesMax }]);
  return answer!;
}

const questions: [what: string, offset: number, bytesMax: number, baseOffsets: number[]][] = [
  ['at least one pointer, whatever the limit', 0, 0, [0]],
  ['an offset within a pointer', 5, 1, [4]],
  ['pointers up to the byte limit', 4, 250, [4, 6, 8]],
  ['no pointer after the byte limit is reached exactly', 4, 200, [4, 6]],
  ['half of the bytes of a pointer that begins before the offset', 5, 200, [4, 6, 8]],
  ['up to the end of the log', 17, 1_000_000, [16, 18]],
  ['no pointers and no error at the end of the log', 20, 1_000_000, []],
];

for (const [what, offset, bytesMax, baseOffsets] of questions) {
  test(what, () => {
    const { error, pointers, nextOffset } = find(filled(), offset, bytesMax);
    assert.deepEqual(
      { error, nextOffset, baseOffsets: [...pointers.baseOffset] },
      {
        error: 'NONE',
        nextOffset: 20,
        baseOffsets,
      },
    );
    for (const column of [pointers.fileId, pointers.byteStart, pointers.byteLength, pointers.nextOffset]) {
      assert.equal(column.length, baseOffsets.length);
    }
  });
}

test('answers are limited by number of pointers', () => {
  assert.deepEqual([...find(filled({ pointersPerAnswerMax: 2 }), 0, 1_000_000).pointers.baseOffset], [0, 2]);
});

test('an offset outside the log is out of range, and the answer has the range', () => {
  for (const offset of [-1, 21, Number.NaN]) {
    const { error, logStartOffset, nextOffset } = find(filled(), offset, 1);
    assert.deepEqual([error, logStartOffset, nextOffset], ['OFFSET_OUT_OF_RANGE', 0, 20]);
  }
});

test('unknown topics and partitions get errors', () => {
  const cluster = filled();
  assert.equal(find(cluster, 0, 1, 2).error, 'UNKNOWN_TOPIC_OR_PARTITION');
  assert.equal(find(cluster, 0, 1, 0, 'z').error, 'UNKNOWN_TOPIC_ID');
  cluster.delete('a');
  assert.equal(find(cluster, 0, 1).error, 'UNKNOWN_TOPIC_ID');
});

const times: [timestampMs: number, baseOffset: number | undefined][] = [
  [-1, 0],
  [5, 0],
  [6, 4],
  [9, 4],
  [10, 12],
  [20, 12],
  [21, undefined],
];

for (const [timestampMs, baseOffset] of times) {
  test(`the first pointer that reaches ${timestampMs} ms`, () => {
    const [answer] = filled().machine.findOffsets([
      { topicId: 'a', partition: 0, want: 'first', timestampMs },
    ]);
    assert.equal(answer!.error, 'NONE');
    assert.deepEqual([...answer!.pointers.baseOffset], baseOffset === undefined ? [] : [baseOffset]);
  });
}

test('the latest timestamp is found at its first occurrence, and not in an empty partition', () => {
  const answers = filled().machine.findOffsets([
    { topicId: 'a', partition: 0, want: 'latest', timestampMs: -1 },
    { topicId: 'a', partition: 1, want: 'latest', timestampMs: -1 },
    { topicId: 'z', partition: 0, want: 'latest', timestampMs: -1 },
  ]);
  assert.deepEqual(
    answers.map(({ error, pointers, latestTimestampMs }) => [
      error,
      [...pointers.baseOffset],
      latestTimestampMs,
    ]),
    [
      ['NONE', [12], 20],
      ['NONE', [], undefined],
      ['UNKNOWN_TOPIC_ID', [], undefined],
    ],
  );
});
