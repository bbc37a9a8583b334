import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { MemoryRegistryStore } from '../../testing/index.ts';
import { avroFormat } from '../avro/avro-format.ts';
import { jsonSchemaFormat } from '../json-schema/json-schema-format.ts';
import { protobufFormat } from '../protobuf/protobuf-format.ts';
import { RegistryService } from '../service/registry-service.ts';
import { loadFormat } from './load-format.ts';
import { PayloadDecoder } from './payload-decoder.ts';
import { SchemaCache } from './schema-cache.ts';
import { serviceReader } from './service-reader.ts';
import { framed } from './wire-format.ts';

const schemas = {
  AVRO: '{"type":"record","name":"R","fields":[{"name":"a","type":"string"}]}',
  PROTOBUF: 'syntax = "proto3"; message R { string a = 1; }',
  JSON: '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}',
} as const;

/** Payloads with a = "x" after the id, and one that does not fit. */
const payloads = {
  AVRO: ['0278', '0478'],
  PROTOBUF: ['000a0178', '000a0578'],
  JSON: [Buffer.from('{"a":"x"}').toString('hex'), Buffer.from('{"a":5}').toString('hex')],
} as const;

test('payloads of all formats are validated and decoded by the own registry', async (t) => {
  const clock = new HandClock();
  const service = new RegistryService({
    store: new MemoryRegistryStore(),
    formats: { AVRO: avroFormat, PROTOBUF: protobufFormat, JSON: jsonSchemaFormat },
    clock,
    clusterId: 'vci_1',
    release: 'v830',
  });
  t.after(() => service.end());
  const cache = new SchemaCache({ reader: serviceReader(async () => service), formatOf: loadFormat, clock });
  const decoder = new PayloadDecoder({ cache, clock });
  for (const type of ['AVRO', 'PROTOBUF', 'JSON'] as const) {
    const subject = `${type}-value`;
    const { id } = await service.register(subject, { schema: schemas[type], schemaType: type });
    const { guid } = await service.schemaById(id);
    const [fitting, other] = payloads[type].map((hex) => Buffer.from(hex, 'hex'));
    for (const ref of [id, guid]) {
      const { state } = await cache.load(ref);
      assert.ok(state.kind === 'found', type);
      assert.deepEqual([...state.schema.subjects], [subject]);
      const { codec } = state.schema;
      assert.equal(codec!.problemOf(fitting!), undefined, type);
      assert.match(codec!.problemOf(other!) ?? '', /./, type);
    }
    const record = { key: null, value: framed(id, fitting!), headers: [] };
    assert.deepEqual((await decoder.decodeRecord(record)).value, {
      kind: 'decoded',
      ref: id,
      type,
      subjects: [subject],
      recordName: type === 'JSON' ? undefined : 'R',
      json: '{"a":"x"}',
    });
  }
  assert.equal((await cache.load(99)).state.kind, 'missing');
  assert.equal((await cache.load('00000000-0000-0000-0000-000000000000')).state.kind, 'missing');
});
