import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../testing/json-schemas.ts';
import { jsonSchemaFormat } from '../json-schema-format.ts';

const latest = { $schema: 'https://json-schema.org/draft/2020-12/schema' };
const string = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };

/**
 * Changes that Confluent's rules call compatible although the value fits the original and not the update. We follow
 * them: a registry that refused such changes would refuse schemas that users have registered elsewhere.
 */
const rows: [rule: string, original: Json, update: Json, value: Json][] = [
  ['a type is added to keywords of that type', { minLength: 1 }, { ...string, minLength: 1 }, 1],
  ['a name is required that is no property', { type: 'object' }, { type: 'object', required: ['a'] }, {}],
  [
    'a property with a default becomes required',
    { properties: { a: { ...string, default: '' } } },
    { properties: { a: { ...string, default: '' } }, required: ['a'] },
    {},
  ],
  [
    'a required property that may be anything is added',
    { type: 'object' },
    { type: 'object', properties: { a: {} }, required: ['a'] },
    {},
  ],
  [
    'patternProperties are not compared',
    { type: 'object' },
    { type: 'object', patternProperties: { '^a': string } },
    { a: 1 },
  ],
  [
    'only the first pattern of a removed property counts',
    { properties: { ab: integer }, additionalProperties: false },
    { patternProperties: { '^a': number, b$: string }, additionalProperties: false },
    { ab: 1 },
  ],
  [
    'an object with patterns counts as closed for names that match none',
    { type: 'object', patternProperties: { '^a': string } },
    { type: 'object', patternProperties: { '^a': string }, properties: { b: string } },
    { b: 1 },
  ],
  [
    'propertyNames is not compared',
    { type: 'object' },
    { type: 'object', propertyNames: { maxLength: 1 } },
    { ab: 1 },
  ],
  ['contains is not compared', { type: 'array' }, { type: 'array', contains: string }, []],
  [
    'minContains counts as absent where it was 0',
    { ...latest, contains: string, minContains: 0 },
    { ...latest, contains: string },
    [],
  ],
  ['conditions are not compared', conditional(string), conditional(number), 'a'],
  ['an alternative of oneOf overlaps', { oneOf: [integer] }, { oneOf: [integer, number] }, 1],
  ['a schema becomes one of oneOf that overlap', integer, { oneOf: [integer, number] }, 1],
  [
    'additionalItems without items closes an array',
    { type: 'array', additionalItems: false },
    { type: 'array', items: [string], additionalItems: false },
    [1],
  ],
  [
    'a property becomes unevaluated',
    { ...latest, allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    { ...latest, allOf: [{ properties: {} }], unevaluatedProperties: false },
    { a: 1 },
  ],
  [
    'types of bytes of Kafka Connect are equal',
    { ...string, 'connect.type': 'bytes' },
    { ...number, 'connect.type': 'bytes' },
    'a',
  ],
];

function conditional(schema: Json): Json {
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  return { if: {}, then: schema };
}

for (const [rule, original, update, value] of rows) {
  test(`called compatible, although it is not: ${rule}`, () => {
    const [from, to] = [original, update].map((schema) =>
      jsonSchemaFormat.parse({ text: JSON.stringify(schema), references: [] }),
    );
    const options = { reader: 'new', policy: 'STRICT' } as const;
    assert.deepEqual(jsonSchemaFormat.incompatibilities(to!, from!, options), []);
    const payload = Buffer.from(JSON.stringify(value));
    assert.equal(jsonSchemaFormat.codec(from!).problemOf(payload), undefined);
    assert.notEqual(jsonSchemaFormat.codec(to!).problemOf(payload), undefined);
  });
}
