import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { RegistryClient } from '@weir/registry';
import { loadFormat, PayloadDecoder, PayloadEncoder, SchemaCache } from '@weir/registry/decoding';
import { startLocal } from '../brokers/weir-process.ts';
import { confluentClient, missingRegistryClients } from './javascript-clients.ts';

const skip = missingRegistryClients();
const local = await startLocal({ after });
const registryUrl = local.address('registry');
const registry = new RegistryClient({ urls: registryUrl });
after(() => registry.close());
const clock = systemClock;
const cache = new SchemaCache({ reader: registry, formatOf: loadFormat, clock });
const decoder = new PayloadDecoder({ cache, clock });
const encoder = new PayloadEncoder({ cache, clock, registry });

/** The value of a record as the decoder shows it. */
async function shown(value: Buffer | null, headers: Readonly<Record<string, Buffer>> = {}) {
  const record = {
    key: null,
    value,
    headers: Object.entries(headers).map(([key, content]) => ({ key, value: content })),
  };
  const { value: decoded } = await decoder.decodeRecord(record);
  assert.ok(decoded.kind === 'decoded', JSON.stringify(decoded));
  return {
    ref: decoded.ref,
    type: decoded.type,
    recordName: decoded.recordName,
    value: JSON.parse(decoded.json),
  };
}

const avroSchema = {
  schemaType: 'AVRO',
  schema: JSON.stringify({
    type: 'record',
    name: 'Order',
    namespace: 'shop',
    fields: [
      { name: 'id', type: 'long' },
      { name: 'note', type: ['null', 'string'], default: null },
      { name: 'kinds', type: { type: 'array', items: { type: 'enum', name: 'Kind', symbols: ['A', 'B'] } } },
      { name: 'prices', type: { type: 'map', values: 'double' } },
    ],
  }),
} as const;
const avroValue = { id: 7, note: 'seven', kinds: ['B', 'A'], prices: { eur: 1.5 } };
const avroJson = { ...avroValue, note: { string: 'seven' } };
const jsonSchema = {
  schemaType: 'JSON',
  schema: JSON.stringify({ title: 'Order', type: 'object', properties: { id: { type: 'integer' } } }),
} as const;
const protobufSchema = {
  schemaType: 'PROTOBUF',
  schema: `syntax = "proto3"; package shop;
    message Order { int64 id = 1; repeated string notes = 2; message Line { string name = 1; } }
    message Refund { int64 id = 1; }`,
} as const;

test('what Confluent serializers write is decoded, by an id in the payload or a GUID in a header', {
  skip,
}, async () => {
  const { client, avro, json } = confluentClient(registryUrl);
  const made = await client.registerFullResponse('of-avro-value', avroSchema);
  const madeJson = await client.registerFullResponse('of-json-value', jsonSchema);
  const sent = await avro().serializer.serialize('of-avro', avroValue);
  const ofAvro = { type: 'AVRO', recordName: 'shop.Order', value: avroJson };
  assert.deepEqual(await shown(sent), { ref: made.id, ...ofAvro });
  const ofJson = { type: 'JSON', recordName: 'Order', value: { id: 7 } };
  assert.deepEqual(await shown(await json().serializer.serialize('of-json', { id: 7 })), {
    ref: madeJson.id,
    ...ofJson,
  });
  const headers = {};
  const bare = await avro('header').serializer.serialize('of-avro', avroValue, headers);
  assert.deepEqual(await shown(bare, headers), { ref: made.guid, ...ofAvro });
  const jsonHeaders = {};
  const bareJson = await json('header').serializer.serialize('of-json', { id: 7 }, jsonHeaders);
  assert.equal(bareJson.toString(), '{"id":7}');
  assert.deepEqual(await shown(bareJson, jsonHeaders), { ref: madeJson.guid, ...ofJson });
});

test('what is encoded by a schema is read by Confluent deserializers', { skip }, async () => {
  const { avro, json } = confluentClient(registryUrl);
  const byAvro = await encoder.open({ subject: 'to-avro-value', schema: avroSchema, mayRegister: true });
  const read = await avro().deserializer.deserialize('to-avro', (await byAvro.encode(avroJson))!);
  assert.deepEqual(JSON.parse(JSON.stringify(read)), avroValue);
  const byJson = await encoder.open({ subject: 'to-json-value', schema: jsonSchema, mayRegister: true });
  const value = await byJson.encodeText(' { "id" : 7 } ');
  assert.deepEqual(await json().deserializer.deserialize('to-json', value!), { id: 7 });
});

test('Protobuf is exchanged with Confluent serializers both ways, whatever message it is', {
  skip,
}, async () => {
  const { client, protobuf } = confluentClient(registryUrl);
  const made = await client.registerFullResponse('proto-value', protobufSchema);
  const answer = await fetch(`${registryUrl}/schemas/ids/${made.id}/schema?format=serialized`);
  const descriptor = Buffer.from(await answer.text(), 'base64');
  const { serializer, deserializer, message } = protobuf(descriptor);
  const inHeader = protobuf(descriptor, 'header');
  const rows: [name: string, fields: object, value: object][] = [
    ['shop.Order', { id: 7n, notes: ['a', 'b'] }, { id: '7', notes: ['a', 'b'] }],
    ['shop.Order.Line', { name: 'x' }, { name: 'x' }],
    ['shop.Refund', { id: 8n }, { id: '8' }],
  ];
  for (const [recordName, fields, value] of rows) {
    const decoded = { type: 'PROTOBUF', recordName, value };
    const sent = await serializer.serialize('proto', message(recordName, fields));
    assert.deepEqual(await shown(sent), { ref: made.id, ...decoded });
    const ofName = await encoder.open({ subject: 'proto-value' }, { recordName });
    assert.deepEqual(await ofName.encode(value), sent);
    const headers = {};
    const bare = await inHeader.serializer.serialize('proto', inHeader.message(recordName, fields), headers);
    assert.deepEqual(await shown(bare, headers), { ref: made.guid, ...decoded });
  }
  const ours = await (await encoder.open({ subject: 'proto-value' })).encode(rows[0]![2]);
  const { id, notes } = (await deserializer.deserialize('proto', ours!)) as { id: bigint; notes: string[] };
  assert.deepEqual({ id, notes }, rows[0]![1]);
});
