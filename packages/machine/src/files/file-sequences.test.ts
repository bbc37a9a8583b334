import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryErrors } from '@weir/cluster';
import { fileIdSequence } from '@weir/core';
import { Cluster } from '../../testing/cluster.ts';
import { fileCommit, fileIdOf } from '../../testing/file-commit.ts';

const gone = `error ${entryErrors.indexOf('KAFKA_STORAGE_ERROR')}`;
const hourMs = 3_600_000;

function idAt(timeMs: number, number: number): string {
  return timeMs.toString(16).padStart(12, '0') + fileIdOf(number).slice(12);
}

function put(cluster: Cluster, sequenceId: string, isOpen: boolean) {
  const value = isOpen ? Buffer.from('{}') : null;
  cluster.execute({ kind: 'putEntries', changes: [{ namespace: 'fileSequence', key: sequenceId, value }] });
}

function staged() {
  const cluster = new Cluster({ fileCommitMsMax: hourMs });
  cluster.create('t');
  const fileId = idAt(cluster.nowMs, 1);
  const commit = () => cluster.commitFile({ ...fileCommit(0, [{ topicId: 't', records: 3 }]), fileId });
  const open = (isOpen = true) => put(cluster, fileIdSequence(fileId), isOpen);
  const dead = () =>
    cluster.machine
      .deadFiles({ deadBeforeMs: Number.POSITIVE_INFINITY, limit: 10 })
      .map(({ fileId: id }) => id);
  return { cluster, fileId, commit, open, dead };
}

test('a file of an open sequence is committed at any age, and once', () => {
  const { cluster, commit, open } = staged();
  open();
  cluster.nowMs += 48 * hourMs;
  assert.deepEqual(commit(), [0]);
  cluster.execute({ kind: 'purge' });
  cluster.nowMs += hourMs;
  cluster.execute({ kind: 'purge' });
  assert.deepEqual(commit(), [gone], 'its answer is forgotten, and the file is known');
  const other = staged();
  other.cluster.nowMs += 48 * hourMs;
  assert.deepEqual(other.commit(), [gone]);
});

test('a file of an open sequence is no orphan, and is not forgotten when it is dead', () => {
  const { cluster, fileId, commit, open, dead } = staged();
  open();
  assert.deepEqual(cluster.execute({ kind: 'declareFilesDead', fileIds: [fileId] }), []);
  assert.deepEqual(commit(), [0]);
  cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId: 't', partition: 0, offset: -1 }] });
  assert.deepEqual(dead(), []);
  assert.equal(cluster.execute({ kind: 'forgetDeadFiles', fileIds: [fileId] }), 0);
  cluster.nowMs += 48 * hourMs;
  cluster.execute({ kind: 'purge' });
  assert.deepEqual(commit(), [gone], 'it is not committed again');
  open(false);
  assert.deepEqual(dead(), [fileId]);
  assert.equal(cluster.execute({ kind: 'forgetDeadFiles', fileIds: [fileId] }), 1);
  assert.deepEqual(commit(), [gone], 'too old');
});

test('a clone has no open sequences', () => {
  const { cluster, open } = staged();
  open();
  cluster.machine.becomeClone('vci_clone', cluster.nowMs);
  assert.equal(cluster.machine.kv.of('fileSequence').size, 0);
});
