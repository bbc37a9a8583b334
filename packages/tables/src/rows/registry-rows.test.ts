import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RegistryUnavailable } from '@weir/registry/client';
import { avroFormat, protobufFormat } from '@weir/registry/formats';
import { recordOf, tableOf } from '../../testing/records.ts';
import { SchemaRefused } from '../definition/index.ts';
import type { RowDeps, TableRegistry } from '../table-definition.ts';

interface KnownSchema {
  readonly schemaType: 'AVRO' | 'PROTOBUF' | 'JSON';
  readonly schema: string;
}

/** A registry whose schemas have the ids from 1, of which the last is the newest of the subject. */
class FakeRegistry implements TableRegistry {
  readonly place = 'http://registry';
  readonly schemas: KnownSchema[];
  readonly subjects: string[] = [];
  readonly asked: number[] = [];
  isAway = false;

  constructor(...schemas: KnownSchema[]) {
    this.schemas = schemas;
  }

  async schemaById(id: number) {
    this.asked.push(id);
    if (this.isAway) throw new RegistryUnavailable('http://registry: no answer');
    const found = this.schemas[id - 1];
    return found && { ...found, references: [] };
  }

  async schemaByGuid() {
    return undefined;
  }

  async schemaOfVersion(subject: string) {
    this.subjects.push(subject);
    if (this.isAway) throw new RegistryUnavailable('http://registry: no answer');
    const found = this.schemas.at(-1);
    return found && { ...found, references: [] };
  }

  get deps(): RowDeps {
    return { openRegistry: () => this };
  }
}

const avro = (...fields: readonly object[]): KnownSchema => ({
  schemaType: 'AVRO',
  schema: JSON.stringify({ type: 'record', name: 'R', fields }),
});
const id = { name: 'id', type: 'long' };
const name = { name: 'name', type: ['null', 'string'], default: null };
const price = {
  name: 'price',
  type: ['null', { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 }],
};

const frame = (schemaId: number, payload: Uint8Array) =>
  Buffer.concat([Buffer.from([0, 0, 0, 0, schemaId]), payload]);
const encoded = ({ schema: text }: KnownSchema, value: unknown) =>
  avroFormat.codec(avroFormat.parse({ text, references: [] })).encode(value);

const registered = (format: string, more: object = {}) => ({
  source_format: format,
  schema_mode: 'registry',
  schema_registry_url: 'http://registry',
  ...more,
});

test('columns are those of the newest schema, and records of older ones are read by theirs', async () => {
  const [old, newest] = [avro(id, name), avro(id, price, name)];
  const registry = new FakeRegistry(old, newest);
  const definition = await tableOf(registered('avro'), registry.deps);
  assert.deepEqual(registry.subjects, ['orders-value']);
  assert.deepEqual(
    definition.columns.columns.slice(0, 3).map((column) => `${column.name} ${column.isRequired}`),
    ['id true', 'price false', 'name false'],
  );
  const rows = definition.openRows(registry.deps);
  const [value, other] = [
    { id: 1, name: { string: 'a' } },
    { id: 2, price: { bytes: '\u0001\u0000' }, name: null },
  ];
  const { columns, failures } = await rows.read([
    recordOf(frame(1, encoded(old, value))),
    recordOf(frame(2, encoded(newest, other))),
    recordOf(frame(1, encoded(old, value))),
  ]);
  assert.deepEqual(failures, []);
  assert.deepEqual(columns.slice(0, 3), [
    [1n, 2n, 1n],
    [null, 256n, null],
    ['a', null, 'a'],
  ]);
  await rows.read([recordOf(frame(2, encoded(newest, other)))]);
  assert.deepEqual(registry.asked, [1, 2]);
});

test('what a record may name', async () => {
  const schema = avro(id);
  const registry = new FakeRegistry(
    schema,
    { schemaType: 'JSON', schema: '{}' },
    { schemaType: 'AVRO', schema: '{' },
    schema,
  );
  const rows = (await tableOf(registered('avro'), registry.deps)).openRows(registry.deps);
  const payload = encoded(schema, { id: 5 });
  const inHeader = [['__value_schema_id', Buffer.from([0, 0, 0, 0, 1])]] as const;
  const { columns, failures } = await rows.read([
    recordOf(frame(9, payload)),
    recordOf(frame(2, payload)),
    recordOf(frame(3, payload)),
    recordOf('{}'),
    recordOf(null),
    recordOf(payload, { headers: inHeader }),
  ]);
  assert.deepEqual(columns[0], [5n]);
  assert.deepEqual(
    failures.map(({ at, step, message }) => `${at} ${step}: ${message}`),
    [
      '0 decode: schema 9 is not in the registry',
      '1 decode: schema 2 is JSON, and the table reads AVRO',
      '2 decode: schema 3: the schema is not valid JSON: expected a key in quotes',
      '3 decode: the value names no schema; it has to begin with a magic byte and the id of a schema',
    ],
  );
  // One that was missing may be there by now; one that cannot be used stays so.
  registry.asked.length = 0;
  await rows.read([recordOf(frame(9, payload)), recordOf(frame(3, payload))]);
  assert.deepEqual(registry.asked, [9]);
});

test('a registry that does not answer fails the call and no record', async () => {
  const schema = avro(id);
  const registry = new FakeRegistry(schema);
  const rows = (await tableOf(registered('avro'), registry.deps)).openRows(registry.deps);
  registry.isAway = true;
  const record = recordOf(frame(1, encoded(schema, { id: 5 })));
  await assert.rejects(rows.read([record]), RegistryUnavailable);
  await assert.rejects(tableOf(registered('avro'), registry.deps), RegistryUnavailable);
  registry.isAway = false;
  assert.deepEqual((await rows.read([record])).columns[0], [5n]);
});

test('messages of Protobuf by their indexes, also of a type that the table does not have', async () => {
  const text =
    'syntax = "proto3"; message A { string id = 1; } message B { int32 x = 1; uint32 id = 2; string y = 3; }';
  const registry = new FakeRegistry({ schemaType: 'PROTOBUF', schema: text });
  const codec = protobufFormat.codec(protobufFormat.parse({ text, references: [] }));
  const definition = await tableOf(registered('protobuf', { message_name: 'B' }), registry.deps);
  const { columns, failures } = await definition
    .openRows(registry.deps)
    .read([
      recordOf(frame(1, codec.encode({ x: 1, id: 4294967295, y: 'z' }, 'B'))),
      recordOf(frame(1, codec.encode({ id: '7' }, 'A'))),
      recordOf(frame(1, codec.encode({ id: 'x' }, 'A'))),
      recordOf(frame(1, Buffer.from([2, 18]))),
    ]);
  assert.deepEqual(columns.slice(0, 3), [
    [1, null],
    [4294967295n, 7n],
    ['z', null],
  ]);
  assert.deepEqual(
    failures.map(({ at, message }) => `${at} ${message}`),
    ['2 id: "x" is no decimal(10, 0)', '3 the schema has no message with index [9]'],
  );
});

test('JSON behind the id of its schema, with columns of the schema', async () => {
  const schema = { properties: { id: { type: 'integer' } } };
  const registry = new FakeRegistry({ schemaType: 'JSON', schema: JSON.stringify(schema) });
  const definition = await tableOf(registered('json', { schema_registry_subject: 'other' }), registry.deps);
  const { columns } = await definition
    .openRows(registry.deps)
    .read([recordOf(frame(1, Buffer.from('{"id":3}')))]);
  assert.deepEqual([columns[0], registry.subjects], [[3n], ['other']]);
});

test('columns that are listed need no schema before the first record', async () => {
  const schema = avro(id, name, { name: 'self', type: ['null', 'R'] });
  const registry = new FakeRegistry(schema);
  const fields = [
    { name: 'name', type: 'string' },
    { name: 'id', type: 'string' },
  ];
  const more = {
    schema: { fields },
    transforms: [{ transform_type: 'bento', transform: 'root.id = this.id.string()' }],
  };
  const definition = await tableOf(registered('avro', more), registry.deps);
  assert.deepEqual(registry.subjects, []);
  const value = { id: 1, name: { string: 'a' }, self: { R: { id: 2, name: null, self: null } } };
  const { columns, failures } = await definition
    .openRows(registry.deps)
    .read([recordOf(frame(1, encoded(schema, value)))]);
  assert.deepEqual([failures, columns.slice(0, 2)], [[], [['a'], ['1']]]);
});

// biome-ignore format: a table
const refused: readonly [what: string, schemas: readonly KnownSchema[], more: object, message: RegExp][] = [
  ['no subject',            [],                                        {}, /^the registry has no subject orders-value; register a schema, or list the columns$/],
  ['another format',        [{ schemaType: 'JSON', schema: '{}' }],    {}, /^the schema of orders-value is JSON, and source_format is avro$/],
  ['a union',               [avro({ name: 'a', type: ['int', 'string'] })], {}, /^the schema of orders-value: a: is a union of 2 types/],
  ['a column of all tables', [avro({ name: 'kafka_offset', type: 'long' })], {}, /^the schema of orders-value: kafka_offset: is a column that every table has/],
  ['another partitioning',  [avro(id)],                                { partition_by: ['day(id)'] }, /^partition_by: cannot be made of id, which is a long$/],
];
for (const [what, schemas, more, message] of refused)
  test(`${what}: the definition is refused`, async () => {
    const registry = new FakeRegistry(...schemas);
    await assert.rejects(
      tableOf(registered('avro', more), registry.deps),
      (error) => error instanceof SchemaRefused && message.test(error.message),
    );
  });
