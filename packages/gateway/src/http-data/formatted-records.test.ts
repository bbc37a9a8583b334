import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { httpStage } from '@weir/agent/testing';
import { addUser } from '@weir/broker/testing';
import { aclKey } from '@weir/cluster';
import type { Acl } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { avroFormat, jsonSchemaFormat, protobufFormat, RegistryService } from '@weir/registry';
import { RecordSchemas, serviceReader, serviceWriter } from '@weir/registry/decoding';
import { MemoryRegistryStore } from '@weir/registry/testing';

const schemas = {
  avro: '{"type":"record","name":"R","fields":[{"name":"n","type":"long"}]}',
  protobuf: 'syntax = "proto3"; message R { int64 n = 1; }',
  jsonschema: '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}',
} as const;
const typeOf = { avro: 'AVRO', protobuf: 'PROTOBUF', jsonschema: 'JSON' } as const;
type Format = keyof typeof schemas;

/** A registry beside the cluster, with a schema of each format. */
async function registryBeside(t: TestContext) {
  const clock = new HandClock();
  const service = new RegistryService({
    store: new MemoryRegistryStore(),
    formats: { AVRO: avroFormat, PROTOBUF: protobufFormat, JSON: jsonSchemaFormat },
    clock,
    clusterId: 'vci_1',
    release: 'v830',
  });
  const open = async () => service;
  const registry = { ...serviceWriter(open), ...serviceReader(open) };
  const beside = new RecordSchemas({ registry, isOwn: false, clock });
  t.after(async () => {
    await beside.close();
    await service.end();
  });
  const ids = {} as Record<Format, number>;
  for (const format of Object.keys(schemas) as Format[]) {
    const body = { schema: schemas[format], schemaType: typeOf[format] };
    ids[format] = (await service.register(`${format}-value`, body)).id;
  }
  return { schemas: beside, ids, service };
}

function clusterWith(topics: readonly string[], configs: Record<string, string> = {}): TestCluster {
  const cluster = new TestCluster({ clusterConfigs: configs });
  for (const topic of topics) cluster.addTopic(topic, 1);
  return cluster;
}

type Stage = Awaited<ReturnType<typeof httpStage>>;

/** Writes values and returns the records of a fetch. */
async function stored({ call }: Stage, topic: string, values: readonly Buffer[]) {
  const records = values.map((value) => ({ value: value.toString('base64') }));
  const body = { topics: [{ topic, partitions: [{ partition: 0, records }] }] };
  assert.equal((await call('POST', '/v1/kafka/produce', body)).json.topics[0].partitions[0].error_code, 0);
}

async function fetched({ call }: Stage, topic: string, rest: object, headers = {}) {
  const topics = [{ topic, partitions: [{ partition: 0, fetch_offset: 0 }] }];
  const { status, json } = await call('POST', '/v1/kafka/fetch', { topics, ...rest }, headers);
  assert.equal(status, 200, JSON.stringify(json));
  return json.topics[0].partitions[0];
}

const named = (id: number, hex: string) => Buffer.from(`00${id.toString(16).padStart(8, '0')}${hex}`, 'hex');
const hexOf = { avro: '0e', protobuf: '000807', jsonschema: Buffer.from('{"n":7}').toString('hex') } as const;

test('values are decoded by the schema that they name, in the formats of both ways to read', async (t) => {
  const { schemas: beside, ids } = await registryBeside(t);
  const stage = await httpStage(t, { cluster: clusterWith(['t']), schemas: beside });
  const formats = Object.keys(schemas) as Format[];
  await stored(
    stage,
    't',
    formats.map((format) => named(ids[format], hexOf[format])),
  );
  const { records, next_offset } = await fetched(stage, 't', { value_format: 'schema' });
  assert.equal(next_offset, 3);
  for (const [place, format] of formats.entries()) {
    const { timestamp, ...record } = records[place];
    assert.equal(typeof timestamp, 'number');
    assert.deepEqual(record, {
      offset: place,
      key: null,
      value: { n: format === 'jsonschema' ? 7 : record.value.n },
      headers: [],
      value_format: 'schema',
      value_schema_id: ids[format],
      value_schema_type: typeOf[format],
      value_subjects: [`${format}-value`],
    });
    assert.equal(Number(record.value.n), 7);
    for (const path of [
      `/v1/kafka/fetch_single_record?topic=t&partition=0&offset=${place}&value_format=schema`,
      `/v1/kafka/topics/t/partitions/0/records/${place}?value_format=auto&key_format=string`,
    ])
      assert.deepEqual(
        (await stage.call('GET', path)).json,
        { topic: 't', partition: 0, timestamp, ...record },
        path,
      );
  }
});

test('what does not fit a format is base64 with the reason, and others are not affected', async (t) => {
  const { schemas: beside, ids } = await registryBeside(t);
  const stage = await httpStage(t, { cluster: clusterWith(['t']), schemas: beside });
  const values = {
    text: Buffer.from('grüße\n'),
    json: Buffer.from('{"n": 12345678901234567890}'),
    binary: Buffer.from([0xff, 0xfe]),
    avro: named(ids.avro, '0e'),
    cut: named(ids.avro, ''),
    unknown: named(100, '0e'),
  };
  const names = Object.keys(values) as (keyof typeof values)[];
  await stored(stage, 't', Object.values(values));
  const base64 = 'base64';
  // biome-ignore format: a table
  const expected: [format: string, ...shown: (string | RegExp)[]][] = [
    ['string', 'string', 'string', /^it is not UTF-8$/, 'string', 'string', 'string'],
    ['json', /^it is not JSON$/, 'json', /^it is not UTF-8$/, /^it is not JSON$/, /^it is not JSON$/, /^it is not JSON$/],
    ['schema', /names no schema/, /names no schema/, /names no schema/, 'schema', /\S/, /schema not found/],
    ['auto', 'string', 'string', base64, 'schema', /\S/, /schema not found/],
  ];
  for (const [format, ...shown] of expected) {
    const { records } = await fetched(stage, 't', { value_format: format });
    for (const [place, want] of shown.entries()) {
      const { value, value_format, value_problem } = records[place];
      const about = `${names[place]} as ${format}`;
      if (typeof want === 'string') assert.deepEqual([value_format, value_problem], [want, undefined], about);
      else assert.match(value_problem, want, about);
      if (value_format === base64) assert.equal(value, values[names[place]!].toString('base64'), about);
      if (value_format === 'string') assert.equal(value, values[names[place]!].toString(), about);
    }
  }
  const [, json] = (await fetched(stage, 't', { value_format: 'json' })).records;
  assert.deepEqual(Object.keys(json.value), ['n']);
  const raw = (await fetched(stage, 't', {})).records[0];
  assert.deepEqual(Object.keys(raw), ['offset', 'timestamp', 'key', 'value', 'headers']);
  const wrong = await stage.call('POST', '/v1/kafka/fetch', { topics: [], key_format: 'xml' });
  assert.deepEqual(
    [wrong.status, wrong.json.message],
    [400, 'key_format must be one of base64, string, json, schema, auto.'],
  );
});

test('an answer ends where small payloads have become much JSON, and says where to read on', async (t) => {
  const { schemas: beside, service } = await registryBeside(t);
  const cluster = clusterWith(['t', 'u']);
  const stage = await httpStage(t, { cluster, schemas: beside });
  const fields = [{ name: 'n'.repeat(100_000), type: 'boolean' }];
  const items = { type: 'record', name: 'R', fields };
  const { id } = await service.register('s', { schema: JSON.stringify({ type: 'array', items }) });
  const count = 90;
  const payload = Buffer.concat([named(id, 'b401'), Buffer.alloc(count), Buffer.from([0])]);
  for (const topic of ['t', 'u']) await stored(stage, topic, [payload, payload, payload]);
  const partitions = [{ partition: 0, fetch_offset: 0 }];
  const topics = ['t', 'u'].map((topic) => ({ topic, partitions }));
  const { json } = await stage.call('POST', '/v1/kafka/fetch', { topics, value_format: 'schema' });
  const shown = (json.topics as { partitions: { records: { value: unknown[] }[]; next_offset: number }[] }[])
    .map(({ partitions: [first] }) => first!)
    .map(({ records, next_offset }) => [records.map(({ value }) => value.length), next_offset]);
  assert.deepEqual(shown, [
    [[count, count], 2],
    [[], 0],
  ]);
});

test('an agent without a registry says so', async (t) => {
  const stage = await httpStage(t, { cluster: clusterWith(['t']) });
  await stored(stage, 't', [named(1, '0e'), Buffer.from('x')]);
  const { status, json } = await stage.call('POST', '/v1/kafka/fetch', {
    topics: [],
    value_format: 'schema',
  });
  assert.equal(status, 422);
  assert.match(json.message, /^This agent has no schema registry .*-externalSchemaRegistryURL\.$/);
  const { records } = await fetched(stage, 't', { value_format: 'auto' });
  assert.deepEqual([records[0].value_problem, records[1].value], ['this agent has no schema registry', 'x']);
});

test('decoding takes the right to read a subject that has the schema', async (t) => {
  const { schemas: beside, ids } = await registryBeside(t);
  const cluster = clusterWith(['t'], { 'service.acls.enabled': 'true' });
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
  for (const name of ['reader', 'stranger']) {
    addUser(cluster, name, 'secret');
    allow(name, 'READ', 'TOPIC', 't');
    allow(name, 'WRITE', 'TOPIC', 't');
  }
  allow('reader', 'READ', 'SUBJECT', 'avro-value');
  const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;
  const stage = await httpStage(t, { cluster, sasl, schemas: beside });
  const as = (name: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:secret`).toString('base64')}`,
  });
  const records = [{ value: named(ids.avro, '0e').toString('base64') }];
  const body = { topics: [{ topic: 't', partitions: [{ partition: 0, records }] }] };
  await stage.call('POST', '/v1/kafka/produce', body, as('reader'));
  const [permitted] = (await fetched(stage, 't', { value_format: 'schema' }, as('reader'))).records;
  assert.equal(permitted.value_format, 'schema');
  const [refused] = (await fetched(stage, 't', { value_format: 'schema' }, as('stranger'))).records;
  const { value, value_problem, value_schema_type, value_subjects } = refused;
  assert.equal(value, records[0]!.value);
  assert.match(value_problem, /^no right to read a subject/);
  assert.deepEqual([value_schema_type, value_subjects], [undefined, undefined]);
});

test('a registry beside the cluster encodes what it has, and gets nothing', async (t) => {
  const { schemas: beside, ids, service } = await registryBeside(t);
  const stage = await httpStage(t, { cluster: clusterWith(['avro', 'other']), schemas: beside });
  const typed = { 'content-type': 'application/vnd.kafka.avro.v2+json' };
  const body = (schema: object) => ({ ...schema, records: [{ value: { n: 7 } }] });
  for (const schema of [{ value_schema: schemas.avro }, { value_schema_id: ids.avro }]) {
    const { status, json } = await stage.call('POST', '/topics/avro', body(schema), typed);
    assert.deepEqual([status, json.value_schema_id], [200, ids.avro], JSON.stringify(json));
  }
  const { records } = await fetched(stage, 'avro', { value_format: 'schema' });
  assert.deepEqual(
    records.map(({ value_schema_id }: { value_schema_id: number }) => value_schema_id),
    [ids.avro, ids.avro],
  );
  const refused = await stage.call('POST', '/topics/other', body({ value_schema: schemas.avro }), typed);
  assert.deepEqual([refused.status, refused.json.error_code], [422, 42205]);
  assert.match(refused.json.message, /other-value does not have the schema; register it first\.$/);
  assert.deepEqual(await service.listSubjects({}), ['avro-value', 'jsonschema-value', 'protobuf-value']);
});
