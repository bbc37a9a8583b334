import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type RunOptions, runArguments } from '../../testing/command-run.ts';
import { startFakeRegistry } from '../../testing/fake-registry.ts';

const lines = (...rows: readonly string[]) => rows.map((row) => `${row}\n`).join('');

const orderOf = (...fields: readonly object[]) => JSON.stringify({ type: 'record', name: 'Order', fields });
const id = { name: 'id', type: 'long' };
const first = orderOf(id);
const guid = '5f0c1b2a-0000-0000-0000-000000000001';

const versionOne = { subject: 'orders-value', version: 1, id: 7, guid, schema: first };
const backward = { compatibilityLevel: 'BACKWARD' };
const orders = {
  'GET /subjects/orders-value/versions': [1],
  'GET /subjects/orders-value/versions/latest': versionOne,
  'GET /subjects/orders-value/versions/1': versionOne,
  'GET /schemas/ids/7/versions': [{ subject: 'orders-value', version: 1 }],
  'GET /config/orders-value': backward,
  'GET /mode/orders-value': { mode: 'READWRITE' },
};

/** A directory of files that is removed with the test. */
function files(t: TestContext, texts: Readonly<Record<string, string>>): (name: string) => string {
  const directory = mkdtempSync(join(tmpdir(), 'weir-schemas-'));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(directory, name), text);
  return (name) => join(directory, name);
}

async function registry(t: TestContext, script: Parameters<typeof startFakeRegistry>[1]) {
  const { url, sent } = await startFakeRegistry(t, script);
  const weir = (words: readonly string[], options: RunOptions = {}) =>
    runArguments(['cli', ...words, '-schema-registry-url', url], options);
  return { url, sent, weir };
}

test('subjects are listed with their last versions', async (t) => {
  const { weir, sent } = await registry(t, {
    'GET /schemas': [
      { ...versionOne, version: 2, id: 9 },
      { subject: ':.eu:orders', version: 1, id: 1, schemaType: 'PROTOBUF', schema: 'syntax = "proto3";' },
    ],
  });
  assert.deepEqual(await weir(['list-subjects']), {
    status: 0,
    out: lines(
      'SUBJECT       TYPE      VERSION  ID',
      ':.eu:orders   PROTOBUF  1        1',
      'orders-value  AVRO      2        9',
    ),
    err: '',
  });
  const json = await weir(['list-subjects', '-subject-prefix', 'orders', '-output', 'json']);
  assert.deepEqual(JSON.parse(json.out)[1], {
    subject: 'orders-value',
    type: 'AVRO',
    latestVersion: 2,
    latestId: 9,
    isDeleted: false,
  });
  assert.match(sent[1]!.line, /subjectPrefix=orders/);
});

test('deleted subjects are listed on request, each once', async (t) => {
  const { weir } = await registry(t, {
    'GET /schemas': [
      { ...versionOne, deleted: true },
      { ...versionOne, version: 2, id: 9 },
      { ...versionOne, subject: 'gone', version: 1, deleted: true },
      { ...versionOne, subject: 'gone', version: 2, deleted: true },
    ],
  });
  assert.equal(
    (await weir(['list-subjects', '-include-deleted'])).out,
    lines(
      'SUBJECT       TYPE  VERSION  ID  DELETED',
      'gone          AVRO  2        7   yes',
      'orders-value  AVRO  2        9   no',
    ),
  );
});

test('a schema is described, and indented', async (t) => {
  const { weir } = await registry(t, {
    ...orders,
    'GET /subjects/orders-value/versions': [1, 2],
    'GET /schemas/ids/7': {
      schema: first,
      guid,
      references: [{ name: 'C', subject: 'customers', version: 3 }],
    },
    'GET /schemas/ids/7/versions': [
      { subject: 'orders-value', version: 1 },
      { subject: 'copies', version: 4 },
    ],
    'GET /config': backward,
    'GET /mode': { mode: 'READWRITE' },
  });
  assert.deepEqual(await weir(['describe-schema', '-subject', 'orders-value']), {
    status: 0,
    out: lines(
      'SUBJECT        orders-value',
      'VERSION        1 of 1, 2',
      'ID             7',
      `GUID           ${guid}`,
      'TYPE           AVRO',
      'COMPATIBILITY  BACKWARD',
      'MODE           READWRITE',
      'USED BY        orders-value:1, copies:4',
      '',
      '{',
      '  "type": "record",',
      '  "name": "Order",',
      '  "fields": [',
      '    {"name": "id", "type": "long"}',
      '  ]',
      '}',
    ),
    err: '',
  });
  assert.match((await weir(['describe-schema', '-schema-id', '7'])).out, /^REFERENCE {6}C = customers:3$/m);
  const json = JSON.parse(
    (await weir(['describe-schema', '-subject', 'orders-value', '-output', 'json'])).out,
  );
  assert.deepEqual([json.schema, json.versions, json.compatibility], [first, [1, 2], 'BACKWARD']);
});

test('what does not exist is one line', async (t) => {
  const { weir } = await registry(t, {
    'GET /subjects/orders-value/versions': [1, 2],
    'GET /subjects/orders-value/versions/9': { error_code: 40402, message: 'Version not found.' },
  });
  const cases: [words: string[], err: string][] = [
    [
      ['-subject', 'orders-value', '-schema-version', '9'],
      'orders-value: version 9 not found; versions are 1, 2',
    ],
    [['-subject', 'oders'], 'oders: not found; list subjects with weir cli list-subjects'],
    [['-schema-id', '3'], '-schema-id=3: not found'],
    [['-schema-guid', guid], `-schema-guid=${guid}: not found`],
  ];
  for (const [words, err] of cases)
    assert.deepEqual(await weir(['describe-schema', ...words]), {
      status: 1,
      out: '',
      err: `weir cli describe-schema: ${err}\n`,
    });
});

test('a schema is registered from a file or from standard input', async (t) => {
  const file = files(t, { 'order.avsc': first, 'order.proto': 'message Order {}\n' });
  const { weir, sent } = await registry(t, {
    'POST /subjects/orders-value/versions': { id: 7, version: 1, guid },
    'POST /subjects/old/versions': { id: 3 },
    'POST /subjects/old': { ...versionOne, subject: 'old', version: 5 },
  });
  const words = ['register-schema', '-subject', 'orders-value'];
  assert.deepEqual(await weir([...words, '-schema-file', file('order.avsc')]), {
    status: 0,
    out: lines('SUBJECT       VERSION  ID', 'orders-value  1        7'),
    err: '',
  });
  await weir([
    ...[...words, '-schema-file', file('order.proto')],
    ...['-reference', 'a/b.proto=:.eu:common:2', '-reference', 'c.proto=c:1', '-normalize'],
  ]);
  const fromInput = await weir([...words, '-schema-file', '-', '-schema-type', 'JSON', '-output', 'json'], {
    input: ['{"type":', '"object"}'],
  });
  assert.deepEqual(JSON.parse(fromInput.out), { subject: 'orders-value', version: 1, id: 7, guid });
  assert.deepEqual(
    sent.map(({ body }) => body),
    [
      { schema: first, schemaType: 'AVRO', references: [] },
      {
        schema: 'message Order {}\n',
        schemaType: 'PROTOBUF',
        references: [
          { name: 'a/b.proto', subject: ':.eu:common', version: 2 },
          { name: 'c.proto', subject: 'c', version: 1 },
        ],
      },
      { schema: '{"type":"object"}', schemaType: 'JSON', references: [] },
    ],
  );
  assert.match(sent[1]!.line, /normalize=true/);
  // A registry that returns the id alone is asked for the version.
  const old = await weir(['register-schema', '-subject', 'old', '-schema-file', file('order.avsc')]);
  assert.equal(old.out, lines('SUBJECT  VERSION  ID', 'old      5        3'));
});

test('a registration that is refused is one line', async (t) => {
  const file = files(t, { 'order.avsc': first, 'bad.avsc': '{', 'order.txt': 'x', 'empty.json': ' \n' });
  const { weir } = await registry(t, {
    'POST /subjects/orders-value/versions': {
      error_code: 40901,
      message: 'Schema being registered is incompatible with an earlier schema',
    },
    'POST /subjects/bad/versions': { error_code: 42201, message: 'Invalid schema: unexpected end' },
  });
  const cases: [words: string[], err: RegExp][] = [
    [
      ['-subject', 'orders-value', '-schema-file', file('order.avsc')],
      /^weir cli register-schema: orders-value: the schema is incompatible with an earlier version; run weir cli check-schema with the same flags to see why\n$/,
    ],
    [
      ['-subject', 'bad', '-schema-file', file('bad.avsc')],
      /^weir cli register-schema: http:\S+: Invalid schema: unexpected end \(error 42201\)\n$/,
    ],
    [
      ['-subject', 'x', '-schema-file', file('order.txt')],
      /: its name does not end with \.avsc, \.proto or \.json; set -schema-type\n$/,
    ],
    [
      ['-subject', 'x', '-schema-file', '-'],
      /-schema-file=-: standard input has no name; set -schema-type\n$/,
    ],
    [
      ['-subject', 'x', '-schema-file', file('none.avsc')],
      /none\.avsc: failed to read the file \(ENOENT\)\n$/,
    ],
    [['-subject', 'x', '-schema-file', file('empty.json')], /empty\.json: is empty\n$/],
  ];
  for (const [words, err] of cases) {
    const result = await weir(['register-schema', ...words]);
    assert.equal(result.status, 1);
    assert.match(result.err, err);
    assert.equal(result.err.split('\n').length, 2);
  }
});

const incompatible = {
  is_compatible: false,
  messages: [
    "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'paid' at path '/fields/1' in the new schema has no default value and is missing in the old schema', additionalInfo:'paid'}",
    '{oldSchemaVersion: 1}',
    `{oldSchema: '${first}'}`,
    "{validateFields: 'false', compatibility: 'BACKWARD'}",
  ],
};

test('an incompatible schema is shown with each violation and a diff, and ends with status 1', async (t) => {
  const file = files(t, { 'order.avsc': orderOf(id, { name: 'paid', type: 'boolean' }) });
  const { weir } = await registry(t, {
    ...orders,
    'POST /compatibility/subjects/orders-value/versions': incompatible,
  });
  const words = ['check-schema', '-subject', 'orders-value', '-schema-file', file('order.avsc')];
  assert.deepEqual(await weir(words), {
    status: 1,
    out: lines(
      'orders-value: incompatible with version 1 (BACKWARD)',
      "  READER_FIELD_MISSING_DEFAULT_VALUE at /fields/1: The field 'paid' at path '/fields/1' in the new schema has no default value and is missing in the old schema",
      '',
      '--- orders-value version 1',
      '+++ order.avsc',
      '@@ -2,6 +2,7 @@',
      '   "type": "record",',
      '   "name": "Order",',
      '   "fields": [',
      '-    {"name": "id", "type": "long"}',
      '+    {"name": "id", "type": "long"},',
      '+    {"name": "paid", "type": "boolean"}',
      '   ]',
      ' }',
    ),
    err: '',
  });
  const json = await weir([...words, '-output', 'json']);
  assert.equal(json.status, 1);
  const { violations, ...verdict } = JSON.parse(json.out);
  assert.equal(violations[0].path, '/fields/1');
  assert.deepEqual(
    [verdict.isCompatible, verdict.compatibility, verdict.comparedVersion],
    [false, 'BACKWARD', 1],
  );
});

test('a schema that fits says so, and how', async (t) => {
  const file = files(t, { 'order.avsc': orderOf(id, { name: 'note', type: 'string', default: '' }) });
  const fits = { is_compatible: true, messages: [] };
  const { weir } = await registry(t, {
    ...orders,
    'POST /compatibility/subjects/orders-value/versions': fits,
    'POST /compatibility/subjects/orders-value/versions/1': fits,
    'POST /subjects/orders-value': { error_code: 40403, message: 'Schema not found' },
    'POST /compatibility/subjects/new/versions': fits,
    'GET /config/new': backward,
    'POST /compatibility/subjects/same/versions': fits,
    'GET /subjects/same/versions/latest': { ...versionOne, subject: 'same' },
    'GET /config/same': backward,
    'POST /subjects/same': { ...versionOne, subject: 'same', version: 4 },
    'POST /compatibility/subjects/bad/versions': { is_compatible: false, messages: ['Invalid schema'] },
    'GET /config/bad': backward,
    'POST /subjects/bad': { error_code: 42201, message: 'Invalid schema' },
  });
  const check = (subject: string, ...more: string[]) =>
    weir(['check-schema', '-subject', subject, '-schema-file', file('order.avsc'), ...more]);
  const fitting = await check('orders-value');
  assert.equal(fitting.status, 0);
  assert.match(fitting.out, /^orders-value: compatible with version 1 \(BACKWARD\)\n\n--- /);
  assert.match((await check('orders-value', '-schema-version', '1')).out, /compatible with version 1/);
  assert.deepEqual(
    [await check('new'), await check('same')].map(({ status, out }) => [status, out]),
    [
      [0, 'new: no versions yet, any valid schema is compatible\n'],
      [0, 'same: already registered as version 4\n'],
    ],
  );
  assert.deepEqual(await check('bad'), {
    status: 1,
    out: 'bad: cannot be registered\n  Invalid schema\n',
    err: '',
  });
});

test('subjects and versions are deleted', async (t) => {
  const { weir, sent } = await registry(t, {
    'DELETE /subjects/orders-value': [1, 2],
    'DELETE /subjects/orders-value/versions/2': 2,
    'DELETE /subjects/used': { error_code: 42206, message: 'One or more references exist to the schema' },
  });
  const words = ['delete-schema', '-subject', 'orders-value'];
  assert.equal((await weir(words)).out, 'deleted versions 1, 2 of orders-value\n');
  assert.equal(
    (await weir([...words, '-schema-version', '2', '-permanent'])).out,
    'deleted version 2 of orders-value permanently\n',
  );
  assert.match(sent[1]!.line, /permanent=true/);
  assert.match(
    (await weir(['delete-schema', '-subject', 'used'])).err,
    /^weir cli delete-schema: http:\S+: One or more references exist to the schema \(error 42206\)\n$/,
  );
});

test('level and mode are shown and set, of a subject and of the registry', async (t) => {
  const { weir, sent } = await registry(t, {
    'GET /config': backward,
    'GET /mode': { mode: 'READWRITE' },
    'PUT /config': backward,
    'PUT /config/orders-value': { compatibility: 'FULL' },
    'GET /config/orders-value': { compatibilityLevel: 'FULL' },
    'GET /mode/orders-value': { mode: 'READWRITE' },
    'DELETE /mode/orders-value': { mode: 'READONLY' },
    'PUT /mode': { mode: 'IMPORT' },
  });
  assert.equal(
    (await weir(['schema-config'])).out,
    lines('SUBJECT  COMPATIBILITY  MODE', '(all)    BACKWARD       READWRITE'),
  );
  const set = await weir([
    ...['schema-config', '-subject', 'orders-value'],
    ...['-compatibility', 'FULL', '-schema-mode', 'INHERITED'],
  ]);
  assert.equal(set.out, lines('SUBJECT       COMPATIBILITY  MODE', 'orders-value  FULL           READWRITE'));
  await weir(['schema-config', '-compatibility', 'NONE', '-schema-mode', 'IMPORT', '-force']);
  assert.deepEqual(
    sent.filter(({ line }) => !line.startsWith('GET')).map(({ line, body }) => [line, body]),
    [
      ['PUT /config/orders-value', { compatibility: 'FULL' }],
      ['DELETE /mode/orders-value', undefined],
      ['PUT /config', { compatibility: 'NONE' }],
      ['PUT /mode?force=true', { mode: 'IMPORT' }],
    ],
  );
});

test('a subject without its own level shows that it is inherited', async (t) => {
  const { url, weir } = await registry(t, {
    'GET /mode/orders-value': { mode: 'READONLY' },
  });
  const { out } = await weir(['schema-config', '-subject', 'orders-value']);
  assert.equal(out, lines('SUBJECT       COMPATIBILITY  MODE', 'orders-value  - (inherited)  READONLY'));
  assert.ok(url.startsWith('http://127.0.0.1'));
});

test('a registry gets the login as Basic or Bearer', async (t) => {
  const { weir, sent } = await registry(t, { 'GET /schemas': [] });
  await weir(['list-subjects', '-username', 'shop', '-password', 's:3']);
  await weir(['list-subjects'], { environment: { SERVICE_OAUTH_TOKEN: 'a.b.c' } });
  assert.deepEqual(
    sent.map(({ authorization }) => authorization),
    [`Basic ${Buffer.from('shop:s:3').toString('base64')}`, 'Bearer a.b.c'],
  );
});

test('a registry that is not there is one line', async (t) => {
  const { url } = await startFakeRegistry(t, {});
  const { err, status } = await runArguments([
    'cli',
    'list-subjects',
    '-schema-registry-url',
    `${url}/wrong`,
  ]);
  assert.equal(status, 1);
  assert.match(err, /^weir cli list-subjects: http:\S+\/wrong: .*\n$/);
});

test('a registry that hangs up is one line that says what to do', async (t) => {
  const server = createServer((socket) => socket.once('data', () => socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { err } = await runArguments(['cli', 'list-subjects', '-schema-registry-url', url]);
  const advice = 'check that the port is that of a registry, and whether -schema-registry-url needs https';
  assert.equal(err, `weir cli list-subjects: ${url}: socket hang up; ${advice} or http\n`);
});

test('flags that do not fit are rejected', async () => {
  const cases: readonly [line: string, err: string][] = [
    ['describe-schema', '-subject is required, or -schema-id, or -schema-guid'],
    ['describe-schema -schema-id 1 -schema-guid x', '-schema-guid=x with -schema-id=1: set one of them'],
    [
      'describe-schema -schema-id 1 -schema-version 2',
      '-schema-version=2 with -schema-id=1: set one of them',
    ],
    ['register-schema -schema-file x', '-subject is required'],
    ['check-schema -subject x', '-schema-file is required'],
    ['delete-schema', '-subject is required'],
    [
      'delete-schema -subject x -schema-version 0',
      '-schema-version=0: latest, or 1 to 2147483647 is allowed',
    ],
    [
      'register-schema -subject x -schema-file y -reference Customer:1',
      '-reference=Customer:1: item 1: name=subject:version is needed, such as Customer=customers-value:1',
    ],
    ['schema-config -force', '-force=true: needs -schema-mode'],
    [
      'list-subjects -tls-server-ca-cert-file ca.pem',
      '-tls-server-ca-cert-file=ca.pem: needs an https:// address in -schema-registry-url',
    ],
    ['list-subjects -username shop', '-username=shop: needs -password'],
    [
      'list-subjects -schema-registry-url localhost',
      '-schema-registry-url=localhost: http:// or https:// and a host is needed',
    ],
  ];
  for (const [line, err] of cases) {
    const result = await runArguments(['cli', ...line.split(' ')]);
    assert.equal(result.err, `weir cli ${line.split(' ')[0]}: ${err}\n`, line);
    assert.equal(result.status, 2, line);
  }
});
