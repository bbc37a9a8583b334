import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterFacts } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { fileCommit, fileIdOf } from '../../testing/file-commit.ts';
import { MalformedCommand } from '../command.ts';
import { ClusterMachine } from '../machine.ts';

const always = { deadBeforeMs: Number.POSITIVE_INFINITY, limit: 100 };
const deadIds = (machine: ClusterMachine) => machine.deadFiles(always).map(({ fileId }) => fileId);

/** Three files: 1 in both topics, 2 in `a`, 3 in `b`. */
function filled(limits = {}): Cluster {
  const cluster = new Cluster(limits);
  for (const name of ['a', 'b']) cluster.create(name);
  cluster.commit({ topicId: 'a' }, { topicId: 'b' });
  cluster.commit({ topicId: 'a' });
  cluster.commit({ topicId: 'b' });
  return cluster;
}

function deleteAll(cluster: Cluster, ...topicIds: string[]): void {
  const partitions = topicIds.map((topicId) => ({ topicId, partition: 0, offset: -1 }));
  cluster.execute({ kind: 'deleteRecords', partitions });
}

/** A clone of a cluster, with a journal of its own. */
function cloneOf(cluster: Cluster, cloneId = 'vci_clone'): Cluster {
  assert.deepEqual(cluster.execute({ kind: 'holdFiles', cloneId }), { message: null });
  const clone = new Cluster();
  clone.machine = ClusterMachine.restore(cluster.saved(), clone.limits);
  clone.machine.becomeClone(cloneId, cluster.nowMs);
  return clone;
}

/** Every way to the same state leads to the same bytes. */
function checkSaved(cluster: Cluster): void {
  const saved = cluster.saved();
  assert.ok(Buffer.concat(ClusterMachine.restore(saved).save()).equals(saved));
}

function filesOf({ machine }: Cluster, topicId: string): readonly string[] {
  return machine.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1e9 }])[0]!.pointers.fileId;
}

test('a held file is not dead without pointers, and is when its last clone releases it', () => {
  const cluster = filled();
  for (const cloneId of ['one', 'two']) cluster.execute({ kind: 'holdFiles', cloneId });
  cluster.commit({ topicId: 'a' });
  deleteAll(cluster, 'a');
  // The file that was committed later is not held, and the first one has a pointer of `b`.
  assert.deepEqual(deadIds(cluster.machine), [fileIdOf(4)]);
  deleteAll(cluster, 'b');
  assert.deepEqual(deadIds(cluster.machine), [fileIdOf(4)]);
  assert.deepEqual(cluster.machine.unknownFiles([1, 2, 3].map(fileIdOf)), []);
  checkSaved(cluster);
  const fileIds = [1, 2, 2, 9].map(fileIdOf);
  assert.equal(cluster.execute({ kind: 'releaseHeldFiles', cloneId: 'one', fileIds }), 2);
  assert.equal(cluster.execute({ kind: 'releaseHeldFiles', cloneId: 'one', fileIds }), 0);
  assert.deepEqual(deadIds(cluster.machine), [fileIdOf(4)]);
  cluster.nowMs += 10;
  assert.equal(cluster.execute({ kind: 'releaseHeldFiles', cloneId: 'two', fileIds: [fileIdOf(2)] }), 1);
  assert.deepEqual(deadIds(cluster.machine), [4, 2].map(fileIdOf));
  assert.deepEqual(
    cluster.machine.holds().map(({ cloneId, files }) => [cloneId, files]),
    [
      ['one', 1],
      ['two', 2],
    ],
  );
  checkSaved(cluster);
  for (const { cloneId, heldMs } of cluster.machine.holds())
    cluster.execute({ kind: 'confirmHold', cloneId, heldMs });
  assert.equal(cluster.execute({ kind: 'endHold', cloneId: 'two' }), true);
  assert.deepEqual(deadIds(cluster.machine), [4, 2, 1].map(fileIdOf));
  assert.equal(cluster.execute({ kind: 'endHold', cloneId: 'one' }), true);
  assert.deepEqual(deadIds(cluster.machine), [4, 2, 1, 3].map(fileIdOf));
  assert.deepEqual(cluster.machine.holds(), []);
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
});

test('a referenced file that is released stays referenced', () => {
  const cluster = filled();
  cluster.execute({ kind: 'holdFiles', cloneId: 'one' });
  cluster.execute({ kind: 'abandonHold', cloneId: 'one' });
  cluster.execute({ kind: 'endHold', cloneId: 'one' });
  assert.deepEqual(deadIds(cluster.machine), []);
  assert.deepEqual(filesOf(cluster, 'a'), [1, 2].map(fileIdOf));
});

test('files are held once; an open hold is either confirmed or abandoned, and does not end', () => {
  const cluster = filled({ clonesMax: 2 });
  cluster.execute({ kind: 'holdFiles', cloneId: 'one' });
  cluster.commit({ topicId: 'a' });
  cluster.execute({ kind: 'holdFiles', cloneId: 'one' });
  assert.equal(cluster.machine.holds()[0]!.files, 3, 'those of the first time');
  const { nowMs: heldMs } = cluster;
  const run = (kind: 'confirmHold' | 'abandonHold' | 'endHold', cloneId: string) =>
    cluster.execute({ kind, cloneId, heldMs });
  assert.equal(
    cluster.execute({ kind: 'confirmHold', cloneId: 'one', heldMs: heldMs - 1 }),
    false,
    'another one',
  );
  assert.deepEqual([run('endHold', 'one'), run('confirmHold', 'one')], [false, true]);
  assert.deepEqual([run('confirmHold', 'one'), run('abandonHold', 'one')], [true, false]);
  assert.deepEqual([run('confirmHold', 'none'), run('abandonHold', 'none')], [false, true]);
  checkSaved(cluster);
  assert.deepEqual([run('endHold', 'one'), run('endHold', 'one')], [true, false]);
  for (const cloneId of ['one', 'two']) cluster.execute({ kind: 'holdFiles', cloneId });
  assert.match(
    cluster.execute({ kind: 'holdFiles', cloneId: 'three' }).message!,
    /has 2 of at most 2 clones/,
  );
  assert.deepEqual([run('abandonHold', 'two'), run('abandonHold', 'two')], [true, true]);
  assert.equal(run('confirmHold', 'two'), false);
  checkSaved(cluster);
  assert.equal(run('endHold', 'two'), true);
  for (const cloneId of ['', 'a/b', 'vci_test'])
    assert.throws(() => cluster.execute({ kind: 'holdFiles', cloneId }), MalformedCommand);
});

test('a cluster that was restored to an earlier point holds listed files, dead and unknown ones too', () => {
  const cluster = filled();
  deleteAll(cluster, 'a');
  assert.deepEqual(deadIds(cluster.machine), [fileIdOf(2)]);
  const fileIds = [1, 2, 9].map(fileIdOf);
  cluster.execute({ kind: 'holdFiles', cloneId: 'one', fileIds });
  assert.deepEqual(deadIds(cluster.machine), []);
  assert.deepEqual(cluster.machine.heldFiles('one').toSorted(), fileIds);
  assert.equal(cluster.execute({ kind: 'forgetDeadFiles', fileIds }), 0);
  assert.deepEqual(cluster.execute({ kind: 'declareFilesDead', fileIds }), []);
  // It was committed by a cluster that is gone; the producer writes its batches again.
  assert.match(String(cluster.commitFile(fileCommit(9, [{ topicId: 'a' }]))), /error/);
  checkSaved(cluster);
  cluster.execute({ kind: 'endHold', cloneId: 'one' });
  assert.deepEqual(deadIds(cluster.machine), [2, 9].map(fileIdOf));
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
});

test('a clone has the topics, offsets and rules of the cluster, and its files under the name of that', () => {
  const cluster = filled();
  const partition = { topicId: 'a', partition: 0, offset: 1, leaderEpoch: -1, metadata: '', expiresMs: null };
  cluster.execute({ kind: 'commitOffsets', groups: [{ groupId: 'g', offsets: [partition] } as never] });
  const facts = { ...clusterFacts.bucketId, value: Buffer.from('bki_1') };
  const secret = { namespace: 'agentSecret' as const, key: 'token', value: Buffer.from('secret') };
  const group = { namespace: 'group' as const, key: 'g', value: Buffer.from('members') };
  const quota = { namespace: 'clientQuota' as const, key: 'q', value: Buffer.from('{}') };
  cluster.execute({ kind: 'putEntries', changes: [facts, secret, group, quota] });
  deleteAll(cluster, 'b');
  const clone = cloneOf(cluster);
  const { machine } = clone;
  assert.equal(machine.clusterId, 'vci_clone');
  assert.deepEqual([...machine.topicNames()], ['a', 'b']);
  const of = (number: number) => `${fileIdOf(number)}@vci_test`;
  assert.deepEqual(filesOf(clone, 'a'), [1, 2].map(of));
  assert.deepEqual(deadIds(machine), [], 'dead files are those of the cluster');
  const kv = (namespace: 'clusterFact' | 'agentSecret' | 'group' | 'clientQuota', key: string) =>
    machine.kv.get(namespace, key)?.toString();
  assert.deepEqual(
    [
      kv('clusterFact', 'bucketId'),
      kv('clusterFact', 'cloneOf'),
      kv('agentSecret', 'token'),
      kv('group', 'g'),
    ],
    ['bki_1', 'vci_test', undefined, undefined],
  );
  assert.equal(kv('clientQuota', 'q'), '{}');
  assert.equal(machine.countResources().clientQuotas, 1);
  checkSaved(clone);
  // Its own files are its own.
  clone.commitFile(fileCommit(100, [{ topicId: 'a' }]));
  assert.deepEqual(filesOf(clone, 'a'), [of(1), of(2), fileIdOf(100)]);
  checkSaved(clone);
});

test('a clone does not delete files of the cluster: it says which ones it does not need', () => {
  const cluster = filled();
  const clone = cloneOf(cluster);
  const { machine } = clone;
  clone.commitFile(fileCommit(100, [{ topicId: 'a' }]));
  const saving = machine.beginSave();
  const expected = Buffer.concat(ClusterMachine.restore(Buffer.concat([...saving.slices])).save());
  saving.end();
  const captured = machine.beginSave();
  deleteAll(clone, 'a');
  assert.deepEqual(deadIds(machine), [fileIdOf(100)]);
  assert.deepEqual(machine.unneededFiles(always), [fileIdOf(2)]);
  assert.deepEqual(machine.unneededFiles({ ...always, deadBeforeMs: clone.nowMs }), []);
  assert.equal(clone.execute({ kind: 'forgetDeadFiles', fileIds: [fileIdOf(2)] }), 0, 'not its to delete');
  assert.deepEqual(clone.execute({ kind: 'declareFilesDead', fileIds: [1, 2].map(fileIdOf) }), []);
  const fileIds = [1, 2].map(fileIdOf);
  assert.equal(clone.execute({ kind: 'forgetUnneededFiles', fileIds }), 1);
  // A snapshot that began before still has the file.
  assert.ok(Buffer.concat([...captured.slices]).equals(expected));
  captured.end();
  checkSaved(clone);
  deleteAll(clone, 'b');
  assert.deepEqual(machine.unneededFiles(always), [1, 3].map(fileIdOf));
  checkSaved(clone);
});

test('a clone of a clone holds what it needs in the clone, which holds it in the cluster', () => {
  const cluster = filled();
  const clone = cloneOf(cluster);
  clone.commitFile(fileCommit(100, [{ topicId: 'a' }]));
  const second = cloneOf(clone, 'vci_second');
  assert.deepEqual(filesOf(second, 'a'), [
    `${fileIdOf(1)}@vci_test`,
    `${fileIdOf(2)}@vci_test`,
    `${fileIdOf(100)}@vci_clone`,
  ]);
  checkSaved(second);
  deleteAll(clone, 'a', 'b');
  assert.deepEqual([clone.machine.unneededFiles(always), deadIds(clone.machine)], [[], []]);
  checkSaved(clone);
  deleteAll(second, 'a');
  const fileIds = second.machine.unneededFiles(always);
  assert.deepEqual(fileIds, [2, 100].map(fileIdOf));
  clone.execute({ kind: 'releaseHeldFiles', cloneId: 'vci_second', fileIds });
  assert.deepEqual(
    [clone.machine.unneededFiles(always), deadIds(clone.machine)],
    [[fileIdOf(2)], [fileIdOf(100)]],
  );
  checkSaved(clone);
});

test('compaction in a clone reads files of the cluster and writes its own', () => {
  const cluster = filled();
  const clone = cloneOf(cluster);
  clone.nowMs += 3_600_000;
  const steps = clone.machine.planCompaction(clone.nowMs, new Set());
  let step = steps.next();
  while (!step.done) step = steps.next();
  const [job] = step.value;
  assert.deepEqual(
    job!.inputs.map(({ fileId }) => fileId).toSorted(),
    [1, 2, 3].map((number) => `${fileIdOf(number)}@vci_test`),
  );
  const rows = job!.ranges.topic.length;
  const output = `${'0'.repeat(12)}1${fileIdOf(500).slice(13)}`;
  const result = clone.execute({
    kind: 'replaceRanges',
    commit: {
      plannedMs: clone.nowMs,
      inputFileIds: job!.inputs.map(({ fileId }) => fileId),
      outputs: [{ fileId: output, fileBytes: 100 * rows }],
      topicIds: job!.topicIds,
      ranges: { ...job!.ranges, pointerCount: new Uint32Array(rows).fill(1) },
      pointers: {
        file: new Uint32Array(rows),
        byteStart: Uint32Array.from({ length: rows }, (_, row) => 100 * row),
        byteLength: new Uint32Array(rows).fill(100),
        baseOffset: job!.ranges.fromOffset,
        maxTimestampMs: new Float64Array(rows),
      },
    },
  });
  assert.equal(result.outcome, 'done');
  assert.deepEqual(filesOf(clone, 'a'), [output]);
  assert.deepEqual(clone.machine.unneededFiles(always).toSorted(), [1, 2, 3].map(fileIdOf));
  // The excluded files of open jobs go by the same names as their inputs.
  const again = cloneOf(cluster, 'vci_other').machine.planCompaction(
    clone.nowMs,
    new Set(job!.inputs.map(({ fileId }) => fileId)),
  );
  let last = again.next();
  while (!last.done) last = again.next();
  assert.deepEqual(last.value, []);
});
