import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fieldListFormats, fieldListService } from '../../testing/index.ts';
import { jsonSchemaFormat } from '../json-schema/json-schema-format.ts';
import { SchemaWork } from '../schema-work/schema-work.ts';

const object = (...properties: string[]) =>
  JSON.stringify({
    type: 'object',
    properties: Object.fromEntries(properties.map((name) => [name, {}])),
    additionalProperties: true,
  });
const body = (schema: string, reserved: string) => ({
  schema,
  schemaType: 'JSON',
  metadata: { properties: { 'confluent:reserved': reserved } },
});

it('names that metadata reserves are checked where the config says so, once for both directions', async () => {
  const formats = { ...fieldListFormats, JSON: jsonSchemaFormat };
  const service = fieldListService({ formats, work: new SchemaWork({ formats }) });
  await service.register('s', body(object('a'), 'b, c'));
  const typesOf = async (schema: string, reserved: string) => {
    const { messages = [] } = await service.checkCompatibility('s', 'latest', body(schema, reserved), {
      verbose: true,
    });
    return messages.flatMap((message) => /errorType:"(\w+)"/.exec(message)?.[1] ?? []);
  };
  // level, validateFields, properties, reserved, types of differences
  const cases: [
    level: string,
    validates: boolean,
    properties: string[],
    reserved: string,
    types: string[],
  ][] = [
    ['BACKWARD', false, ['a', 'b'], 'c', []],
    ['BACKWARD', true, ['a'], 'c, b', []],
    ['BACKWARD', true, ['a'], 'b', ['RESERVED_PROPERTY_REMOVED']],
    ['BACKWARD', true, ['a', 'b'], 'b,c', ['RESERVED_PROPERTY_CONFLICTS_WITH_PROPERTY']],
    ['FORWARD', true, ['a'], 'b', ['RESERVED_PROPERTY_REMOVED']],
    ['FORWARD', true, ['a'], 'b, c, d', []],
    ['FULL', true, ['a'], 'b', ['RESERVED_PROPERTY_REMOVED']],
    ['NONE', true, ['a', 'b'], 'b', []],
  ];
  for (const [compatibility, validateFields, properties, reserved, types] of cases) {
    await service.putConfig('s', { compatibility, validateFields });
    const title = `${compatibility} ${validateFields} ${properties} ${reserved}`;
    assert.deepEqual(await typesOf(object(...properties), reserved), types, title);
  }
});
