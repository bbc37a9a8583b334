import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registryLimits } from '../limits.ts';
import { InvalidSchema } from '../schema-format.ts';
import { jsonSchemaFormat } from './json-schema-format.ts';

function parse(schema: unknown) {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  return jsonSchemaFormat.parse({ text, references: [] });
}

function incompatibilities(reader: unknown, writer: unknown) {
  return jsonSchemaFormat
    .incompatibilities(parse(reader), parse(writer), { reader: 'new', policy: 'STRICT' })
    .map(({ type }) => type);
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

test('a schema that is too deep, too long or too rich is refused', () => {
  const rows = [
    '['.repeat(100_000),
    '{"not":'.repeat(100_000),
    `{"allOf":${'[{"allOf":'.repeat(100_000)}`,
    `{"properties":{${range(60_000)
      .map((index) => `"${index}":{}`)
      .join()}}}`,
    `{"title":"${'x'.repeat(registryLimits.jsonSchemaCharsMax)}"}`,
    `{"maximum":1${'0'.repeat(2000)}}`,
    '{"maximum":1e9999999999}',
  ];
  for (const text of rows) assert.throws(() => parse(text), InvalidSchema, text.slice(0, 40));
});

test('a schema with very many properties is compared', () => {
  const properties = (type: string) => ({
    properties: Object.fromEntries(range(10_000).map((index) => [`p${index}`, { type }])),
    additionalProperties: false,
  });
  assert.deepEqual(incompatibilities(properties('string'), properties('string')), []);
  assert.equal(
    incompatibilities(properties('string'), properties('number')).length,
    registryLimits.jsonDifferencesMax,
  );
});

test('references that unfold exponentially are compared once each', () => {
  const laughs = (type: string) => ({
    $ref: '#/definitions/a0',
    definitions: {
      ...Object.fromEntries(
        range(60).map((index) => [
          `a${index}`,
          {
            type: 'object',
            properties: {
              left: { $ref: `#/definitions/a${index + 1}` },
              right: { $ref: `#/definitions/a${index + 1}` },
            },
          },
        ]),
      ),
      a60: { type },
    },
  });
  assert.deepEqual(incompatibilities(laughs('string'), laughs('string')), []);
  const found = incompatibilities(laughs('string'), laughs('number'));
  assert.equal(found.length, registryLimits.jsonDifferencesMax);
  assert.deepEqual(new Set(found), new Set(['TYPE_CHANGED']));
});

test('a chain of references is compared whatever its length', () => {
  const count = 4_000;
  const chain = (type: string) => ({
    $ref: '#/definitions/a0',
    definitions: Object.fromEntries(
      range(count + 1).map((index) => [
        `a${index}`,
        index === count ? { type } : { properties: { x: { $ref: `#/definitions/a${index + 1}` } } },
      ]),
    ),
  });
  assert.deepEqual(incompatibilities(chain('integer'), chain('integer')), []);
  assert.deepEqual(incompatibilities(chain('integer'), chain('number')), ['TYPE_NARROWED']);
});

test('combinations are matched up to a limit, which is told', () => {
  const alternatives = (count: number, from: number) => ({
    anyOf: range(count).map((index) => ({ type: 'string', minLength: from + index })),
  });
  assert.deepEqual(incompatibilities(alternatives(200, 0), alternatives(200, 0)), []);
  assert.deepEqual(incompatibilities(alternatives(200, 1), alternatives(200, 0)), [
    'COMBINED_TYPE_SUBSCHEMAS_CHANGED',
  ]);
  assert.deepEqual(incompatibilities(alternatives(1000, 0), alternatives(1000, 1)), ['COMPARISON_TOO_LARGE']);
  const product = { allOf: range(1000).map((index) => ({ title: `t${index}` })) };
  assert.deepEqual(incompatibilities(product, product), ['COMPARISON_TOO_LARGE']);
});

test('keys of prototypes are ordinary keys', () => {
  const text = (type: string) =>
    `{"properties":{"__proto__":{"type":"${type}"},"toString":{"type":"string"}}}`;
  assert.deepEqual(incompatibilities(text('number'), text('string')), ['TYPE_CHANGED']);
  assert.deepEqual(incompatibilities('{"__proto__":{"type":"string"}}', '{}'), []);
});

test('patterns that would run for ever are searched in linear time', () => {
  const writer = { patternProperties: { '^(a+)+$': { type: 'string' } }, additionalProperties: false };
  const reader = { ...writer, properties: { [`${'a'.repeat(5000)}b`]: { type: 'string' } } };
  assert.deepEqual(incompatibilities(reader, writer), []);
});
