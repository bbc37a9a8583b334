import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDelegationToken, type TokenToChange } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { machineLimits } from '../limits.ts';
import { ClusterMachine } from '../machine.ts';
import { listDelegationTokens } from './delegation-tokens.ts';

const dayMs = 86_400_000;
const credential = {
  iterations: 4096,
  salt: Buffer.from('salt'),
  storedKey: Buffer.alloc(64, 1),
  serverKey: Buffer.alloc(64, 2),
};

function create(cluster: Cluster, tokenId: string, differences: object = {}) {
  const token = {
    ...{ tokenId, owner: 'ann', requester: 'ann', renewers: ['bob'], lifetimeMs: 0, credential },
    sealedHmac: `sealed ${tokenId}`,
    ...differences,
  };
  return cluster.execute({ kind: 'createDelegationToken', token });
}

const sweep = (cluster: Cluster) =>
  cluster.execute({ kind: 'noteLogins', logins: { uses: [], receivedSinceMs: null } });

const ids = (cluster: Cluster) => [...cluster.machine.kv.of('delegationToken').keys()];

test('a token lives for a week, and expires after a day unless it is renewed', () => {
  const cluster = new Cluster();
  const issuedMs = cluster.nowMs;
  assert.deepEqual(create(cluster, 't1'), {
    ...{ error: 'NONE', message: null, issuedMs },
    expiresMs: issuedMs + dayMs,
    endsMs: issuedMs + 7 * dayMs,
  });
  const short = create(cluster, 't2', { lifetimeMs: 1000 });
  assert.deepEqual([short.expiresMs, short.endsMs], [issuedMs + 1000, issuedMs + 1000]);
  const long = create(cluster, 't3', { lifetimeMs: 100 * dayMs });
  assert.equal(long.endsMs, issuedMs + 7 * dayMs);

  const stored = readDelegationToken(cluster.machine.kv.get('delegationToken', 't1')!);
  assert.deepEqual([stored.renewers, stored.sealedHmac], [['bob'], 'sealed t1']);
  assert.deepEqual(stored.credential, credential);
  const listed = listDelegationTokens(cluster.machine.kv);
  assert.deepEqual(listDelegationTokens(ClusterMachine.restore(cluster.saved()).kv), listed, 'in a snapshot');
  assert.deepEqual(listDelegationTokens(cluster.replay().machine.kv), listed, 'in the journal');
  assert.ok(!JSON.stringify(listed).includes('sealed'), 'a list has no secrets');

  cluster.nowMs = issuedMs + 1000;
  sweep(cluster);
  assert.deepEqual(ids(cluster), ['t1', 't2', 't3'], 'it is alive at the last moment');
  cluster.nowMs = issuedMs + 1001;
  sweep(cluster);
  assert.deepEqual(ids(cluster), ['t1', 't3']);
  cluster.nowMs = issuedMs + dayMs + 1;
  sweep(cluster);
  assert.deepEqual(ids(cluster), []);
});

test('owners and renewers renew a token and end it', () => {
  const cluster = new Cluster();
  const startMs = cluster.nowMs;
  create(cluster, 't');
  const asked = (kind: 'renewDelegationToken' | 'expireDelegationToken', change: Partial<TokenToChange>) => {
    const full = { tokenId: 't', users: ['ann'], periodMs: 0, ...change };
    const { error, expiresMs } = cluster.execute({ kind, change: full });
    return error === 'NONE' ? expiresMs - startMs : error;
  };
  const renew = (change: Partial<TokenToChange>) => asked('renewDelegationToken', change);
  const expire = (change: Partial<TokenToChange>) => asked('expireDelegationToken', change);
  assert.equal(renew({ tokenId: 'other' }), 'DELEGATION_TOKEN_NOT_FOUND');
  assert.equal(renew({ users: ['eve'] }), 'DELEGATION_TOKEN_OWNER_MISMATCH');
  assert.equal(renew({ users: [] }), 'DELEGATION_TOKEN_OWNER_MISMATCH');
  assert.equal(expire({ users: ['eve'] }), 'DELEGATION_TOKEN_OWNER_MISMATCH');
  assert.equal(renew({ periodMs: 5000 }), 5000, 'earlier than before, too');
  assert.equal(renew({ users: ['eve', 'bob'] }), dayMs, 'by a renewer, with the longest period');
  assert.equal(renew({ periodMs: 100 * dayMs }), dayMs, 'no longer than a day');
  assert.equal(expire({ periodMs: 20 * dayMs }), 7 * dayMs, 'no longer than to its end');
  assert.equal(expire({ periodMs: 10 }), 10);
  cluster.nowMs += 11;
  assert.equal(renew({}), 'DELEGATION_TOKEN_EXPIRED');
  assert.equal(renew({ users: ['eve'] }), 'DELEGATION_TOKEN_EXPIRED', 'before it is checked who asks');
  assert.equal(expire({ periodMs: 10 }), 'DELEGATION_TOKEN_EXPIRED');
  assert.equal(expire({ periodMs: null, users: ['eve'] }), 'DELEGATION_TOKEN_OWNER_MISMATCH');
  assert.equal(expire({ periodMs: null }), 11, 'one that is over can be removed');
  assert.deepEqual(ids(cluster), []);
});

test('tokens are limited in number and size, by owner and by who asks', () => {
  const cluster = new Cluster({ delegationTokensMax: 4, delegationTokensPerUserMax: 2 });
  const refusals: readonly [what: string, differences: object, message: RegExp][] = [
    ['no name', { owner: '' }, /1 to 1024 characters/],
    ['a long name', { renewers: ['x'.repeat(1025)] }, /1 to 1024 characters/],
    [
      'many renewers',
      { renewers: Array.from({ length: machineLimits.tokenRenewersMax + 1 }, (_, index) => `r${index}`) },
      /at most 32 renewers/,
    ],
    ['long renewers', { renewers: ['a', 'b', 'c'].map((name) => name.repeat(1000)) }, /2048 characters/],
  ];
  for (const [what, differences, message] of refusals) {
    const { error, message: found } = create(cluster, 't', differences);
    assert.equal(error, 'POLICY_VIOLATION', what);
    assert.match(found!, message, what);
  }
  assert.equal(create(cluster, 'a1').error, 'NONE');
  assert.match(create(cluster, 'a1').message!, /exists/);
  assert.equal(create(cluster, 'a2', { requester: 'bob' }).error, 'NONE');
  assert.match(create(cluster, 'a3').message!, /at most 2/);
  assert.equal(create(cluster, 'c1', { owner: 'cid', requester: 'bob' }).error, 'NONE');
  assert.match(create(cluster, 'd1', { owner: 'dan', requester: 'bob' }).message!, /at most 2/, 'requested');
  assert.equal(create(cluster, 'd1', { owner: 'dan', requester: 'dan' }).error, 'NONE');
  assert.match(create(cluster, 'e1', { owner: 'eve', requester: 'eve' }).message!, /which is the limit/);
});

test('the tokens of a credential end with it, by all of its names', () => {
  const cluster = new Cluster();
  const named = { id: 'cci_ann', name: 'ccn_Ann', isSuperuser: false, isFromFile: false, password: null };
  cluster.execute({ kind: 'putCredentials', credentials: [{ username: 'ann', ...named }] });
  create(cluster, 't1');
  create(cluster, 't2', { owner: 'Ann' });
  create(cluster, 't3', { owner: 'bob' });
  cluster.execute({ kind: 'deleteCredentials', usernames: ['ann'] });
  assert.deepEqual(ids(cluster), ['t3']);
});
