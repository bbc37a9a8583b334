import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consumerStage } from '@weir/agent/testing';

const registry = { port: 0, requiresLogin: false, logsRequests: false } as const;
const earliest = { 'auto.offset.reset': 'earliest', 'fetch.min.bytes': 0 };
const only = (topic: string) => ({ partitions: [{ topic, partition: 0 }] });
const typed = (format: string) => ({ 'content-type': `application/vnd.kafka.${format}.v2+json` });

const record = {
  type: 'record',
  name: 'User',
  fields: [
    { name: 'name', type: 'string' },
    { name: 'age', type: ['null', 'long'] },
  ],
};
const message = 'syntax = "proto3"; message User { string name = 1; int32 age = 2; }';
const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

// biome-ignore format: a table
const formats: [format: string, key: { schema: string; key: unknown }, value: { schema: string; value: unknown }][] = [
  ['avro',       { schema: '"string"', key: 'k' }, { schema: JSON.stringify(record), value: { name: 'a', age: { long: 7 } } }],
  ['protobuf',   { schema: message, key: { name: 'k', age: 1 } }, { schema: message, value: { name: 'a', age: 7 } }],
  ['jsonschema', { schema: '{"type":"string"}', key: 'k' }, { schema: JSON.stringify(schema), value: { name: 'a' } }],
];

test('records are read by their schemas as they were written', async (t) => {
  const stage = await consumerStage(t, { registry, topics: { avro: 1, protobuf: 1, jsonschema: 1 } });
  const { create, done, call, read } = stage;
  for (const [format, { schema: keySchema, key }, { schema: valueSchema, value }] of formats) {
    const records = [
      { key, value },
      { key, value: null },
    ];
    const body = { key_schema: keySchema, value_schema: valueSchema, records };
    const { status, json } = await call('POST', `/topics/${format}`, body, typed(format));
    assert.equal(status, 200, JSON.stringify(json));
    const path = await create({ format, ...earliest });
    await done('POST', `${path}/assignments`, only(format));
    assert.deepEqual(
      await read(path, 2, format),
      records.map((written, offset) => ({ topic: format, partition: 0, offset, ...written })),
    );
  }
});

test('a record of another type, or of none, cannot be decoded', async (t) => {
  const { create, done, call, write, code } = await consumerStage(t, { registry, topics: { t: 1 } });
  const body = { value_schema: JSON.stringify(record), records: [{ value: { name: 'a', age: null } }] };
  await call('POST', '/topics/t', body, typed('avro'));
  await write('t', [{ value: 'plain' }]);
  const path = await create({ format: 'protobuf', ...earliest });
  await done('POST', `${path}/assignments`, only('t'));
  const { status, json } = await call('GET', `${path}/records`);
  assert.deepEqual([status, json.error_code], [408, 40801]);
  assert.match(json.message, /^The value at offset 0 .*the schema is AVRO, not PROTOBUF\.$/);
  await done('POST', `${path}/positions`, { offsets: [{ topic: 't', partition: 0, offset: 1 }] });
  assert.match((await call('GET', `${path}/records`)).json.message, /it names no schema\.$/);
  const binary = await create({ ...earliest });
  await done('POST', `${binary}/assignments`, only('t'));
  assert.equal((await call('GET', `${binary}/records`)).json.length, 2);
  assert.equal(
    await code('GET', `${binary}/records`, undefined, { accept: typed('avro')['content-type'] }),
    40601,
  );
});

test('an agent without a registry says so', async (t) => {
  const { create, done, call } = await consumerStage(t);
  const path = await create({ format: 'avro' });
  await done('POST', `${path}/assignments`, only('orders'));
  const { status, json } = await call('GET', `${path}/records`);
  assert.equal(status, 422);
  assert.match(json.message, /^This agent has no schema registry for the format avro/);
});
