import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { startLocal } from '../brokers/weir-process.ts';
import { testScenarios } from '../compatibility/scenario-program.ts';
import { buildGo } from '../go/programs.ts';
import { pythonWith } from '../python/venv.ts';
import { confluentClient, kafkajsRegistry, missingRegistryClients } from './javascript-clients.ts';

/** One cluster for all clients; each uses subjects and topics of its own. */
const local = await startLocal({ after });
const broker = local.address('Kafka');
const registryUrl = local.address('registry');
/** Programs get both addresses where others get that of a broker. */
const addresses = `${broker} ${registryUrl}`;

const common = [
  'register, look up, evolve',
  'incompatible schemas are refused',
  'soft and permanent deletion',
  'references',
  'modes',
  'write and read JSON Schema',
];

const go = buildGo('franz-go-sr');
testScenarios('franz-go pkg/sr', [...common, 'contexts'], go.missing, async () => ({
  program: { command: go.program, args: [] },
  broker: addresses,
}));

const python = pythonWith('confluent-kafka-serdes');
testScenarios(
  'confluent-kafka serializers',
  [...common, 'write and read Avro', 'write and read Protobuf'],
  python.missing,
  async () => ({
    program: {
      command: python.python!,
      args: ['-B', join(import.meta.dirname, '../python/schema_registry_scenarios.py')],
    },
    broker: addresses,
  }),
);

const skip = missingRegistryClients();
const record = (name: string, ...fields: object[]) => ({
  schemaType: 'AVRO',
  schema: JSON.stringify({ type: 'record', name, namespace: 'shop', fields }),
});
const id = { name: 'id', type: 'long' };
const note = { name: 'note', type: 'string' };

/** Writes a value to a topic and returns what a consumer reads. */
async function throughKafka(topic: string, value: Buffer): Promise<Buffer> {
  const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ value }] });
  await producer.disconnect();
  const consumer = kafka.consumer({ groupId: topic });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    const read = Promise.withResolvers<Buffer>();
    await consumer.run({ eachMessage: async ({ message }) => read.resolve(message.value!) });
    return await read.promise;
  } finally {
    await consumer.disconnect();
  }
}

test('@confluentinc/schemaregistry: register, look up, evolve, delete', { skip }, async () => {
  const { client } = confluentClient(registryUrl);
  const first = await client.registerFullResponse('js-orders', record('Order', id));
  assert.equal(await client.getId('js-orders', record('Order', id)), first.id);
  const better = record('Order', id, { ...note, default: '' });
  assert.equal(await client.testCompatibility('js-orders', 1, better), true);
  await client.register('js-orders', better);
  assert.deepEqual(await client.getAllVersions('js-orders'), [1, 2]);
  const latest = await client.getLatestSchemaMetadata('js-orders');
  assert.equal(latest.version, 2);
  assert.equal((await client.getByGuid(latest.guid)).schema, latest.schema);
  assert.equal((await client.getBySubjectAndId('js-orders', latest.id)).schema, latest.schema);
  const worse = record('Order', id, note, { name: 'more', type: 'int' });
  assert.equal(await client.testCompatibility('js-orders', 2, worse), false);
  await assert.rejects(client.register('js-orders', worse), { status: 409, errorCode: 40901 });
  assert.equal(await client.updateCompatibility('js-orders', 'NONE'), 'NONE');
  assert.equal(await client.getCompatibility('js-orders'), 'NONE');
  await client.register('js-orders', worse);
  assert.equal(await client.deleteSubjectVersion('js-orders', 3), 3);
  assert.deepEqual(await client.deleteSubject('js-orders'), [1, 2]);
  client.clearCaches();
  await assert.rejects(client.getLatestSchemaMetadata('js-orders'), { status: 404, errorCode: 40401 });
});

test('@confluentinc/schemaregistry: references', { skip }, async () => {
  const { client } = confluentClient(registryUrl);
  await client.register('js-address', record('Address', note));
  const references = [{ name: 'shop.Address', subject: 'js-address', version: 1 }];
  await client.register('js-person', {
    ...record('Person', { name: 'home', type: 'shop.Address' }),
    references,
  });
  assert.deepEqual((await client.getLatestSchemaMetadata('js-person')).references, references);
  await assert.rejects(client.deleteSubject('js-address'), { status: 422, errorCode: 42206 });
});

test('@confluentinc/schemaregistry: associations', { skip }, async () => {
  const { client } = confluentClient(registryUrl);
  await client.register('js-associated', record('Order', id));
  const find = async () =>
    (await client.getAssociationsByResourceName('js-topic', '-', 'topic', ['value'], null, 0, -1)).map(
      ({ subject, resourceId }) => `${resourceId} ${subject}`,
    );
  assert.deepEqual(await find(), []);
  await client.createAssociation({
    resourceName: 'js-topic',
    resourceNamespace: 'lkc-1',
    resourceId: 'js-topic-id',
    resourceType: 'topic',
    associations: [{ subject: 'js-associated', associationType: 'value', lifecycle: 'WEAK' }],
  });
  assert.deepEqual(await find(), ['js-topic-id js-associated']);
  await assert.rejects(client.deleteSubject('js-associated'), { status: 409, errorCode: 40904 });
  await client.deleteAssociations('js-topic-id', 'topic', null, false);
  assert.deepEqual(await find(), []);
});

test('@confluentinc/schemaregistry: write and read Avro and JSON Schema', { skip }, async () => {
  const { client, avro, json } = confluentClient(registryUrl);
  await client.register('js-avro-value', record('Sent', id, note));
  const value = { id: 7, note: 'seven' };
  const ofAvro = avro();
  const sent = await ofAvro.serializer.serialize('js-avro', value);
  const read = await ofAvro.deserializer.deserialize('js-avro', await throughKafka('js-avro', sent));
  assert.deepEqual({ ...(read as object) }, value);
  const schema = JSON.stringify({ type: 'object', properties: { id: { type: 'integer' } } });
  await client.register('js-json-value', { schemaType: 'JSON', schema });
  const ofJson = json();
  const payload = await ofJson.serializer.serialize('js-json', { id: 7 });
  assert.deepEqual(await ofJson.deserializer.deserialize('js-json', await throughKafka('js-json', payload)), {
    id: 7,
  });
});

test('@kafkajs/confluent-schema-registry: register, evolve, write and read', { skip }, async () => {
  const registry = kafkajsRegistry(registryUrl);
  const avro = { type: 'AVRO', schema: record('Order', id).schema };
  const { id: schemaId } = await registry.register(avro, { subject: 'kafkajs-orders-value' });
  assert.equal(await registry.getLatestSchemaId('kafkajs-orders-value'), schemaId);
  assert.equal(await registry.getRegistryIdBySchema('kafkajs-orders-value', avro), schemaId);
  const payload = await registry.encode(schemaId, { id: 7 });
  const read = await registry.decode(await throughKafka('kafkajs-orders', payload));
  assert.equal(Number((read as { id: number }).id), 7);
  const worse = { type: 'AVRO', schema: record('Order', id, note).schema };
  await assert.rejects(registry.register(worse, { subject: 'kafkajs-orders-value' }), /incompatible/i);
  const proto = {
    type: 'PROTOBUF',
    schema: 'syntax = "proto3";\npackage shop;\nmessage Sent { int64 id = 1; }\n',
  };
  const made = await registry.register(proto, { subject: 'kafkajs-proto-value' });
  const bytes = await registry.encode(made.id, { id: 7 });
  assert.equal(Number(((await registry.decode(bytes)) as { id: unknown }).id), 7);
});
