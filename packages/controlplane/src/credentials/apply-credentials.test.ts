import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { isPasswordOf, newScramCredential, readScramCredential } from '@weir/cluster';
import type { ClusterNode } from '@weir/metadata';
import { startLeader } from '../../testing/leading-node.ts';
import { applyCredentials } from './apply-credentials.ts';
import { parseCredentials } from './credentials-file.ts';

type Entry = { name: string; username?: string; password?: string; superuser?: boolean };

/** The changes, as text. */
async function apply(node: ClusterNode, ...entries: Entry[]): Promise<string[]> {
  const { put, deleted, refused } = await applyCredentials(node, parseCredentials(JSON.stringify(entries)), {
    randomBytes,
    freshId: () => randomUUID().replaceAll('-', '_'),
  });
  return [
    ...put.map((name) => `put ${name}`),
    ...deleted.map((name) => `deleted ${name}`),
    ...refused.map(({ name, problem }) => `refused ${name}: ${problem}`),
  ];
}

function isPassword(node: ClusterNode, username: string, password: string): Promise<boolean> {
  return isPasswordOf(password, readScramCredential(node.record('scramCredential', username)!));
}

test('the cluster gets the credentials of the file, and unchanged ones are not written again', async (t) => {
  const node = await startLeader(t);
  const [alice, bob] = [
    { name: 'alice', password: 'first' },
    { name: 'bob', password: 'b', superuser: true },
  ];
  assert.deepEqual(await apply(node, alice, bob), ['put ccn_alice', 'put ccn_bob']);
  const stored = Buffer.from(node.record('scramCredential', 'alice')!);
  assert.deepEqual(await apply(node, alice, bob), []);
  assert.deepEqual(node.record('scramCredential', 'alice'), stored);

  assert.deepEqual(await apply(node, { ...alice, password: 'second' }, bob), ['put ccn_alice']);
  assert.deepEqual(
    [await isPassword(node, 'alice', 'first'), await isPassword(node, 'alice', 'second')],
    [false, true],
  );
  assert.deepEqual(await apply(node, { ...alice, password: 'second' }, { ...bob, superuser: false }), [
    'put ccn_bob',
  ]);
  assert.deepEqual(await apply(node, bob), ['put ccn_bob', 'deleted ccn_alice']);
  assert.equal(node.record('scramCredential', 'alice'), undefined);
});

test('credentials that did not come from a file stay', async (t) => {
  const node = await startLeader(t);
  const password = await newScramCredential('x', randomBytes);
  const made = { id: 'cci_1', name: 'ccn_api', username: 'ccun_1', isSuperuser: false, isFromFile: false };
  await node.putCredentials([{ ...made, password }]);
  await node.alterScramCredentials([{ user: 'kafka', credential: password }]);
  await apply(node, { name: 'alice', password: 'a' });
  assert.deepEqual(await apply(node), ['deleted ccn_alice']);
  assert.deepEqual(
    (await node.listCredentials()).map(({ name }) => name),
    ['ccn_api'],
  );
  assert.notEqual(node.record('scramCredential', 'kafka'), undefined);
});

test('a password that was removed from the file is not accepted', async (t) => {
  const node = await startLeader(t);
  await apply(node, { name: 'alice', password: 'a' });
  await apply(node, { name: 'alice' });
  assert.equal(node.record('scramCredential', 'alice'), undefined);
  const [alice] = await node.listCredentials();
  assert.deepEqual([alice!.username, alice!.hasPassword], ['alice', false]);
});

test('a name that moves between credentials is released first, and one that is taken is refused', async (t) => {
  const node = await startLeader(t);
  await apply(node, { name: 'orders', username: 'old', password: 'a' });
  assert.deepEqual(await apply(node, { name: 'orders', username: 'new', password: 'a' }), [
    'put ccn_orders',
    'deleted ccn_orders',
  ]);
  const password = await newScramCredential('x', randomBytes);
  await node.alterScramCredentials([{ user: 'kafka', credential: password }]);
  const results = await apply(
    node,
    { name: 'orders', username: 'new', password: 'a' },
    { name: 'kafka', username: 'another', password: 'a' },
  );
  assert.equal(results.length, 1);
  assert.match(results[0]!, /^refused ccn_kafka: The name "kafka" belongs to the user "kafka"/);
});
