import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketFact, type CompactionCommit, clusterFacts, readBuckets, writeBucket } from '@weir/cluster';
import { fileIdBucket, fileIdLevel } from '@weir/core';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { fileCommit } from '../../testing/file-commit.ts';
import { ClusterMachine } from '../machine.ts';

/** An id of a file in a bucket. */
function fileIn(bucket: number, number: number, level = 0): string {
  const digits = (value: number, count: number) => value.toString(16).padStart(count, '0');
  const rest = bucket === 0 ? digits(number, 15) : digits(bucket, 2) + digits(number, 13);
  return `${digits(0, 12)}${digits((bucket === 0 ? 0 : 8) + level, 1)}0000${rest}`;
}

function clusterWithBuckets(...numbers: readonly number[]): Cluster {
  const cluster = new Cluster();
  cluster.create('a');
  const first = { ...clusterFacts.bucketId, value: Buffer.from('bki_0') };
  const others = numbers.map((number) => ({
    ...bucketFact(number),
    value: writeBucket({ bucketId: `bki_${number}`, url: `file:///${number}` }),
  }));
  cluster.execute({ kind: 'putEntries', changes: [first, ...others] });
  return cluster;
}

const commit = (cluster: Cluster, fileId: string) =>
  cluster.commitFile({ ...fileCommit(1, [{ topicId: 'a' }]), fileId });

const filesOf = (machine: ClusterMachine) =>
  machine.findBatches([{ topicId: 'a', partition: 0, offset: 0, bytesMax: 1e9 }])[0]!.pointers.fileId;

function merge(cluster: Cluster, inputs: readonly string[], output: string): CompactionCommit {
  const one = (value: number) => Uint32Array.of(value);
  return {
    plannedMs: cluster.nowMs,
    inputFileIds: inputs,
    outputs: [{ fileId: output, fileBytes: 100 }],
    topicIds: ['a'],
    ranges: {
      topic: one(0),
      partition: one(0),
      fromOffset: Float64Array.of(0),
      toOffset: Float64Array.of(inputs.length),
      pointerCount: one(1),
    },
    pointers: {
      file: one(0),
      byteStart: one(0),
      byteLength: one(100),
      baseOffset: Float64Array.of(0),
      maxTimestampMs: Float64Array.of(0),
    },
  };
}

test('a file is committed if its bucket is known, and refused if no agent could find it', () => {
  const cluster = clusterWithBuckets(1, 255);
  assert.deepEqual(commit(cluster, fileIn(0, 1)), [0]);
  assert.deepEqual(commit(cluster, fileIn(1, 1)), [1]);
  assert.deepEqual(commit(cluster, fileIn(255, 1)), [2]);
  const [error] = commit(cluster, fileIn(2, 1)) as [string];
  assert.match(error, /^error \d+$/);
  assert.notEqual(error, 'error 0');
  assert.deepEqual(filesOf(cluster.machine), [fileIn(0, 1), fileIn(1, 1), fileIn(255, 1)]);
  assert.deepEqual(filesOf(cluster.machine).map(fileIdBucket), [0, 1, 255]);
});

test('files of one bucket are merged into another, and keep their level', () => {
  const cluster = clusterWithBuckets(1);
  const inputs = [fileIn(0, 1), fileIn(0, 2)];
  for (const fileId of inputs) commit(cluster, fileId);
  const into = (bucket: number) => merge(cluster, inputs, fileIn(bucket, 9, 1));
  const unknown = cluster.execute({ kind: 'replaceRanges', commit: into(2) });
  assert.deepEqual([...unknown.isReplaced], [0], 'no agent knows bucket 2');
  const known = cluster.execute({ kind: 'replaceRanges', commit: into(1) });
  assert.deepEqual([...known.isReplaced], [1]);
  assert.deepEqual(filesOf(cluster.machine), [fileIn(1, 9, 1)]);
  assert.equal(fileIdLevel(fileIn(1, 9, 1)), 1);
  assert.deepEqual(
    cluster.machine.fileStats().levels.map(({ files }) => files),
    [0, 1],
  );
});

test('buckets and places of files survive snapshots and replays', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 1, 7, 255), { maxLength: 30 }), (buckets) => {
      const cluster = clusterWithBuckets(1, 7, 255);
      const ids = buckets.map((bucket, number) => fileIn(bucket, number + 1));
      for (const fileId of ids) commit(cluster, fileId);
      const machines = [
        cluster.machine,
        ClusterMachine.restore(cluster.saved(), cluster.limits),
        cluster.replay().machine,
      ];
      for (const machine of machines) {
        assert.deepEqual(filesOf(machine), ids);
        assert.deepEqual(filesOf(machine).map(fileIdBucket), buckets);
        assert.deepEqual(
          readBuckets(machine.kv.of('clusterFact')).map(({ number, url }) => [number, url]),
          [
            [0, ''],
            [1, 'file:///1'],
            [7, 'file:///7'],
            [255, 'file:///255'],
          ],
        );
      }
    }),
  );
});

test('a clone knows the buckets of its files, and whose id lies in them', () => {
  const cluster = clusterWithBuckets(3);
  commit(cluster, fileIn(3, 1));
  cluster.execute({ kind: 'holdFiles', cloneId: 'vci_clone' });
  const clone = ClusterMachine.restore(cluster.saved(), cluster.limits);
  clone.becomeClone('vci_clone', cluster.nowMs);
  assert.deepEqual(filesOf(clone), [`${fileIn(3, 1)}@vci_test`]);
  const expected = [
    { number: 0, bucketId: 'bki_0', url: '' },
    { number: 3, bucketId: 'bki_3', url: 'file:///3', idOf: 'vci_test' },
  ];
  assert.deepEqual(readBuckets(clone.kv.of('clusterFact')), expected);
  // A clone of the clone finds the id where the first cluster put it.
  clone.becomeClone('vci_second', cluster.nowMs);
  assert.deepEqual(readBuckets(clone.kv.of('clusterFact')), expected);
});
