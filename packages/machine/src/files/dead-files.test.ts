import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryErrors } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { type BatchToCommit, fileCommit, fileIdOf } from '../../testing/file-commit.ts';
import { MalformedCommand } from '../command.ts';
import { ClusterMachine } from '../machine.ts';

const gone = `error ${entryErrors.indexOf('KAFKA_STORAGE_ERROR')}`;
const dayMs = 86_400_000;

const deadIds = ({ machine }: Cluster) =>
  machine.deadFiles({ deadBeforeMs: Number.POSITIVE_INFINITY, limit: 100 }).map(({ fileId }) => fileId);

function idAt(timeMs: number, number: number): string {
  return timeMs.toString(16).padStart(12, '0') + fileIdOf(number).slice(12);
}

function commitAs(cluster: Cluster, fileId: string, ...batches: BatchToCommit[]) {
  return cluster.commitFile({ ...fileCommit(0, batches), fileId });
}

test('a file is dead with its last pointer, by any way that a pointer can go', () => {
  const ways: [what: string, go: (cluster: Cluster) => void][] = [
    [
      'deleted records',
      (cluster) =>
        cluster.execute({
          kind: 'deleteRecords',
          partitions: ['kept', 'gone'].map((topicId) => ({ topicId, partition: 0, offset: -1 })),
        }),
    ],
    [
      'retention',
      (cluster) => {
        cluster.nowMs += 8 * dayMs;
        cluster.execute({ kind: 'applyRetention', from: { topicNumber: 0, partition: 0 } });
      },
    ],
    [
      'removed topics',
      (cluster) => cluster.execute({ kind: 'removeTopics', topics: [{ name: 'kept' }, { name: 'gone' }] }),
    ],
    [
      'deleted topics whose time is over',
      (cluster) => {
        for (const name of ['kept', 'gone']) cluster.delete(name);
        assert.deepEqual(deadIds(cluster), []);
        cluster.nowMs += dayMs;
        cluster.execute({ kind: 'purge' });
      },
    ],
  ];
  for (const [what, go] of ways) {
    const cluster = new Cluster();
    cluster.create('kept', 2);
    cluster.create('gone');
    const { nowMs } = cluster;
    commitAs(
      cluster,
      fileIdOf(7),
      { topicId: 'kept', timestampMs: nowMs },
      { topicId: 'gone', timestampMs: nowMs },
    );
    const after = cluster.machine.fileStats();
    assert.deepEqual(after, {
      levels: [{ files: 1, bytes: 200, liveBytes: 200 }],
      deadFiles: 0,
      deadBytes: 0,
    });
    go(cluster);
    assert.deepEqual(
      cluster.machine.deadFiles({ deadBeforeMs: cluster.nowMs + 1, limit: 5 }),
      [{ fileId: fileIdOf(7), fileBytes: 200, deadMs: cluster.nowMs }],
      what,
    );
    assert.deepEqual(cluster.machine.fileStats(), { levels: [], deadFiles: 1, deadBytes: 200 });
    assert.deepEqual(cluster.machine.deadFiles({ deadBeforeMs: cluster.nowMs, limit: 5 }), []);
    assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
    assert.ok(Buffer.concat(ClusterMachine.restore(cluster.saved()).save()).equals(cluster.saved()));
  }
});

test('a committed file without a pointer is dead at once', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const batch = { topicId: 'a', producerId: 1, sequence: 0 };
  commitAs(cluster, fileIdOf(1), batch);
  assert.deepEqual(commitAs(cluster, fileIdOf(2), batch), [0]);
  commitAs(cluster, fileIdOf(3), { topicId: 'unknown' });
  commitAs(cluster, fileIdOf(4));
  commitAs(cluster, fileIdOf(5), batch, { topicId: 'a', producerId: 1, sequence: 1 });
  assert.deepEqual(deadIds(cluster), [fileIdOf(2), fileIdOf(3), fileIdOf(4)]);
});

test('a dead file cannot be committed, and what it holds is written again under another id', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const batch = { topicId: 'a', producerId: 1, sequence: 0 };
  assert.deepEqual(cluster.execute({ kind: 'declareFilesDead', fileIds: [fileIdOf(1)] }), [fileIdOf(1)]);
  assert.deepEqual(commitAs(cluster, fileIdOf(1), batch, { topicId: 'a' }), [gone, gone]);
  assert.deepEqual(commitAs(cluster, fileIdOf(1), batch, { topicId: 'a' }), [gone, gone], 'the first answer');
  assert.deepEqual(commitAs(cluster, fileIdOf(2), batch), [0]);
  assert.deepEqual(deadIds(cluster), [fileIdOf(1)]);
  assert.deepEqual(cluster.machine.fileStats().levels, [{ files: 1, bytes: 100, liveBytes: 100 }]);
});

test('only unknown files can be declared dead, and only dead ones forgotten', () => {
  const cluster = new Cluster();
  cluster.create('a');
  commitAs(cluster, fileIdOf(1), { topicId: 'a' });
  commitAs(cluster, fileIdOf(2), { topicId: 'unknown' });
  const fileIds = [1, 2, 3, 4, 3].map(fileIdOf);
  assert.deepEqual(cluster.machine.unknownFiles(fileIds), [3, 4, 3].map(fileIdOf));
  assert.deepEqual(
    cluster.execute({ kind: 'declareFilesDead', fileIds, fileBytes: [9, 9, 30, 2 ** 40, 30] }),
    [3, 4].map(fileIdOf),
  );
  assert.deepEqual(cluster.machine.unknownFiles(fileIds), []);
  assert.equal(cluster.machine.fileStats().deadBytes, 100 + 30 + 2 ** 32 - 1);
  assert.equal(cluster.execute({ kind: 'forgetDeadFiles', fileIds: [1, 3, 3, 9].map(fileIdOf) }), 1);
  assert.deepEqual(deadIds(cluster), [fileIdOf(2), fileIdOf(4)]);
  const { journal } = cluster;
  const entries = journal.length;
  assert.equal(cluster.execute({ kind: 'forgetDeadFiles', fileIds: [fileIdOf(1)] }), 0);
  assert.deepEqual(cluster.execute({ kind: 'declareFilesDead', fileIds: [fileIdOf(1)] }), []);
  assert.equal(journal.length, entries);
});

test('the id of a deleted file cannot be committed as long as it is young, nor when it is old', () => {
  // One answer is remembered, so that another file lets the cluster forget that of the first.
  const cluster = new Cluster({ fileCommitMsMax: 1000, recentFilesMax: 1 });
  cluster.create('a');
  const { nowMs } = cluster;
  const fileId = idAt(nowMs, 1);
  const other = (number: number) => commitAs(cluster, idAt(cluster.nowMs, number), { topicId: 'a' });
  commitAs(cluster, fileId, { topicId: 'a' });
  cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId: 'a', partition: 0, offset: -1 }] });
  assert.equal(cluster.execute({ kind: 'forgetDeadFiles', fileIds: [fileId] }), 1);
  assert.equal(cluster.machine.stats().deletedFiles, 1);
  for (const [number, ageMs] of [0, 1000, 1001, 5000].entries()) {
    cluster.nowMs = nowMs + ageMs;
    other(10 + number);
    const before = cluster.machine.findBatches([{ topicId: 'a', partition: 0, offset: 1, bytesMax: 0 }])[0]!
      .nextOffset;
    assert.deepEqual(commitAs(cluster, fileId, { topicId: 'a' }), [gone], `${ageMs} ms`);
    const after = cluster.machine.findBatches([{ topicId: 'a', partition: 0, offset: 1, bytesMax: 0 }])[0]!
      .nextOffset;
    assert.equal(after, before);
  }
  // With the next deletion it is forgotten, as is the one that an old id made.
  cluster.execute({ kind: 'declareFilesDead', fileIds: [fileIdOf(9)] });
  cluster.execute({ kind: 'forgetDeadFiles', fileIds: [fileIdOf(9)] });
  assert.deepEqual(
    [cluster.machine.stats().deletedFiles, cluster.machine.unknownFiles([fileId])],
    [0, [fileId]],
  );
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
});

test('a file that an earlier release committed again keeps one slot, so that it dies with its last pointer', () => {
  const cluster = new Cluster({ recentFilesMax: 1 });
  cluster.create('a', 2);
  const first = [{ topicId: 'a' }, { topicId: 'later' }];
  commitAs(cluster, fileIdOf(1), ...first);
  commitAs(cluster, fileIdOf(2), { topicId: 'a', partition: 1 });
  cluster.create('later');
  const saving = cluster.machine.beginSave();
  const expected = cluster.replay().machine.save();
  // The batch follows the pointer of the first commit in the file, which a capture still reads.
  const earlier = new Cluster();
  for (const [name, partitionCount] of [
    ['a', 2],
    ['later', 1],
  ] as const)
    earlier.create(name, partitionCount);
  commitAs(earlier, fileIdOf(1), { topicId: 'later' }, { topicId: 'a' });
  cluster.machine.apply(earlier.journal.at(-1)!);
  assert.ok(Buffer.concat([...saving.slices]).equals(Buffer.concat(expected)));
  saving.end();
  const deleteAll = (topicId: string, offset: number) =>
    cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId, partition: 0, offset }] });
  deleteAll('a', 1);
  assert.deepEqual(deadIds(cluster), []);
  deleteAll('later', -1);
  assert.deepEqual(deadIds(cluster), []);
  deleteAll('a', -1);
  assert.deepEqual(deadIds(cluster), [fileIdOf(1)]);
});

test('malformed ids are a mistake of the caller', () => {
  const cluster = new Cluster({ fileIdsPerCallMax: 2 });
  for (const fileIds of [['x'], [fileIdOf(1), `${fileIdOf(2)}0`], [1, 2, 3].map(fileIdOf)]) {
    assert.throws(() => cluster.execute({ kind: 'declareFilesDead', fileIds }), MalformedCommand);
    assert.throws(() => cluster.execute({ kind: 'forgetDeadFiles', fileIds }), MalformedCommand);
  }
});
