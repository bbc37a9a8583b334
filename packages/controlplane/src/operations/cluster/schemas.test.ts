import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestClusterApi } from '../../../testing/test-cluster-api.ts';

const id = { name: 'id', type: 'long' };
const orderOf = (...fields: readonly object[]) =>
  JSON.stringify({ type: 'record', name: 'Order', namespace: 'shop', fields });
const order = orderOf(id);
const noted = orderOf(id, { name: 'note', type: 'string', default: '' });
const paid = orderOf(id, { name: 'paid', type: 'boolean' });

test('schemas are registered, described and listed', async (t) => {
  const { call } = await openTestClusterApi(t);
  assert.deepEqual((await call('list_subjects', {})).subjects, []);
  const first = await call('register_schema', { subject: 'orders-value', schema: order });
  assert.deepEqual([first.schema_id, first.version], [1, 1]);
  const second = await call('register_schema', { subject: 'orders-value', schema: noted });
  assert.deepEqual([second.schema_id, second.version], [2, 2]);
  assert.deepEqual(await call('register_schema', { subject: 'orders-value', schema: order }), first);
  await call('register_schema', {
    subject: ':.eu:orders',
    schema: 'syntax = "proto3"; message Order { int64 id = 1; }',
    schema_type: 'PROTOBUF',
  });

  assert.deepEqual((await call('list_subjects', {})).subjects, [
    {
      subject: ':.eu:orders',
      schema_type: 'PROTOBUF',
      latest_version: 1,
      latest_id: 1,
      version_count: 1,
      reference_count: 0,
      compatibility_level: 'BACKWARD',
      is_deleted: false,
    },
    {
      subject: 'orders-value',
      schema_type: 'AVRO',
      latest_version: 2,
      latest_id: 2,
      version_count: 2,
      reference_count: 0,
      compatibility_level: 'BACKWARD',
      is_deleted: false,
    },
  ]);
  const described = await call('describe_schema', { subject: 'orders-value' });
  assert.deepEqual(described, {
    subject: 'orders-value',
    version: 2,
    schema_id: 2,
    guid: second.guid,
    schema_type: 'AVRO',
    schema: described.schema,
    references: [],
    referenced_by: [],
    used_by: [{ subject: 'orders-value', version: 2 }],
    versions: [1, 2],
    compatibility_level: 'BACKWARD',
    mode: 'READWRITE',
    is_deleted: false,
  });
  assert.deepEqual(JSON.parse(described.schema), JSON.parse(noted));
  const byId = await call('describe_schema', { schema_id: 2 });
  assert.deepEqual([byId.subject, byId.version, byId.guid], ['orders-value', 2, second.guid]);
  assert.deepEqual(await call('describe_schema', { guid: second.guid }), byId);
  const old = await call('describe_schema', { subject: 'orders-value', version: 1 });
  assert.deepEqual([old.schema_id, old.version], [1, 1]);
});

test('subjects come in pages, by their beginning', async (t) => {
  const { call } = await openTestClusterApi(t);
  for (const subject of ['b', 'a2', 'a1', 'a3']) await call('register_schema', { subject, schema: '"int"' });
  const first = await call('list_subjects', { subject_prefix: 'a', limit: 2 });
  assert.deepEqual(
    first.subjects.map(({ subject }) => subject),
    ['a1', 'a2'],
  );
  const rest = await call('list_subjects', { subject_prefix: 'a', limit: 2, cursor: first.next_cursor! });
  assert.deepEqual([rest.subjects.map(({ subject }) => subject), rest.next_cursor], [['a3'], null]);
});

test('references are listed on both sides', async (t) => {
  const { call, refusal } = await openTestClusterApi(t);
  await call('register_schema', { subject: 'orders', schema: order });
  const cart = JSON.stringify({
    type: 'record',
    name: 'Cart',
    fields: [{ name: 'order', type: 'shop.Order' }],
  });
  const references = [{ name: 'shop.Order', subject: 'orders', version: 1 }];
  await call('register_schema', { subject: 'carts', schema: cart, references });
  assert.deepEqual((await call('describe_schema', { subject: 'carts' })).references, references);
  assert.deepEqual((await call('describe_schema', { subject: 'orders' })).referenced_by, [
    { subject: 'carts', version: 1 },
  ]);
  assert.equal((await refusal('delete_subject', { subject: 'orders' }))[0], 'conflict');
});

test('a check says what is wrong, where, and shows a diff', async (t) => {
  const { call, refusal } = await openTestClusterApi(t);
  await call('register_schema', { subject: 'orders-value', schema: order });
  const { diff, violations, ...verdict } = await call('check_schema_compatibility', {
    subject: 'orders-value',
    schema: paid,
  });
  assert.deepEqual(verdict, {
    is_compatible: false,
    compatibility_level: 'BACKWARD',
    is_registered: false,
    compared_version: 1,
  });
  assert.deepEqual(
    violations.map(({ type, path }) => [type, path]),
    [['READER_FIELD_MISSING_DEFAULT_VALUE', '/fields/1']],
  );
  assert.match(diff, /^--- orders-value version 1\n\+\+\+ new schema\n/);
  assert.match(diff, /^\+ {4}\{"name": "paid", "type": "boolean"\}$/m);
  assert.equal(
    (await refusal('register_schema', { subject: 'orders-value', schema: paid }))[0],
    'incompatible_schema',
  );

  const fits = await call('check_schema_compatibility', { subject: 'orders-value', schema: noted });
  assert.deepEqual([fits.is_compatible, fits.violations], [true, []]);
  const same = await call('check_schema_compatibility', { subject: 'orders-value', schema: order });
  assert.deepEqual([same.is_compatible, same.is_registered, same.diff], [true, true, '']);
  const fresh = await call('check_schema_compatibility', { subject: 'new', schema: order });
  assert.deepEqual([fresh.is_compatible, fresh.compared_version, fresh.diff], [true, null, '']);
  const [code, message] = await refusal('check_schema_compatibility', {
    subject: 'orders-value',
    schema: '{"type":',
  });
  assert.equal(code, 'invalid_schema');
  assert.doesNotMatch(message, /\n/);
});

test('changes are checked one after the other, and none is made', async (t) => {
  const { call, refusal } = await openTestClusterApi(t);
  await call('register_schema', { subject: 'orders', schema: order });
  const cart = JSON.stringify({
    type: 'record',
    name: 'Cart',
    fields: [{ name: 'order', type: 'shop.Order' }],
  });
  const { outcomes } = await call('check_registry_changes', {
    changes: [
      { subject: 'orders', schema: order },
      { subject: 'orders', schema: paid },
      { subject: 'orders', compatibility_level: 'NONE', normalize: true, schema: paid },
      { subject: 'carts', schema: cart, references: [{ name: 'shop.Order', subject: 'orders' }] },
      { subject: 'orders', delete: true },
      { mode: 'READONLY', compatibility_level: 'FULL' },
      { subject: 'new', schema: '"int"' },
      { subject: 'bad', schema: '{"type":' },
    ],
  });
  assert.deepEqual(
    outcomes.map((one) => [one.is_change, one.version, one.compared_version, one.compatibility_level]),
    [
      [false, 1, 1, 'BACKWARD'],
      [false, null, 1, 'BACKWARD'],
      [true, 2, 1, 'NONE'],
      [true, 1, null, 'BACKWARD'],
      [false, null, null, 'NONE'],
      [true, null, null, 'FULL'],
      [false, null, null, 'FULL'],
      [false, null, null, 'FULL'],
    ],
  );
  assert.match(outcomes[1]!.diff, /^--- orders version 1\n/);
  assert.deepEqual(
    outcomes[1]!.violations.map(({ type }) => type),
    ['READER_FIELD_MISSING_DEFAULT_VALUE'],
  );
  assert.match(outcomes[4]!.problem!, /reference/);
  assert.match(outcomes[6]!.problem!, /read-only/);
  const { subjects } = await call('list_subjects', {});
  assert.deepEqual(
    subjects.map(({ subject, latest_version, compatibility_level }) => [
      subject,
      latest_version,
      compatibility_level,
    ]),
    [['orders', 1, 'BACKWARD']],
  );
  assert.deepEqual(await refusal('check_registry_changes', { changes: [{ schema: order }] }), [
    'invalid_request',
    'changes.0: a schema and a deletion need a subject',
  ]);

  // A registration may leave the version of a reference open too.
  const references = [{ name: 'shop.Order', subject: 'orders' }];
  await call('register_schema', { subject: 'carts', schema: cart, references });
  assert.deepEqual((await call('describe_schema', { subject: 'carts' })).references, [
    { name: 'shop.Order', subject: 'orders', version: 1 },
  ]);
});

test('levels, modes and aliases are set, and inherited again', async (t) => {
  const { call, refusal } = await openTestClusterApi(t);
  const inherited = {
    compatibility_level: 'BACKWARD',
    mode: 'READWRITE',
    own_compatibility_level: null,
    own_mode: null,
    alias: null,
    normalize: false,
  };
  assert.deepEqual(await call('describe_registry_config', { subject: 'orders-value' }), inherited);
  await call('update_registry_config', { compatibility_level: 'NONE' });
  const set = await call('update_registry_config', {
    subject: 'orders-value',
    compatibility_level: 'FULL',
    mode: 'READONLY',
    normalize: true,
  });
  assert.deepEqual(set, {
    compatibility_level: 'FULL',
    mode: 'READONLY',
    own_compatibility_level: 'FULL',
    own_mode: 'READONLY',
    alias: null,
    normalize: true,
  });
  assert.equal((await refusal('register_schema', { subject: 'orders-value', schema: order }))[0], 'conflict');
  const unset = await call('update_registry_config', {
    subject: 'orders-value',
    compatibility_level: null,
    mode: null,
  });
  assert.deepEqual([unset.compatibility_level, unset.mode], ['NONE', 'READWRITE']);
  assert.deepEqual([unset.own_compatibility_level, unset.own_mode], [null, null]);
  await call('register_schema', { subject: 'orders-value', schema: order });
  const alias = await call('update_registry_config', { subject: 'old-name', alias: 'orders-value' });
  assert.equal(alias.alias, 'orders-value');
  assert.equal((await call('describe_schema', { subject: 'old-name' })).schema_id, 1);
});

test('subjects and versions are deleted in two steps', async (t) => {
  const { call, refusal } = await openTestClusterApi(t);
  for (const schema of [order, noted]) await call('register_schema', { subject: 'a', schema });
  assert.deepEqual(await call('delete_schema_version', { subject: 'a', version: 1 }), { version: 1 });
  assert.deepEqual((await call('describe_schema', { subject: 'a' })).versions, [2]);
  const gone = await call('describe_schema', { subject: 'a', version: 1, include_deleted: true });
  assert.deepEqual([gone.is_deleted, gone.versions], [true, [1, 2]]);
  assert.equal((await refusal('delete_subject', { subject: 'a', permanent: true }))[0], 'conflict');
  assert.deepEqual(await call('delete_subject', { subject: 'a' }), { versions: [2] });
  assert.deepEqual((await call('list_subjects', {})).subjects, []);
  const [listed] = (await call('list_subjects', { include_deleted: true })).subjects;
  assert.deepEqual([listed?.subject, listed?.is_deleted, listed?.latest_version], ['a', true, 2]);
  assert.equal((await refusal('describe_schema', { subject: 'a' }))[0], 'not_found');
  assert.equal((await call('describe_schema', { subject: 'a', include_deleted: true })).version, 2);
  await call('delete_subject', { subject: 'a', permanent: true });
  assert.equal((await refusal('describe_schema', { subject: 'a', include_deleted: true }))[0], 'not_found');
});

test('what is not there is not found, and a data lake has no registry', async (t) => {
  const { refusal } = await openTestClusterApi(t);
  assert.equal((await refusal('describe_schema', { subject: 'none' }))[0], 'not_found');
  assert.equal((await refusal('describe_schema', { schema_id: 99 }))[0], 'not_found');
  const guid = '00000000-0000-0000-0000-000000000000';
  assert.equal((await refusal('describe_schema', { guid }))[0], 'not_found');
  assert.equal((await refusal('delete_subject', { subject: 'none' }))[0], 'not_found');
  assert.equal((await refusal('describe_schema', {}))[0], 'invalid_request');
  assert.deepEqual(await refusal('list_subjects', { virtual_cluster_id: 'vci_dl_lake' }), [
    'no_schema_registry',
    'A cluster of this type has no schema registry.',
  ]);
});
