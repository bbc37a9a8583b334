import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isValidForAjv } from '../../testing/ajv-judge.ts';
import { dialects, type Json } from '../../testing/json-schemas.ts';
import { InvalidSchema } from '../schema-format.ts';
import { jsonSchemaFormat } from './json-schema-format.ts';

const keywords = [
  'title',
  'description',
  '$comment',
  'definitions',
  '$defs',
  'readOnly',
  'examples',
  'contentMediaType',
  'contentEncoding',
  'type',
  'enum',
  'const',
  'multipleOf',
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
  'required',
  'dependentRequired',
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'unevaluatedProperties',
  'dependencies',
  'dependentSchemas',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'unknown',
];

const values: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1,
  2,
  1.5,
  'a',
  'string',
  [],
  ['a'],
  ['a', 'a'],
  ['string', 'null'],
  ['string', 'string'],
  [1],
  [1, 1],
  [{}],
  [true],
  [{}, { type: 'nothing' }],
  {},
  { a: {} },
  { a: true },
  { a: 1 },
  { a: [] },
  { a: ['b'] },
  { a: ['b', 'b'] },
  { a: [1] },
  { a: { minLength: -1 } },
  { type: 'nothing' },
  { minimum: '1' },
];

/** Lists that every draft may leave empty here, whatever its meta-schema says. */
const emptyLists = new Set([
  ...['type', 'enum', 'required', 'allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => `${keyword} []`),
  'dependencies {"a":[]}',
]);
const mayBeEmpty = (draft: string, keyword: string, value: Json) =>
  emptyLists.has(`${keyword} ${JSON.stringify(value)}`) ||
  (keyword === 'items' && draft !== '2020-12' && JSON.stringify(value) === '[]');

for (const [draft, { uri }] of Object.entries(dialects)) {
  test(`a keyword has a value that ${draft} allows exactly if its meta-schema says so`, () => {
    for (const keyword of keywords) {
      for (const value of values) {
        // In draft 4, a bound is exclusive only next to a bound.
        const bounds = keyword.startsWith('exclusive') ? { maximum: 1, minimum: 1 } : {};
        // Empty lists are taken in every draft.
        if (mayBeEmpty(draft, keyword, value)) {
          jsonSchemaFormat.parse({
            text: JSON.stringify({ $schema: uri, [keyword]: value }),
            references: [],
          });
          continue;
        }
        // The meta-schema that Ajv ships demands more of this keyword than the one that was published.
        if (draft === 'draft-07' && keyword === 'enum') continue;
        const schema = { $schema: uri, ...bounds, [keyword]: value };
        const isValid = isValidForAjv(draft as keyof typeof dialects, schema);
        const text = JSON.stringify(schema);
        const parse = () => jsonSchemaFormat.parse({ text, references: [] });
        if (isValid) assert.doesNotThrow(parse, text);
        else assert.throws(parse, InvalidSchema, text);
      }
    }
  });
}
