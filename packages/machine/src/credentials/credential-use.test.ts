import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialsOf } from '@weir/cluster/testing';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { ClusterMachine } from '../machine.ts';
import { defaultLimits } from '../machine-limits.ts';
import { type CredentialUse, lastUseOf, loginsReceivedSince, useIntervalMs } from './credential-use.ts';
import { listCredentials } from './credentials.ts';

const dayMs = 86_400_000;

function clusterOf(...usernames: string[]): Cluster {
  const cluster = new Cluster();
  put(cluster, ...usernames);
  return cluster;
}

function put(cluster: Cluster, ...usernames: string[]): void {
  const credentials = credentialsOf(...usernames);
  for (const { error } of cluster.execute({ kind: 'putCredentials', credentials }))
    assert.equal(error, 'NONE');
}

/** Reports logins at the current time of the cluster. */
function logIn(cluster: Cluster, ...usernames: string[]): string {
  const uses = usernames.map((username): CredentialUse => ({ username, usedMs: cluster.nowMs }));
  return cluster.execute({ kind: 'noteLogins', logins: { uses, receivedSinceMs: 1 } }).error;
}

function lastUses(machine: ClusterMachine): Record<string, number | null | undefined> {
  return Object.fromEntries(
    listCredentials(machine.kv, 0).map(({ username, lastUsedMs }) => [username, lastUsedMs]),
  );
}

test('frequent logins write one entry per day', () => {
  const cluster = clusterOf('ann', 'bob');
  logIn(cluster, 'ann');
  const [firstMs, entries] = [cluster.nowMs, cluster.journal.length];
  for (let hour = 1; hour < 24; hour++) {
    cluster.nowMs += dayMs / 24;
    logIn(cluster, 'ann');
  }
  assert.equal(cluster.journal.length, entries);
  assert.deepEqual(lastUses(cluster.machine), { ann: firstMs, bob: null });
  cluster.nowMs = firstMs + useIntervalMs;
  logIn(cluster, 'ann', 'bob');
  assert.equal(cluster.journal.length, entries + 1, 'one entry for all logins');
  assert.deepEqual(lastUses(cluster.machine), { ann: cluster.nowMs, bob: cluster.nowMs });
});

test('logins without a credential, or from before it was created, are not stored', () => {
  const cluster = new Cluster();
  logIn(cluster, 'carol');
  assert.equal(cluster.journal.length, 0, 'no entry without credentials');
  const beforeMs = cluster.nowMs++;
  put(cluster, 'ann');
  const uses = [
    { username: 'ann', usedMs: beforeMs },
    { username: 'carol', usedMs: cluster.nowMs },
  ];
  cluster.execute({ kind: 'noteLogins', logins: { uses, receivedSinceMs: 7 } });
  assert.deepEqual(
    [...cluster.machine.kv.of('credentialUse').keys()],
    [''],
    'only the start of complete reporting',
  );
  assert.equal(loginsReceivedSince(cluster.machine.kv), 7);
});

test('deleting a credential removes its last use, and a new one of the same name starts unused', () => {
  const cluster = clusterOf('ann');
  logIn(cluster, 'ann');
  cluster.execute({ kind: 'deleteCredentials', usernames: ['ann'] });
  assert.equal(lastUseOf(cluster.machine.kv, 'ann'), undefined);
  const seen = new Map([['ann', cluster.nowMs]]);
  cluster.nowMs += 1;
  put(cluster, 'ann');
  assert.equal(listCredentials(cluster.machine.kv, cluster.nowMs, { seenMs: seen })[0]!.lastUsedMs, null);
  seen.set('ann', cluster.nowMs);
  assert.equal(
    listCredentials(cluster.machine.kv, cluster.nowMs, { seenMs: seen })[0]!.lastUsedMs,
    cluster.nowMs,
  );
});

test('a changed credential retains its last use', () => {
  const cluster = clusterOf('ann');
  logIn(cluster, 'ann');
  const usedMs = cluster.nowMs;
  cluster.nowMs += 1;
  put(cluster, 'ann');
  assert.deepEqual(lastUses(cluster.machine), { ann: usedMs });
});

test('it is stored once that the start of complete reporting is unknown', () => {
  const cluster = clusterOf('ann');
  const { kv } = cluster.machine;
  const note = (receivedSinceMs: number | null) =>
    cluster.execute({ kind: 'noteLogins', logins: { uses: [], receivedSinceMs } });
  assert.equal(loginsReceivedSince(kv), undefined);
  note(5);
  assert.equal(loginsReceivedSince(kv), 5);
  note(null);
  const { length } = cluster.journal;
  note(null);
  assert.equal(cluster.journal.length, length, 'once');
  assert.equal(loginsReceivedSince(kv), undefined);
});

test('a cluster at its limit refuses and changes nothing', () => {
  const full = new Cluster({ recordsMax: 2 });
  put(full, 'ann');
  const { length } = full.journal;
  assert.equal(logIn(full, 'ann'), 'POLICY_VIOLATION');
  assert.equal(full.journal.length, length);
});

test('followers do not receive uses of credentials', () => {
  const cluster = clusterOf('ann');
  const { changes } = cluster.machine.execute(
    {
      kind: 'noteLogins',
      logins: { uses: [{ username: 'ann', usedMs: cluster.nowMs }], receivedSinceMs: null },
    },
    cluster.nowMs,
  );
  assert.deepEqual(changes, []);
  const followed = cluster.machine.snapshotForFollowers().records.map(({ namespace }) => namespace);
  assert.deepEqual([...new Set(followed)], ['credential']);
});

test('a snapshot without uses of credentials can be read and continued', () => {
  const before = clusterOf('ann');
  const cluster = new Cluster();
  cluster.machine = ClusterMachine.restore(before.saved());
  assert.deepEqual(lastUses(cluster.machine), { ann: null });
  logIn(cluster, 'ann');
  assert.deepEqual(lastUses(cluster.machine), { ann: cluster.nowMs });
});

const someone = fc.constantFrom('ann', 'bob', 'carol');
const action = fc.oneof(
  fc.record({ kind: fc.constant('logIn' as const), who: fc.uniqueArray(someone) }),
  fc.record({ kind: fc.constant('put' as const), who: fc.uniqueArray(someone, { minLength: 1 }) }),
  fc.record({ kind: fc.constant('delete' as const), who: fc.uniqueArray(someone, { minLength: 1 }) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3 * dayMs }) }),
  fc.record({ kind: fc.constant('restore' as const) }),
);

test('the stored last use is at most a day behind the last login, in every copy', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const cluster = new Cluster();
      /** Expected last login of each existing credential. */
      const truth = new Map<string, number | null>();
      for (const step of actions) {
        if (step.kind === 'wait') cluster.nowMs += step.ms;
        if (step.kind === 'restore') cluster.machine = ClusterMachine.restore(cluster.saved(), defaultLimits);
        if (step.kind === 'put') {
          put(cluster, ...step.who);
          for (const username of step.who) truth.set(username, truth.get(username) ?? null);
        }
        if (step.kind === 'delete') {
          cluster.execute({ kind: 'deleteCredentials', usernames: step.who });
          for (const username of step.who) truth.delete(username);
        }
        if (step.kind === 'logIn') {
          logIn(cluster, ...step.who);
          for (const username of step.who) if (truth.has(username)) truth.set(username, cluster.nowMs);
        }
        const stored = lastUses(cluster.machine);
        assert.deepEqual(Object.keys(stored).sort(), [...truth.keys()].sort());
        for (const [username, usedMs] of truth) {
          const writtenMs = stored[username]!;
          if (usedMs === null) assert.equal(writtenMs, null);
          else assert.ok(writtenMs <= usedMs && usedMs - writtenMs < useIntervalMs, username);
        }
      }
      assert.deepEqual(lastUses(cluster.replay().machine), lastUses(cluster.machine));
      assert.deepEqual(
        lastUses(ClusterMachine.restore(cluster.saved(), defaultLimits)),
        lastUses(cluster.machine),
      );
    }),
  );
});
