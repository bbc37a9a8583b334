import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../testing/cluster.ts';
import { fileCommit } from '../testing/file-commit.ts';
import { ClusterMachine } from './machine.ts';

const dayMs = 86_400_000;

test('a purge without anything due writes no entry', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const { entry, reply } = cluster.machine.execute({ kind: 'purge' }, cluster.nowMs);
  assert.deepEqual([entry, reply], [undefined, { topics: 0, producers: 0, fileIds: 0 }]);
});

test('a deleted topic is held for a day and then removed with only its own producers', () => {
  const cluster = new Cluster();
  cluster.create('kept');
  cluster.create('gone', 2);
  cluster.commit(
    { topicId: 'kept', producerId: 1, sequence: 0 },
    { topicId: 'gone', producerId: 1, sequence: 0 },
    { topicId: 'gone', partition: 1 },
  );
  cluster.delete('gone');
  cluster.nowMs += dayMs - 1;
  cluster.commit({ topicId: 'kept', producerId: 1, sequence: 1 });
  assert.equal(cluster.execute({ kind: 'purge' }).topics, 0);
  const before = cluster.saved().length;
  cluster.nowMs += 1;
  // The producer of the deleted topic was idle for a day and expires by itself.
  assert.deepEqual(cluster.execute({ kind: 'purge' }), { topics: 1, producers: 1, fileIds: 0 });
  assert.ok(cluster.saved().length < before);
  assert.deepEqual(cluster.commit({ topicId: 'kept', producerId: 1, sequence: 2 }), [2]);
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
});

test('producers of a removed topic leave no trace', () => {
  const cluster = new Cluster();
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'service.soft.delete.topic.enable': 'false' } });
  cluster.create('kept');
  const states = () => cluster.machine.execute({ kind: 'purge' }, cluster.nowMs + 2 * dayMs).reply.producers;
  cluster.create('gone');
  cluster.commit(
    { topicId: 'gone', producerId: 1, sequence: 0 },
    { topicId: 'kept', producerId: 1, sequence: 0 },
  );
  cluster.delete('gone');
  assert.deepEqual(cluster.execute({ kind: 'purge' }), { topics: 1, producers: 0, fileIds: 0 });
  assert.equal(states(), 1);
});

test('a removed topic frees everything that it held', () => {
  const cluster = new Cluster();
  cluster.create('kept');
  cluster.commit({ topicId: 'kept', producerId: 1, sequence: 0 });
  const before = cluster.machine.stats();
  cluster.create('gone', 7);
  for (let round = 0; round < 100; round++) {
    cluster.commit(
      { topicId: 'gone', partition: round % 7, producerId: 1, sequence: Math.floor(round / 7) },
      { topicId: 'gone', partition: 0 },
    );
  }
  assert.deepEqual(cluster.machine.stats(), {
    livePartitions: 8,
    heldPartitions: 8,
    pointers: 1 + 100 + 100 - 15,
    logBytes: 201 * 100,
    // Chunks of 16 pointers: one for the retained partition, 7 for the first of the other topic, one for each of its
    // other six.
    pointerBytes: (1 + 7 + 6) * 16 * 28,
    files: 101,
    deadFiles: 0,
    deletedFiles: 0,
    producers: 8,
    recentFiles: 101,
    recentRequests: 0,
    records: 0,
    recordBytes: 0,
    registryEntries: 0,
    registryBytes: 0,
    committedOffsets: 0,
    transactionalIds: 0,
    openTransactions: 0,
  });
  cluster.delete('gone');
  const held = cluster.machine.stats();
  assert.deepEqual([held.livePartitions, held.heldPartitions, held.files], [1, 8, 101]);
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'service.soft.delete.topic.ttl.ms': '0' } });
  cluster.execute({ kind: 'purge' });
  assert.deepEqual(cluster.machine.stats(), { ...before, recentFiles: 101, deadFiles: 100 });
  assert.deepEqual(ClusterMachine.restore(cluster.saved()).stats(), cluster.machine.stats());
  // The id is free again.
  assert.equal(cluster.create('gone'), 'NONE');

  cluster.machine = ClusterMachine.restore(cluster.saved());
  cluster.delete('kept');
  cluster.execute({ kind: 'purge' });
  const { files, pointers, pointerBytes, producers } = cluster.machine.stats();
  assert.deepEqual([files, pointers, pointerBytes, producers], [0, 0, 0, 0]);
});

test('the time to live is a config, and lowering it affects topics that are already deleted', () => {
  const cluster = new Cluster();
  cluster.create('a');
  cluster.delete('a');
  cluster.nowMs += 3_600_000;
  assert.equal(cluster.execute({ kind: 'purge' }).topics, 0);
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'service.soft.delete.topic.ttl.hours': '1' } });
  assert.equal(cluster.execute({ kind: 'purge' }).topics, 1);
});

test('a file stays as long as a pointer refers to it', () => {
  const cluster = new Cluster();
  cluster.create('kept');
  cluster.create('gone');
  cluster.commitFile(fileCommit(1, [{ topicId: 'gone' }, { topicId: 'kept' }]));
  cluster.commitFile(fileCommit(2, [{ topicId: 'gone' }]));
  cluster.delete('gone');
  cluster.nowMs += dayMs;
  cluster.execute({ kind: 'purge' });
  // The slot of file 2 is free and is reused for file 3; that of file 1 is not.
  cluster.commitFile(fileCommit(3, [{ topicId: 'kept' }]));
  const [answer] = cluster.machine.findBatches([
    { topicId: 'kept', partition: 0, offset: 0, bytesMax: 1000 },
  ]);
  assert.deepEqual(
    answer!.pointers.fileId.map((fileId) => Number.parseInt(fileId, 16)),
    [1, 3],
  );
});

test('a topic number is not reused, so that an old entry cannot refer to a new topic', () => {
  const cluster = new Cluster();
  cluster.create('a');
  cluster.delete('a');
  cluster.nowMs += dayMs;
  cluster.execute({ kind: 'purge' });
  const restored = new Cluster();
  restored.machine = cluster.replay().machine;
  cluster.create('b');
  restored.nowMs = cluster.nowMs;
  restored.create('b');
  assert.ok(restored.saved().equals(cluster.saved()));
});
