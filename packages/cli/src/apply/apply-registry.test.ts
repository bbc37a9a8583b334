import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { catalogue } from '@weir/api';
import { stringify } from 'yaml';
import { runArguments } from '../../testing/command-run.ts';
import { startTestApi } from '../../testing/test-api.ts';

/** An API, a folder for files, and the command. */
async function open(t: TestContext) {
  const api = await startTestApi(t);
  const folder = mkdtempSync(join(tmpdir(), 'weir-apply-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const environment = { SERVICE_API_URL: api.url, SERVICE_API_KEY: api.key };
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  return {
    api,
    folder,
    write,
    /** Runs the command for a registry, in the folder. */
    async apply(schema_registry: object, ...flags: readonly string[]) {
      const clusters = [{ name: 'schemas', type: 'byoc_schema_registry', schema_registry }];
      write('weir.yaml', stringify({ version: 1, virtual_clusters: clusters }));
      const argv = ['apply', '-f', join(folder, 'weir.yaml'), ...flags];
      const { status, out, err } = await runArguments(argv, { environment });
      return { status, out: out.replace(/ \[vci_\w+\]/, ''), err: err.replaceAll(`${folder}/`, '') };
    },
    async subjects() {
      const { virtual_clusters } = await api.client.call('list_virtual_clusters', {});
      const { subjects } = await api.client.call('list_subjects', {
        virtual_cluster_id: virtual_clusters[0]!.id,
      });
      return subjects.map(({ subject, latest_version, compatibility_level }) =>
        [subject, latest_version, compatibility_level].join(' '),
      );
    },
    writesSoFar() {
      const writes = api.called.filter((name) => catalogue[name].access === 'write');
      api.called.length = 0;
      return writes;
    },
  };
}

const record = (name: string, ...fields: readonly object[]) =>
  JSON.stringify({ type: 'record', name, namespace: 'shop', fields });
const id = { name: 'id', type: 'long' };
const order = record('Order', id);
const noted = record('Order', id, { name: 'note', type: 'string', default: '' });
const paid = record('Order', id, { name: 'paid', type: 'boolean' });
const cart = record('Cart', { name: 'order', type: 'shop.Order' });

/** Carts refer to orders, and come before them in the file. */
const shop = (...orders: readonly object[]) => ({
  compatibility_level: 'FULL',
  contexts: [{ name: '.eu', compatibility_level: 'NONE' }],
  subjects: [
    {
      name: 'carts-value',
      schemas: [{ text: cart, references: [{ name: 'shop.Order', subject: 'orders-value' }] }],
    },
    { name: 'orders-value', compatibility_level: 'BACKWARD', schemas: orders },
    { name: ':.eu:orders-value', schemas: [{ file: 'order.proto' }] },
  ],
});

test('a registry is made, changed with a diff, and left as it is the second time', async (t) => {
  const { apply, write, subjects, writesSoFar } = await open(t);
  write('order.avsc', order);
  write('order.proto', 'syntax = "proto3"; message Order { int64 id = 1; }');
  const registry = shop({ file: 'order.avsc' });
  const lines = [
    'virtual cluster schemas',
    '  + virtual cluster schemas (byoc_schema_registry)',
    '  ~ schema registry: compatibility_level INHERITED → FULL',
    '  ~ schema registry context .eu: compatibility_level INHERITED → NONE',
    '  ~ subject orders-value: compatibility_level INHERITED → BACKWARD',
    '  + schema orders-value (AVRO, version 1)',
    '  + schema carts-value (AVRO, version 1)',
    '  + schema :.eu:orders-value (PROTOBUF, version 1)',
  ].join('\n');
  const dry = await apply(registry, '-dry-run');
  assert.deepEqual(dry, {
    status: 0,
    out: `${lines}\nPlan: 4 to create, 3 to update, 0 to delete, 0 unchanged.\n`,
    err: '',
  });
  assert.deepEqual(writesSoFar(), []);
  const done = await apply(registry);
  assert.deepEqual(done, {
    status: 0,
    out: `${lines}\nDone: 4 created, 3 updated, 0 deleted, 0 unchanged.\n`,
    err: '',
  });
  writesSoFar();
  const made = [':.eu:orders-value 1 NONE', 'carts-value 1 FULL', 'orders-value 1 BACKWARD'];
  assert.deepEqual(await subjects(), made);
  const nothing = { status: 0, out: 'No changes: 7 unchanged.\n', err: '' };
  assert.deepEqual(await apply(registry, '-prune'), nothing);
  assert.deepEqual(writesSoFar(), []);

  write('order.avsc', noted);
  const changed = [
    'virtual cluster schemas',
    '  + schema orders-value (AVRO, version 2, compatible with version 1 (BACKWARD))',
    '      --- orders-value version 1',
    '      +++ new schema',
    '      @@ -3,6 +3,7 @@',
    '         "name": "Order",',
    '         "namespace": "shop",',
    '         "fields": [',
    '      -    {"name": "id", "type": "long"}',
    '      +    {"name": "id", "type": "long"},',
    '      +    {"name": "note", "type": "string", "default": ""}',
    '         ]',
    '       }',
  ];
  const again = await apply(registry, '-dry-run');
  assert.equal(again.status, 0, again.err);
  assert.deepEqual(again.out.split('\n').slice(0, changed.length), changed);
  assert.match(
    again.out,
    /\n {2}\+ schema carts-value \(AVRO, version 2, compatible with version 1 \(FULL\)\)\n/,
  );
  assert.equal((await apply(registry)).out.replace(/Done: .*/, ''), again.out.replace(/Plan: .*/, ''));
  assert.deepEqual(await apply(registry), nothing);

  // An older schema is still there, so that nothing is to be done.
  write('order.avsc', order);
  assert.deepEqual(await apply(registry), nothing);
});

test('a schema that does not fit is refused with its differences before anything is changed', async (t) => {
  const { apply, write, subjects, writesSoFar } = await open(t);
  write('order.proto', 'syntax = "proto3"; message Order { int64 id = 1; }');
  await apply(shop({ text: order }));
  writesSoFar();
  const before = await subjects();
  write('paid.avsc', paid);
  const refused = await apply({ ...shop({ file: 'paid.avsc' }), compatibility_level: 'NONE' });
  assert.equal(refused.status, 1);
  assert.deepEqual(refused.out, '');
  assert.deepEqual(refused.err.split('\n').slice(0, 4), [
    'weir apply: weir.yaml:20:15: subject orders-value: paid.avsc: incompatible with version 1 (BACKWARD)',
    "  READER_FIELD_MISSING_DEFAULT_VALUE at /fields/1: The field 'paid' at path '/fields/1' in the new schema has no default value and is missing in the old schema",
    '  --- orders-value version 1',
    '  +++ new schema',
  ]);
  assert.doesNotMatch(refused.err, /carts-value/, 'what follows from it is not reported');
  assert.deepEqual(writesSoFar(), []);
  assert.deepEqual(await subjects(), before);

  // A level that the file sets counts when the schema is checked.
  const { subjects: all } = shop({ file: 'paid.avsc' });
  const loose = { subjects: all.map((one) => ({ ...one, compatibility_level: 'NONE' })) };
  const done = await apply(loose);
  assert.match(done.out, /\+ schema orders-value \(AVRO, version 2, not compared \(NONE\)\)\n/);
});

test('a schema of a new cluster is checked before the cluster is made', async (t) => {
  const { apply, writesSoFar } = await open(t);
  const found = await apply({
    subjects: [
      { name: 'a', schemas: [{ text: '{"type": "recrod"}' }] },
      { name: 'b', schemas: [{ text: order }, { text: paid }] },
      {
        name: 'c',
        schemas: [{ text: cart, references: [{ name: 'shop.Order', subject: 'nowhere', version: 1 }] }],
      },
    ],
  });
  assert.equal(found.status, 1);
  const lines = found.err.split('\n');
  assert.match(lines[0]!, /^weir apply: weir\.yaml:9:15: subject a: Invalid schema/);
  assert.match(
    lines[1]!,
    /^weir apply: weir\.yaml:13:15: subject b: incompatible with version 1 \(BACKWARD\)$/,
  );
  assert.match(found.err, /weir\.yaml:\d+:15: subject c: .*No schema reference found for subject "nowhere"/);
  assert.deepEqual(writesSoFar(), []);
});

test('pruning deletes subjects that the file leaves out, those that refer first, and keeps others', async (t) => {
  const { api, apply, write, subjects } = await open(t);
  write('order.proto', 'syntax = "proto3"; message Order { int64 id = 1; }');
  await apply(shop({ text: order }));
  const { virtual_clusters } = await api.client.call('list_virtual_clusters', {});
  const virtual_cluster_id = virtual_clusters[0]!.id;
  const made = { virtual_cluster_id, schema: '"int"' };
  for (const subject of ['locked', ':.us:other'])
    await api.client.call('register_schema', { ...made, subject });
  const locked = { virtual_cluster_id, subject: 'locked', mode: 'READONLY' as const };
  await api.client.call('update_registry_config', locked);
  const rest = { subjects: [{ name: ':.eu:orders-value' }] };
  assert.match((await apply(rest)).out, /^No changes/);
  const pruned = await apply(rest, '-prune');
  assert.deepEqual(pruned.out.split('\n').slice(1, -2).toSorted(), [
    '  - subject carts-value',
    '  - subject orders-value',
    '  = subject locked (kept: it has mode READONLY)',
  ]);
  assert.ok(pruned.out.indexOf('carts-value') < pruned.out.indexOf('orders-value'));
  assert.deepEqual(await subjects(), [':.eu:orders-value 1 NONE', ':.us:other 1 BACKWARD', 'locked 1 FULL']);
  const kept = await api.client.call('describe_schema', {
    virtual_cluster_id,
    subject: 'orders-value',
    version: 1,
    include_deleted: true,
  });
  assert.equal(kept.is_deleted, true, 'it is not removed permanently');
});

test('metadata is part of a schema, and without it that of the last version stays', async (t) => {
  const { apply } = await open(t);
  const registry = (metadata?: object) => ({
    subjects: [{ name: 'a:', compatibility_level: 'FULL', schemas: [{ text: '"int"', metadata }] }],
  });
  const owned = registry({ properties: { owner: 'us' }, tags: { '/': ['PII'] }, sensitive: ['owner'] });
  assert.equal((await apply(owned)).status, 0);
  assert.match((await apply(owned)).out, /^No changes/);
  assert.match((await apply(registry())).out, /^No changes/);
  const changed = await apply(registry({ properties: { owner: 'them' } }));
  assert.match(changed.out, /\n {2}\+ schema a: \(AVRO, version 2, compatible with version 1 \(FULL\)\)\n/);
  assert.match((await apply(owned)).out, /^No changes/, 'the first version has it');
});

test('modes: one that forbids changes comes last, and one that allows them first', async (t) => {
  const { apply } = await open(t);
  const registry = (mode: string, text: string) => ({
    mode,
    subjects: [{ name: 'a', schemas: [{ text }] }],
  });
  const first = await apply(registry('READONLY', '"int"'));
  assert.equal(first.status, 0, first.err);
  assert.match(first.out, /\+ schema a .*\n {2}~ schema registry: mode INHERITED → READONLY\nDone/);
  const refused = await apply(registry('READONLY', '"long"'));
  assert.match(refused.err, /^weir apply: weir\.yaml:10:15: subject a: .*read-only/);
  const second = await apply(registry('READWRITE', '"long"'));
  assert.match(second.out, /~ schema registry: mode READONLY → READWRITE\n {2}\+ schema a /);
  assert.match((await apply(registry('READWRITE', '"long"'))).out, /^No changes/);
  assert.match((await apply({ mode: 'INHERITED' })).out, /mode READWRITE → INHERITED/);
  assert.match((await apply({ mode: 'INHERITED' })).out, /^No changes/);
});

test('problems of documents and files are reported with their place', async (t) => {
  const { apply, folder, write, writesSoFar } = await open(t);
  write('a.txt', '"int"');
  write('empty.avsc', ' \n');
  write('binary.avsc', '');
  writeFileSync(join(folder, 'binary.avsc'), Uint8Array.of(0xff));
  writeFileSync(join(folder, 'large.avsc'), 'x'.repeat(2 ** 20 + 1));
  const subject = (name: string, ...schemas: readonly object[]) => ({ name, schemas });
  const cases: readonly [registry: object, problem: RegExp][] = [
    [{ subjects: [subject('a', {})] }, /:9:15: .*schemas\[0\]: needs file or text$/],
    [
      { subjects: [subject('a', { file: 'a.txt' })] },
      /:9:21: .*\.file: does not end with \.avsc, \.proto or \.json; set type$/,
    ],
    [
      { subjects: [subject('a', { file: 'none.avsc' })] },
      /:9:15: subject a: failed to read none\.avsc: ENOENT/,
    ],
    [{ subjects: [subject('a', { file: '.', type: 'AVRO' })] }, /: failed to read \.: not a regular file$/],
    [{ subjects: [subject('a', { file: 'empty.avsc' })] }, /: empty\.avsc is empty$/],
    [{ subjects: [subject('a', { file: 'binary.avsc' })] }, /: binary\.avsc is not UTF-8$/],
    [{ subjects: [subject('a', { file: 'large.avsc' })] }, /: large\.avsc is larger than 1MiB$/],
    [{ subjects: [subject('a'), subject(':.:a')] }, /:9:11: the subject a is already at weir\.yaml:7:11$/],
    [{ compatibility_level: 'SOMETIMES' }, /:6:28: .*compatibility_level: /],
    [{ contexts: [{ name: ':.eu:' }] }, /:7:17: .*contexts\[0\]\.name: is not the name of a context$/],
    [
      {
        subjects: [
          subject('a', { text: '"int"', references: [{ name: 'b', subject: 'b' }] }),
          subject('b', { text: '"int"', references: [{ name: 'a', subject: 'a' }] }),
        ],
      },
      /: subject b: circular reference with a$/,
    ],
  ];
  for (const [registry, problem] of cases) {
    const { status, err } = await apply(registry);
    assert.equal(status, 1);
    assert.match(err.trimEnd(), problem);
    assert.doesNotMatch(err.trimEnd(), /\n/);
  }
  assert.deepEqual(writesSoFar(), []);
});
