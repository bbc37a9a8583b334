import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallOf } from '@weir/api';
import { isPasswordOf, matchingPassword, readCredentialRecord, readScramCredential } from '@weir/cluster';
import { agentDescription, agentReport } from '@weir/cluster/testing';
import { systemClock } from '@weir/core';
import { openTestClusterApi } from '../../../testing/test-cluster-api.ts';

const rule: CallOf<'virtual_clusters/acls/create'>['acl'] = {
  resource_type: 'TOPIC',
  resource_name: 'orders',
  pattern_type: 'LITERAL',
  principal: 'User:ccn_shop',
  host: '*',
  operation: 'WRITE',
  permission_type: 'ALLOW',
};

test('rules are identified by their seven fields: creating or deleting one twice has no further effect', async (t) => {
  const testApi = await openTestClusterApi(t);
  const denied = { ...rule, permission_type: 'DENY' as const };
  const prefixed = { ...rule, pattern_type: 'PREFIXED' as const };
  for (const acl of [rule, denied, prefixed, rule])
    assert.deepEqual(await testApi.call('virtual_clusters/acls/create', { acl }), { acl });
  const list = async () => (await testApi.call('virtual_clusters/acls/list', {})).acls;
  const all = await list();
  assert.equal(all.length, 3);
  assert.deepEqual(await list(), all, 'always in the same order');
  const deletion = await testApi.call('virtual_clusters/acls/delete', {
    acls: [prefixed, { ...rule, host: '10.0.0.1' }, prefixed, denied],
  });
  assert.deepEqual(deletion.acls, [prefixed, denied]);
  assert.deepEqual(await list(), [rule]);
});

const badRules: [what: string, difference: object, pattern: RegExp][] = [
  ['another cluster', { resource_type: 'CLUSTER', operation: 'ALTER' }, /kafka-cluster/],
  ['another registry', { resource_type: 'REGISTRY', operation: 'READ' }, /schema-registry/],
  ['a principal that is no user', { principal: 'Group:x' }, /User:/],
  ['an operation that topics do not have', { operation: 'CLUSTER_ACTION' }, /CLUSTER_ACTION/],
  ['a word that stands for several', { resource_type: 'ANY' }, /resource_type/],
];

test('an invalid rule is refused with the message of the cluster', async (t) => {
  const testApi = await openTestClusterApi(t);
  for (const [what, difference, pattern] of badRules) {
    const [code, message] = await testApi.refusal('virtual_clusters/acls/create', {
      acl: { ...rule, ...difference },
    });
    assert.equal(code, 'invalid_request', what);
    assert.match(message, pattern, what);
  }
});

test('a credential has a prefix, a password that is returned once, and is deleted by its id', async (t) => {
  const testApi = await openTestClusterApi(t);
  const made = await testApi.call('create_virtual_cluster_credentials', { credentials_name: 'shop' });
  assert.match(made.id, /^cci_[0-9a-f]{8}_/);
  assert.match(made.username, /^ccun_[0-9a-f]{32}$/);
  assert.match(made.password, /^ccp_[0-9a-f]{64}$/);
  const stored = readScramCredential(testApi.node.record('scramCredential', made.username)!);
  assert.equal(await isPasswordOf(made.password, stored), true);

  const imported = await testApi.call('create_virtual_cluster_credentials', {
    credentials_name: 'ccn_admin',
    is_cluster_superuser: true,
    imported_password: 'a password of my own',
  });
  assert.equal(imported.password, 'a password of my own');

  const { credentials } = await testApi.call('list_virtual_cluster_credentials', {});
  assert.deepEqual(
    credentials.map(({ created_at, password_created_at, ...one }) => one),
    [
      {
        id: imported.id,
        name: 'ccn_admin',
        username: imported.username,
        is_cluster_superuser: true,
        read_only: false,
        last_used_at: null,
        old_password: null,
      },
      {
        id: made.id,
        name: 'ccn_shop',
        username: made.username,
        is_cluster_superuser: false,
        read_only: false,
        last_used_at: null,
        old_password: null,
      },
    ],
  );
  assert.ok(!JSON.stringify(credentials).includes('ccp_'));

  await testApi.call('delete_virtual_cluster_credentials', { id: made.id });
  assert.equal(testApi.node.record('scramCredential', made.username), undefined);
  const [code] = await testApi.refusal('delete_virtual_cluster_credentials', { id: made.id });
  assert.equal(code, 'not_found');
});

test('a rotation returns a second password of the same user, and the old one ends by time or at once', async (t) => {
  const { call, refusal, node, changes } = await openTestClusterApi(t);
  const { id, username, password } = await call('create_virtual_cluster_credentials', {
    credentials_name: 'shop',
  });
  const listed = async () => (await call('list_virtual_cluster_credentials', {})).credentials[0]!;
  const before = await listed();
  const rotated = await call('rotate_virtual_cluster_credentials', { id });
  assert.deepEqual([rotated.id, rotated.username], [id, username]);
  assert.match(rotated.password, /^ccp_[0-9a-f]{64}$/);
  const stored = () => readScramCredential(node.record('scramCredential', username)!);
  const { old, ...current } = stored();
  assert.equal(await matchingPassword(rotated.password, current, old), 'current');
  assert.equal(await matchingPassword(password, current, old), 'old');

  const during = await listed();
  assert.deepEqual(during.old_password, {
    created_at: before.password_created_at,
    ends_at: rotated.old_password_ends_at,
    last_used_at: null,
  });
  const overlapMs = Date.parse(during.old_password!.ends_at) - Date.parse(during.password_created_at!);
  assert.equal(overlapMs, 86_400_000);
  assert.equal(during.created_at, before.created_at);
  assert.deepEqual(changes, [
    {
      name: 'old password of ccn_shop',
      before: 'valid',
      after: `valid until ${rotated.old_password_ends_at}`,
    },
  ]);
  const [again, reason] = await refusal('rotate_virtual_cluster_credentials', { id });
  assert.equal(again, 'conflict');
  assert.match(reason, /End that one first/);

  await node.heartbeat({
    ...agentDescription('a1'),
    report: agentReport(systemClock.nowMs(), { logins: [{ username, agoMs: 0, oldPasswordAgoMs: 0 }] }),
  });
  assert.notEqual((await listed()).old_password!.last_used_at, null);

  await call('end_virtual_cluster_credentials_rotation', { id });
  assert.equal((await listed()).old_password, null);
  assert.equal(stored().old, undefined);
  const [ended] = await refusal('end_virtual_cluster_credentials_rotation', { id });
  assert.equal(ended, 'not_found');
  const replaced = await call('rotate_virtual_cluster_credentials', {
    id,
    overlap_seconds: 0,
    imported_password: 'a password of my own',
  });
  assert.deepEqual([replaced.password, replaced.old_password_ends_at], ['a password of my own', null]);
  assert.ok(!JSON.stringify(changes).includes(replaced.password));
});

test('which rotations are refused', async (t) => {
  const { refusal, node } = await openTestClusterApi(t);
  const credential = { isSuperuser: false, password: null };
  await node.putCredentials([
    { username: 'file', id: 'cci_file', name: 'ccn_file', isFromFile: true, ...credential },
    { username: 'spiffe://a', id: 'cci_cert', name: 'ccn_cert', isFromFile: false, ...credential },
  ]);
  const rows: [body: { id: string; overlap_seconds?: number }, code: string][] = [
    [{ id: 'cci_none' }, 'not_found'],
    [{ id: 'cci_cert' }, 'conflict'],
    [{ id: 'cci_file' }, 'conflict'],
    [{ id: 'cci_cert', overlap_seconds: -1 }, 'invalid_request'],
    [{ id: 'cci_cert', overlap_seconds: 30 * 86_400 + 1 }, 'invalid_request'],
  ];
  for (const [body, code] of rows)
    assert.equal((await refusal('rotate_virtual_cluster_credentials', body))[0], code, JSON.stringify(body));
});

test('only a credential of a schema registry can be read-only', async (t) => {
  const testApi = await openTestClusterApi(t);
  const registry = { virtual_cluster_id: 'vci_sr_test' };
  const { username } = await testApi.call('create_virtual_cluster_credentials', {
    ...registry,
    credentials_name: 'reader',
    read_only: true,
  });
  assert.equal(readCredentialRecord(testApi.node.record('credential', username)!).isReadOnly, true);
  const { credentials } = await testApi.call('list_virtual_cluster_credentials', registry);
  assert.deepEqual(
    credentials.map(({ name, read_only }) => [name, read_only]),
    [['ccn_reader', true]],
  );
});

test('the last use of a credential is returned once an agent reports it', async (t) => {
  const testApi = await openTestClusterApi(t);
  const { username } = await testApi.call('create_virtual_cluster_credentials', { credentials_name: 'shop' });
  const nowMs = systemClock.nowMs();
  await testApi.node.heartbeat({
    ...agentDescription('a1'),
    report: agentReport(nowMs, { logins: [{ username, agoMs: 0 }] }),
  });
  const { credentials } = await testApi.call('list_virtual_cluster_credentials', {});
  const usedMs = Date.parse(credentials[0]!.last_used_at!);
  assert.ok(usedMs >= nowMs && usedMs <= systemClock.nowMs());
});

test('which credentials are refused', async (t) => {
  const testApi = await openTestClusterApi(t);
  const { username } = await testApi.call('create_virtual_cluster_credentials', { credentials_name: 'shop' });
  const refusals: [
    body: CallOf<'create_virtual_cluster_credentials'> extends infer C ? Partial<C> : never,
    code: string,
  ][] = [
    [{ credentials_name: 'shop' }, 'duplicate_name'],
    [{ credentials_name: 'ccn_shop' }, 'duplicate_name'],
    [{ credentials_name: username }, 'duplicate_name'],
    [{ credentials_name: 'a'.repeat(129) }, 'invalid_request'],
    [{ credentials_name: 'ccn_' }, 'invalid_request'],
    [{ credentials_name: 'reader', read_only: true }, 'unsupported_cluster_type'],
    [{ credentials_name: 'both', read_only: true, is_cluster_superuser: true }, 'invalid_request'],
  ];
  for (const [body, code] of refusals) {
    const wanted = { credentials_name: '', ...body };
    const [given] = await testApi.refusal('create_virtual_cluster_credentials', wanted);
    assert.equal(given, code, JSON.stringify(body));
  }
  await testApi.call('create_virtual_cluster_credentials', { credentials_name: 'a'.repeat(128) });
});
