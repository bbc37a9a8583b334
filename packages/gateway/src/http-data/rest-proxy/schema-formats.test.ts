import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpStage } from '@weir/agent/testing';
import { addUser } from '@weir/broker/testing';
import { aclKey } from '@weir/cluster';
import type { Acl } from '@weir/core';
import { TestCluster } from '@weir/metadata/testing';

type Call = Awaited<ReturnType<typeof httpStage>>['call'];

const registry = { port: 0, requiresLogin: false, logsRequests: false } as const;
const typed = (format: string) => ({ 'content-type': `application/vnd.kafka.${format}.v2+json` });
const user = JSON.stringify({
  type: 'record',
  name: 'User',
  fields: [
    { name: 'name', type: 'string' },
    { name: 'age', type: ['null', 'long'], default: null },
  ],
});

function topics(cluster: TestCluster): TestCluster {
  cluster.addTopic('users', 1);
  return cluster;
}

/** Keys and values in hexadecimal. */
async function written(call: Call): Promise<(string | null)[][]> {
  const { json } = await call('POST', '/v1/kafka/fetch', {
    topics: [{ topic: 'users', partitions: [{ partition: 0, fetch_offset: 0 }] }],
  });
  const hex = (bytes: string | null) => bytes && Buffer.from(bytes, 'base64').toString('hex');
  const records = json.topics[0].partitions[0].records as { key: string | null; value: string | null }[];
  return records.map(({ key, value }) => [hex(key), hex(value)]);
}

const framed = (id: number, payload: string) => `00${id.toString(16).padStart(8, '0')}${payload}`;

test('Avro, Protobuf and JSON are written by schemas that the registry has or gets', async (t) => {
  const { call } = await httpStage(t, { registry, cluster: topics(new TestCluster()) });
  // As text: the age has more digits than a double.
  const avro = `{"key_schema":"\\"string\\"","value_schema":${JSON.stringify(user)},"records":[
    {"key":"k","value":{"name":"a","age":{"long":9007199254740993}}},{"value":{"name":"b","age":null}},{"key":"k","value":null}]}`;
  const { status, json } = await call('POST', '/topics/users', avro, typed('avro'));
  assert.equal(status, 200, JSON.stringify(json));
  const { key_schema_id: keyId, value_schema_id: valueId } = json;
  assert.ok(Number.isInteger(keyId) && Number.isInteger(valueId) && keyId !== valueId);
  assert.deepEqual(
    json.offsets.map(({ offset, error_code }: { offset: number; error_code: unknown }) => [
      offset,
      error_code,
    ]),
    [
      [0, null],
      [1, null],
      [2, null],
    ],
  );
  const byId = { value_schema_id: valueId, records: [{ value: { name: 'c', age: null } }] };
  const again = await call('POST', '/topics/users/partitions/0', byId, typed('avro'));
  assert.deepEqual([again.json.key_schema_id, again.json.value_schema_id], [null, valueId]);
  const proto = {
    key_schema: 'syntax = "proto3"; message P { int64 n = 1; }',
    records: [{ key: { n: '7' } }],
  };
  const third = await call('POST', '/topics/users', proto, typed('protobuf'));
  // The subject has Avro, which Protobuf cannot follow.
  assert.deepEqual([third.status, third.json.error_code], [422, 42205], JSON.stringify(third.json));
  assert.deepEqual(await written(call), [
    [framed(keyId, '026b'), framed(valueId, `026102${long()}`)],
    [null, framed(valueId, '026200')],
    [framed(keyId, '026b'), null],
    [null, framed(valueId, '026300')],
  ]);
});

/** 9007199254740993 as Avro writes a long: zigzag, seven bits a byte. */
function long(): string {
  const bytes: number[] = [];
  for (let rest = 9007199254740993n * 2n; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]).toString('hex');
    bytes.push(Number(rest & 127n) | 128);
  }
}

test('Protobuf and JSON Schema are written with their ids', async (t) => {
  const { call } = await httpStage(t, { registry, cluster: topics(new TestCluster()) });
  const body = {
    key_schema: 'syntax = "proto3"; message P { int64 n = 1; }',
    value_schema: 'syntax = "proto3"; message V { string s = 1; }',
    records: [{ key: { n: 7 }, value: { s: 'x' } }],
  };
  const proto = (await call('POST', '/topics/users', body, typed('protobuf'))).json;
  const schema = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}';
  const { json: other } = await call(
    'POST',
    '/topics/users',
    { value_schema: schema, records: [{ value: { n: 1 } }] },
    typed('jsonschema'),
  );
  assert.equal(other.error_code, 42205, 'another type than that of the subject');
  assert.deepEqual(await written(call), [
    [framed(proto.key_schema_id, '000807'), framed(proto.value_schema_id, '000a0178')],
  ]);
});

test('JSON is checked by its schema', async (t) => {
  const { call } = await httpStage(t, { registry, cluster: topics(new TestCluster()) });
  const schema = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}';
  const body = (value: unknown) => ({ value_schema: schema, records: [{ value }] });
  const { json } = await call('POST', '/topics/users', body({ n: 1 }), typed('jsonschema'));
  const text = Buffer.from('{"n":1}').toString('hex');
  assert.deepEqual(await written(call), [[null, framed(json.value_schema_id, text)]]);
  const refused = await call('POST', '/topics/users', body({}), typed('jsonschema'));
  assert.deepEqual([refused.status, refused.json.error_code], [422, 42203]);
});

test('schemas that are missing or wrong have the codes of the REST proxy, and nothing is written', async (t) => {
  const { call } = await httpStage(t, { registry, cluster: topics(new TestCluster()) });
  const value = { name: 'a', age: null };
  // biome-ignore format: a table
  const cases: [body: object, format: string, code: number, message: RegExp][] = [
    [{ records: [{ key: 'k' }] },                                       'avro', 42201, /neither key_schema nor key_schema_id\.$/],
    [{ records: [{ value }] },                                          'avro', 42202, /neither value_schema nor value_schema_id\.$/],
    [{ value_schema: user, records: [{ value: { name: 7 } }] },         'avro', 42203, /^records\[0\]\.value does not fit schema \d+: /],
    [{ value_schema: user, records: [{ value }, { value: 'x' }] },      'avro', 42203, /^records\[1\]\.value does not fit/],
    [{ value_schema: '{"type":"recor"}', records: [{ value }] },        'avro', 42205, /\S/],
    [{ value_schema_id: 999, records: [{ value }] },                    'avro', 42205, /no schema 999/],
    [{ value_schema_id: 1, records: [{ value }] },                      'protobuf', 42205, /is of the type AVRO, not PROTOBUF/],
    [{ value_schema_id: 1, value_schema: user, records: [{ value }] },  'avro', 422, /both value_schema and value_schema_id/],
    [{ value_schema: 7, records: [{ value }] },                         'avro', 422, /value_schema must be a text/],
    [{ value_schema_id: 'x', records: [{ value }] },                    'avro', 422, /value_schema_id must be an integer/],
  ];
  for (const [body, format, code, message] of cases) {
    const { status, json } = await call('POST', '/topics/users', body, typed(format));
    assert.deepEqual([status, json.error_code], [422, code], JSON.stringify([body, json]));
    assert.match(json.message, message);
  }
  const text = { value_schema: user, records: [{ value }] };
  const { status, json } = await call('POST', '/topics/:.other:users', text, typed('avro'));
  assert.deepEqual([status, json.error_code], [404, 40401]);
  assert.deepEqual(await written(call), []);
});

test('an agent without a registry says so', async (t) => {
  const { call } = await httpStage(t, { cluster: topics(new TestCluster()) });
  const body = { value_schema: user, records: [{ value: { name: 'a', age: null } }] };
  const { status, json } = await call('POST', '/topics/users', body, typed('avro'));
  assert.equal(status, 422);
  assert.match(
    json.message,
    /^This agent has no schema registry for the format avro; start it with -externalSchemaRegistryURL, or send/,
  );
});

test('a schema is registered or read with the rights that the registry asks for', async (t) => {
  const cluster = topics(new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } }));
  for (const name of ['writer', 'reader', 'stranger']) addUser(cluster, name, 'secret');
  const allow = (name: string, operation: Acl['operation'], type: Acl['resourceType'], resource: string) => {
    const acl: Acl = {
      permission: 'ALLOW',
      operation,
      resourceType: type,
      resourceName: resource,
      patternType: 'LITERAL',
      principal: `User:${name}`,
      host: '*',
    };
    cluster.putRecord('acl', aclKey(acl), {});
  };
  for (const name of ['writer', 'reader', 'stranger']) allow(name, 'WRITE', 'TOPIC', 'users');
  allow('writer', 'WRITE', 'SUBJECT', 'users-value');
  allow('reader', 'READ', 'SUBJECT', 'users-value');
  const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;
  const { call } = await httpStage(t, { registry, cluster, sasl });
  const records = [{ value: { name: 'a', age: null } }];
  const sent = async (name: string, schema: object) => {
    const authorization = `Basic ${Buffer.from(`${name}:secret`).toString('base64')}`;
    const { status, json } = await call(
      'POST',
      '/topics/users',
      { ...schema, records },
      { ...typed('avro'), authorization },
    );
    return [status, json.error_code ?? json.offsets[0].error_code, json.value_schema_id];
  };
  const text = { value_schema: user };
  assert.deepEqual((await sent('reader', text)).slice(0, 2), [403, 40301]);
  const [status, code, id] = await sent('writer', text);
  assert.deepEqual([status, code], [200, null]);
  // The right is checked also where the id of the text is known.
  assert.deepEqual((await sent('stranger', text)).slice(0, 2), [403, 40301]);
  assert.deepEqual(await sent('reader', { value_schema_id: id }), [200, null, id]);
  assert.deepEqual((await sent('stranger', { value_schema_id: id })).slice(0, 2), [403, 40301]);
});
