import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryErrors, type FileCommit } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { fileCommit, fileIdOf } from '../../testing/file-commit.ts';
import { MalformedCommand } from '../command.ts';

const outOfOrder = `error ${entryErrors.indexOf('OUT_OF_ORDER_SEQUENCE_NUMBER')}`;
const staleEpoch = `error ${entryErrors.indexOf('INVALID_PRODUCER_EPOCH')}`;
const unknownId = `error ${entryErrors.indexOf('UNKNOWN_TOPIC_ID')}`;
const unknownPartition = `error ${entryErrors.indexOf('UNKNOWN_TOPIC_OR_PARTITION')}`;

function clusterWith(...topics: string[]): Cluster {
  const cluster = new Cluster();
  for (const topic of topics) cluster.create(topic, 3);
  return cluster;
}

test('batches get offsets in the order of files and batches, per partition', () => {
  const cluster = clusterWith('a', 'b');
  assert.deepEqual(
    cluster.commit(
      { topicId: 'a', records: 3 },
      { topicId: 'a', records: 2 },
      { topicId: 'a', partition: 1, records: 7 },
      { topicId: 'b', records: 1 },
    ),
    [0, 3, 0, 0],
  );
  assert.deepEqual(
    cluster.commit({ topicId: 'a' }, { topicId: 'b' }, { topicId: 'a', partition: 1 }),
    [5, 1, 7],
  );
});

test('a batch of an unknown partition is refused without affecting the rest', () => {
  const cluster = clusterWith('a', 'gone');
  cluster.delete('gone');
  assert.deepEqual(
    cluster.commit(
      { topicId: 'unknown' },
      { topicId: 'a', partition: 3 },
      { topicId: 'gone' },
      { topicId: 'a' },
    ),
    [unknownId, unknownPartition, unknownId, 0],
  );
});

test('a repeated file returns its first answer, whatever happened since, and changes nothing', () => {
  const cluster = clusterWith('a');
  const file = fileCommit(77, [
    { topicId: 'a', records: 2 },
    { topicId: 'later' },
    { topicId: 'a', partition: 1 },
  ]);
  const command = { kind: 'commitFiles', files: [file] } as const;
  const first = cluster.execute(command);
  cluster.commit({ topicId: 'a' });
  cluster.create('later');
  cluster.delete('a');
  const before = cluster.saved();
  const again = cluster.machine.execute(command, cluster.nowMs + 5);
  assert.deepEqual(again, { reply: first, entry: undefined, changes: [] });
  assert.ok(cluster.saved().equals(before));
  assert.deepEqual(cluster.replay().machine.execute(command, 0).reply, first);
});

test('a file that is given twice in one call is committed once', () => {
  const cluster = clusterWith('a');
  const file = fileCommit(1, [{ topicId: 'a', records: 4 }]);
  const other = fileCommit(2, [{ topicId: 'a' }]);
  const reply = cluster.execute({ kind: 'commitFiles', files: [file, file, other] });
  assert.deepEqual(
    reply.map(({ baseOffset }) => [...baseOffset]),
    [[0], [0], [4]],
  );
});

test('file ids are forgotten by number, by size of answers and by age', () => {
  const again = (cluster: Cluster) =>
    [1, 2, 3, 4].map((number) => cluster.commitFile(fileCommit(number, [{ topicId: 'a' }]))[0]);
  const fill = (limits: object) => {
    const cluster = new Cluster(limits);
    cluster.create('a');
    for (const number of [1, 2, 3, 4]) {
      cluster.commitFile(fileCommit(number, [{ topicId: 'a' }]));
      cluster.nowMs += 10;
    }
    return cluster;
  };
  assert.deepEqual(again(fill({})), [0, 1, 2, 3]);
  // Forgotten files are refused, so that readers do not see them twice, and evict the others before those are repeated.
  const refused = `error ${entryErrors.indexOf('KAFKA_STORAGE_ERROR')}`;
  const few = fill({ recentFilesMax: 3 });
  assert.deepEqual(again(few), [refused, refused, refused, refused]);
  assert.equal(few.commitFile(fileCommit(9, [{ topicId: 'a' }]))[0], 4, 'nothing was appended');
  assert.deepEqual(
    again(fill({ recentFileReplyBytesMax: 9 })),
    [refused, refused, 2, 3],
    'refusals are short',
  );
  const old = fill({ recentFileMsMax: 20 });
  assert.deepEqual(old.execute({ kind: 'purge' }), { topics: 0, producers: 0, fileIds: 3 });
  assert.deepEqual(again(old), [refused, refused, refused, 3]);
});

test('a batch that was already appended from another file is a duplicate with the first offset', () => {
  const cluster = clusterWith('a');
  const batch = { topicId: 'a', producerId: 5, sequence: 0, records: 3 };
  assert.deepEqual(cluster.commit({ topicId: 'a', records: 10 }, batch), [0, 10]);
  assert.deepEqual(cluster.commit(batch, { topicId: 'a' }), [10, 13]);
  const [answer] = cluster.machine.findBatches([{ topicId: 'a', partition: 0, offset: 0, bytesMax: 10_000 }]);
  assert.deepEqual(
    { nextOffset: answer!.nextOffset, starts: [...answer!.pointers.byteStart] },
    { nextOffset: 14, starts: [0, 100] },
  );
});

test('a duplicate between two batches splits their pointer', () => {
  const cluster = clusterWith('a');
  cluster.commit({ topicId: 'a', producerId: 5, sequence: 0 });
  cluster.commit(
    { topicId: 'a' },
    { topicId: 'a', producerId: 5, sequence: 0 },
    { topicId: 'a' },
    { topicId: 'a' },
  );
  const [answer] = cluster.machine.findBatches([{ topicId: 'a', partition: 0, offset: 0, bytesMax: 10_000 }]);
  const { byteStart, byteLength, baseOffset, nextOffset } = answer!.pointers;
  assert.deepEqual(
    [byteStart, byteLength, baseOffset, nextOffset].map((column) => [...column]),
    [
      [0, 0, 200],
      [100, 100, 200],
      [0, 1, 2],
      [1, 2, 4],
    ],
  );
});

test('a batch sees the effects of earlier batches of its file', () => {
  const cluster = clusterWith('a');
  const from = (sequence: number, epoch = 0) => ({ topicId: 'a', producerId: 1, sequence, epoch });
  assert.deepEqual(cluster.commit(from(0), from(1), from(1), from(3), from(2), from(0, 1), from(3)), [
    0,
    1,
    1,
    outOfOrder,
    2,
    3,
    staleEpoch,
  ]);
});

test('beyond the limit of producers the one that was idle longest is forgotten', () => {
  const cluster = new Cluster({ producerStatesMax: 2 });
  cluster.create('a');
  const from = (producerId: number, sequence: number) => ({ topicId: 'a', producerId, sequence });
  cluster.commit(from(1, 0), from(2, 0), from(1, 1));
  // 2 was idle longer than 1.
  cluster.commit(from(3, 0));
  assert.deepEqual(cluster.commit(from(1, 1), from(3, 0)), [2, 3]);
  // 2 is forgotten, so its duplicate looks like a start and evicts 1.
  assert.deepEqual(cluster.commit(from(2, 0), from(1, 1)), [4, 5]);
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
});

test('a producer is forgotten after a day of silence, even before a purge', () => {
  const cluster = clusterWith('a');
  const from = (sequence: number) => ({ topicId: 'a', producerId: 1, sequence });
  cluster.commit(from(0));
  cluster.nowMs += 86_399_999;
  assert.deepEqual(cluster.commit(from(5)), [outOfOrder]);
  cluster.nowMs += 1;
  assert.deepEqual(cluster.commit(from(5), from(6)), [1, 2]);
});

test('a file with a thousand partitions is one entry and one change per partition', () => {
  const cluster = new Cluster();
  cluster.create('wide', 1000);
  const batches = Array.from({ length: 3000 }, (_, row) => ({
    topicId: 'wide',
    partition: Math.floor(row / 3),
    records: 2,
  }));
  const { entry, reply, changes } = cluster.machine.execute(
    { kind: 'commitFiles', files: [fileCommit(1, batches)] },
    cluster.nowMs,
  );
  assert.ok(entry!.length < 3000 * 8, `${entry!.length} bytes`);
  assert.deepEqual([...reply[0]!.baseOffset.subarray(0, 4)], [0, 2, 4, 0]);
  assert.equal(changes.length, 1000);
  assert.deepEqual(changes[999], {
    kind: 'appended',
    topicId: 'wide',
    partition: 999,
    pointers: {
      fileId: [fileIdOf(1)],
      byteStart: Float64Array.of(299_700),
      byteLength: Float64Array.of(300),
      baseOffset: Float64Array.of(0),
      nextOffset: Float64Array.of(6),
    },
    lastStableOffset: 6,
  });
});

test('files of one call with the same partition are one change', () => {
  const cluster = clusterWith('a');
  const files = [1, 2].map((number) => fileCommit(number, [{ topicId: 'a', partition: 1, records: number }]));
  const { changes } = cluster.machine.execute({ kind: 'commitFiles', files }, cluster.nowMs);
  assert.equal(changes.length, 1);
  const [change] = changes;
  assert.ok(change?.kind === 'appended');
  assert.deepEqual(change.pointers.fileId, [fileIdOf(1), fileIdOf(2)]);
  assert.deepEqual([...change.pointers.nextOffset], [1, 3]);
});

const malformed: [what: string, change: Partial<FileCommit>, problem: RegExp][] = [
  ['an invalid file id', { fileId: 'F'.repeat(32) }, /not 32 hex digits/],
  ['a negative size', { fileBytes: -1 }, /its size is -1/],
  ['a size beyond the range of pointers', { fileBytes: 2 ** 32 }, /its size is 4294967296/],
  ['a short column', { recordCount: Uint32Array.of(1) }, /the column recordCount has 1 rows and topic has 2/],
  ['a topic that is not listed', { topic: Uint32Array.of(0, 1) }, /batch 1: it points to topic 1 of 1/],
  ['a batch without records', { recordCount: Uint32Array.of(1, 0) }, /batch 1: it has no records/],
  ['a batch without bytes', { byteLength: Uint32Array.of(1, 0) }, /batch 1: it has no bytes/],
  [
    'a batch beyond the end of the file',
    { byteStart: Uint32Array.of(0, 101) },
    /ends at 201, behind the file's 200 bytes/,
  ],
  ['half a millisecond', { maxTimestampMs: Float64Array.of(0, 0.5) }, /its timestamp is 0.5/],
  ['no timestamp at all', { maxTimestampMs: Float64Array.of(Number.NaN, 0) }, /its timestamp is NaN/],
  [
    'a transaction that is not listed',
    {
      transactions: {
        transactionalIds: ['tx'],
        transaction: Int32Array.of(0, 1),
        addsPartition: new Uint8Array(2),
      },
    },
    /batch 1: it points to transactional id 1 of 1/,
  ],
  [
    'a short column of transactions',
    {
      transactions: {
        transactionalIds: [],
        transaction: Int32Array.of(-1, -1),
        addsPartition: new Uint8Array(1),
      },
    },
    /the column addsPartition has 1 rows and topic has 2/,
  ],
  ['a producer below -1', { producerId: Float64Array.of(-2, -1) }, /its producer id is -2/],
];

for (const [what, change, problem] of malformed) {
  test(`a commit with ${what} is a mistake of the caller and changes nothing`, () => {
    const cluster = clusterWith('a');
    const before = cluster.saved();
    const good = fileCommit(1, [{ topicId: 'a' }]);
    const bad = { ...fileCommit(2, [{ topicId: 'a' }, { topicId: 'a' }]), ...change };
    assert.throws(
      () => cluster.execute({ kind: 'commitFiles', files: [good, bad] }),
      (error) => error instanceof MalformedCommand && problem.test(error.message),
    );
    assert.ok(cluster.saved().equals(before));
  });
}
