import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CredentialToPut, readScramCredential, type ScramCredential } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { Cluster } from '../../testing/cluster.ts';
import { ClusterMachine } from '../machine.ts';
import { listCredentials } from './credentials.ts';

const hourMs = 3_600_000;

function passwordOf(byte: number, differences: Partial<ScramCredential> = {}): ScramCredential {
  const [storedKey, serverKey] = [Buffer.alloc(64, byte), Buffer.alloc(64, byte + 100)];
  return { iterations: 8192, salt: Buffer.from('salt'), storedKey, serverKey, ...differences };
}

function clusterWith(differences: Partial<CredentialToPut> = {}): Cluster {
  const cluster = new Cluster();
  const credential = {
    username: 'ann',
    id: 'cci_ann',
    name: 'ccn_ann',
    isSuperuser: false,
    isFromFile: false,
    password: passwordOf(1),
    ...differences,
  };
  const [result] = cluster.execute({ kind: 'putCredentials', credentials: [credential] });
  assert.equal(result!.error, 'NONE');
  return cluster;
}

function rotate(cluster: Cluster, overlapMs: number, password = passwordOf(2), username = 'ann') {
  return cluster.execute({ kind: 'rotatePassword', rotation: { username, password, overlapMs } });
}

const endOld = (cluster: Cluster, username = 'ann') =>
  cluster.execute({ kind: 'endOldPassword', username }).error;

/** The first bytes of the keys: current, then old. */
function stored(cluster: Cluster): number[] {
  const { storedKey, old } = readScramCredential(cluster.machine.kv.get('scramCredential', 'ann')!);
  return [storedKey[0]!, ...(old === undefined ? [] : [old.storedKey[0]!])];
}

const described = (cluster: Cluster, machine = cluster.machine) =>
  listCredentials(machine.kv, cluster.nowMs)[0]!;

test('a rotation keeps the credential, and accepts both passwords until the old one ends', () => {
  const cluster = clusterWith({ isSuperuser: true });
  const createdMs = cluster.nowMs;
  cluster.nowMs += hourMs;
  const rotatedMs = cluster.nowMs;
  assert.deepEqual(rotate(cluster, hourMs), {
    error: 'NONE',
    message: null,
    oldEndsMs: rotatedMs + hourMs,
  });
  assert.deepEqual(stored(cluster), [2, 1]);
  const { id, isSuperuser, passwordCreatedMs, oldPassword } = described(cluster);
  assert.deepEqual([id, isSuperuser, passwordCreatedMs], ['cci_ann', true, rotatedMs]);
  assert.deepEqual(oldPassword, { createdMs, endsMs: rotatedMs + hourMs, lastUsedMs: null });
  const restored = ClusterMachine.restore(cluster.saved());
  assert.deepEqual(described(cluster, restored), described(cluster), 'in a snapshot');
  assert.deepEqual(described(cluster, cluster.replay().machine), described(cluster), 'in the journal');

  cluster.nowMs += hourMs;
  assert.equal(described(cluster).oldPassword, undefined);
  assert.equal(endOld(cluster), 'RESOURCE_NOT_FOUND');
  cluster.execute({ kind: 'noteLogins', logins: { uses: [], receivedSinceMs: null } });
  assert.deepEqual(stored(cluster), [2], 'its keys are removed');
  assert.equal(rotate(cluster, hourMs, passwordOf(3)).error, 'NONE', 'the next rotation');
});

test('an old password can be ended at any time, and needs no overlap', () => {
  const cluster = clusterWith();
  rotate(cluster, hourMs);
  assert.equal(endOld(cluster), 'NONE');
  assert.deepEqual(stored(cluster), [2]);
  assert.deepEqual(rotate(cluster, 0, passwordOf(3)).oldEndsMs, null);
  assert.deepEqual(stored(cluster), [3]);
});

test('Kafka tools and a new password of the owner replace both passwords', () => {
  const changes: readonly ((cluster: Cluster) => void)[] = [
    (cluster) => {
      const change = { user: 'ann', credential: passwordOf(4) };
      cluster.execute({ kind: 'alterScramCredentials', changes: [change] });
    },
    (cluster) => {
      const { username, id, name, isSuperuser, isFromFile } = described(cluster);
      const credential = { username, id, name, isSuperuser, isFromFile, password: passwordOf(4) };
      cluster.execute({ kind: 'putCredentials', credentials: [credential] });
    },
  ];
  for (const change of changes) {
    const cluster = clusterWith();
    rotate(cluster, hourMs);
    change(cluster);
    assert.deepEqual(stored(cluster), [4]);
  }
});

const overlapMsMax = coreLimits.passwordOverlapSecondsMax * 1000;
const refusals: readonly [what: string, cluster: Cluster, given: Parameters<typeof rotate>[1], RegExp][] = [
  ['a credential of a file', clusterWith({ isFromFile: true }), hourMs, /-saslCredentialsFile/],
  ['a credential without a password', clusterWith({ password: null }), hourMs, /certificate/],
  ['an overlap that is too long', clusterWith(), overlapMsMax + 1, /An overlap has 0 to/],
  ['a negative overlap', clusterWith(), -1, /An overlap has 0 to/],
  [
    'another salt',
    clusterWith({ password: passwordOf(1, { salt: Buffer.from('other') }) }),
    1,
    /at the same time/,
  ],
  ['other iterations', clusterWith({ password: passwordOf(1, { iterations: 4096 }) }), 1, /at the same time/],
];

for (const [what, cluster, overlapMs, problem] of refusals) {
  test(`a rotation is refused: ${what}`, () => {
    const before = cluster.saved();
    const { error, message } = rotate(cluster, overlapMs);
    assert.equal(error, 'INVALID_REQUEST');
    assert.match(message!, problem);
    assert.deepEqual(cluster.saved(), before);
  });
}

test('a credential has two passwords at most, and one that does not exist has none', () => {
  const cluster = clusterWith();
  rotate(cluster, hourMs);
  assert.match(rotate(cluster, hourMs, passwordOf(3)).message!, /valid until .*End that one first/);
  assert.deepEqual(stored(cluster), [2, 1]);
  assert.equal(rotate(cluster, 1, passwordOf(3), 'bob').error, 'RESOURCE_NOT_FOUND');
  assert.equal(endOld(cluster, 'bob'), 'RESOURCE_NOT_FOUND');
  cluster.execute({ kind: 'deleteCredentials', usernames: ['ann'] });
  assert.equal(cluster.machine.kv.get('scramCredential', 'ann'), undefined);
});

test('uses of the old password are stored, at most once an hour', () => {
  const cluster = clusterWith();
  const use = (oldPasswordUsedMs: number | undefined) => {
    const uses = [{ username: 'ann', usedMs: cluster.nowMs, oldPasswordUsedMs }];
    cluster.execute({ kind: 'noteLogins', logins: { uses, receivedSinceMs: 1 } });
  };
  const lastOldUse = () => described(cluster).oldPassword!.lastUsedMs;
  use(undefined);
  cluster.nowMs += 1;
  rotate(cluster, 48 * hourMs);
  assert.equal(lastOldUse(), null, 'uses before the rotation do not count');
  cluster.nowMs += 1;
  use(cluster.nowMs);
  const firstMs = cluster.nowMs;
  const { length } = cluster.journal;
  cluster.nowMs += hourMs - 1;
  use(cluster.nowMs);
  assert.deepEqual([lastOldUse(), cluster.journal.length], [firstMs, length]);
  const seenOldMs = new Map([['ann', cluster.nowMs]]);
  assert.equal(
    listCredentials(cluster.machine.kv, cluster.nowMs, { seenOldMs })[0]!.oldPassword!.lastUsedMs,
    cluster.nowMs,
    'a later one that is not stored yet',
  );
  cluster.nowMs += 1;
  use(cluster.nowMs);
  assert.equal(lastOldUse(), cluster.nowMs);
  const lastMs = cluster.nowMs;
  cluster.nowMs += 24 * hourMs;
  use(undefined);
  assert.deepEqual([lastOldUse(), described(cluster).lastUsedMs], [lastMs, cluster.nowMs]);
  endOld(cluster);
  rotate(cluster, hourMs, passwordOf(3));
  assert.equal(lastOldUse(), null, 'uses during an earlier rotation do not count');
});
