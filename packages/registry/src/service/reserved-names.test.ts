import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fieldListFormats, fieldListService } from '../../testing/index.ts';
import { avroFormat } from '../avro/avro-format.ts';
import { jsonSchemaFormat } from '../json-schema/json-schema-format.ts';
import { protobufFormat } from '../protobuf/protobuf-format.ts';
import { type SchemaFormat, type SchemaType, schemaTypes } from '../schema-format.ts';
import { SchemaWork } from '../schema-work/schema-work.ts';

const formats = {
  ...fieldListFormats,
  AVRO: avroFormat as SchemaFormat,
  JSON: jsonSchemaFormat as SchemaFormat,
  PROTOBUF: protobufFormat as SchemaFormat,
};

/** A schema with optional fields at its top. */
const texts: Readonly<Record<SchemaType, (fields: readonly string[]) => string>> = {
  AVRO: (fields) =>
    JSON.stringify({
      type: 'record',
      name: 'R',
      fields: fields.map((name) => ({ name, type: 'string', default: '' })),
    }),
  JSON: (fields) =>
    JSON.stringify({
      type: 'object',
      properties: Object.fromEntries(fields.map((name) => [name, {}])),
      additionalProperties: true,
    }),
  PROTOBUF: (fields) =>
    `syntax = "proto3"; message R { ${fields.map((name, index) => `string ${name} = ${index + 1};`).join(' ')} }`,
};

const removed = (name: string) =>
  `The new schema has reserved field ${name} removed from its metadata which is present in the old schema's metadata.`;
const used = (name: string) => `The new schema has field that conflicts with the reserved field ${name}.`;

// level, validateFields, fields, reserved, messages
const cases: [level: string, validates: boolean, fields: string[], reserved: string, messages: string[]][] = [
  ['BACKWARD', false, ['a', 'b'], 'c', []],
  ['BACKWARD', true, ['a'], 'c, b', []],
  ['BACKWARD', true, ['a'], ' b,,', [removed('c')]],
  ['BACKWARD', true, ['a', 'b'], 'b,c', [used('b')]],
  ['BACKWARD', true, ['a', 'c'], 'c', [removed('b'), used('c')]],
  ['FORWARD', true, ['a'], 'b', [removed('c')]],
  ['FORWARD', true, ['a'], 'b, c, d', []],
  ['FULL', true, ['a'], 'b', [removed('c')]],
  ['NONE', true, ['a', 'b'], 'b, c', [used('b')]],
  ['NONE', false, ['a', 'b'], 'b, c', []],
];

for (const schemaType of schemaTypes) {
  it(`names that metadata reserves are checked where the config says so: ${schemaType}`, async () => {
    const service = fieldListService({ formats, work: new SchemaWork({ formats }) });
    const body = (fields: string[], reserved: string) => ({
      schema: texts[schemaType](fields),
      schemaType,
      metadata: { properties: { 'confluent:reserved': reserved } },
    });
    await service.register('s', body(['a'], 'b, c'));
    for (const [compatibility, validateFields, fields, reserved, expected] of cases) {
      await service.putConfig('s', { compatibility, validateFields });
      const title = `${compatibility} ${validateFields} ${fields} ${reserved}`;
      const checked = body(fields, reserved);
      const { messages = [] } = await service.checkCompatibility('s', 'latest', checked, { verbose: true });
      const trailer = `{validateFields: '${validateFields}', compatibility: '${compatibility}'}`;
      assert.deepEqual(messages, expected.length === 0 ? [] : [...expected, trailer], title);
    }
    await service.putConfig('first', { validateFields: true });
    await assert.rejects(service.register('first', body(['a'], 'a')), { code: 40901 }, 'a first version');
    await service.register('first', body(['a'], 'b'));
  });
}
