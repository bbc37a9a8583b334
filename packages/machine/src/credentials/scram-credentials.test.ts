import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readScramCredential, type ScramCredential } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { ClusterMachine } from '../machine.ts';
import { describeScramCredentials } from './scram-credentials.ts';

function credential(iterations: number): ScramCredential {
  const secret = (byte: number) => Buffer.alloc(64, byte);
  return { iterations, salt: Buffer.from('salt'), storedKey: secret(1), serverKey: secret(2) };
}

function alter(cluster: Cluster, ...rows: [user: string, iterations: number | null][]): string[] {
  const changes = rows.map(([user, iterations]) => {
    return { user, credential: iterations === null ? null : credential(iterations) };
  });
  return cluster.execute({ kind: 'alterScramCredentials', changes }).map(({ error }) => error);
}

function known(cluster: Cluster, ...users: string[]): (string | null)[] {
  const found = describeScramCredentials(cluster.machine.kv, users);
  return found.map((one) => (one === null ? null : `${one.user} ${one.iterations}`));
}

test('credentials are set, changed and removed per user', () => {
  const cluster = new Cluster();
  assert.deepEqual(alter(cluster, ['alice', 4096], ['bob', 8192], ['carol', null]), [
    'NONE',
    'NONE',
    'RESOURCE_NOT_FOUND',
  ]);
  assert.deepEqual(alter(cluster, ['alice', 5000], ['bob', null]), ['NONE', 'NONE']);
  assert.deepEqual(known(cluster), ['alice 5000']);
  assert.deepEqual(known(cluster, 'bob', 'alice'), [null, 'alice 5000']);
});

test('SCRAM credentials survive a snapshot and reach agents', () => {
  const cluster = new Cluster();
  alter(cluster, ['alice', 4096]);
  const machine = ClusterMachine.restore(cluster.saved());
  const [record] = machine.snapshotForFollowers().records;
  assert.deepEqual([record!.namespace, record!.key], ['scramCredential', 'alice']);
  assert.deepEqual(readScramCredential(record!.value), { ...credential(4096), createdMs: cluster.nowMs });
});

test('SCRAM credentials are bounded by number, and one can replace another', () => {
  const cluster = new Cluster({ scramCredentialsMax: 2 });
  assert.deepEqual(alter(cluster, ['a', 4096], ['b', 4096], ['c', 4096]), [
    'NONE',
    'NONE',
    'POLICY_VIOLATION',
  ]);
  assert.deepEqual(alter(cluster, ['a', null], ['c', 4096], ['b', 5000]), ['NONE', 'NONE', 'NONE']);
  assert.deepEqual(known(cluster), ['b 5000', 'c 4096']);
});

test('a command that names a user twice is a mistake of the caller', () => {
  const cluster = new Cluster();
  assert.throws(() => alter(cluster, ['a', 4096], ['a', null]), /named twice/);
  assert.equal(cluster.journal.length, 0);
});
