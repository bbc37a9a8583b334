import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ajvCheck } from '../../../testing/ajv-judge.ts';
import { dialects, type Json } from '../../../testing/json-schemas.ts';
import { keywordChanges } from '../../../testing/keyword-changes.ts';
import { nearbyValues } from '../../../testing/nearby-values.ts';
import { runs } from '../../../testing/property-runs.ts';
import { type JsonSchema, jsonSchemaFormat } from '../json-schema-format.ts';

/** Enough that each two schemas of the table that differ in values have one by which they do. */
const valuesPerTable = 1500;

const options = { reader: 'new', policy: 'STRICT' } as const;

function parsed(draft: keyof typeof dialects, schema: Json): JsonSchema {
  return jsonSchemaFormat.parse({ text: JSON.stringify(withUri(draft, schema)), references: [] });
}

function withUri(draft: keyof typeof dialects, schema: Json): Json {
  return typeof schema === 'object' ? { $schema: dialects[draft].uri, ...schema } : schema;
}

function isCompatible(reader: JsonSchema, writer: JsonSchema): boolean {
  return jsonSchemaFormat.incompatibilities(reader, writer, options).length === 0;
}

for (const { name, draft, schemas, unsound, stricter } of keywordChanges) {
  test(`a change is compatible exactly if values remain valid, says Ajv: ${name}`, () => {
    const values = nearbyValues(schemas, 1, valuesPerTable);
    const rows = schemas.map((schema) => {
      const isValid = ajvCheck(draft, withUri(draft, schema));
      return { schema, parsed: parsed(draft, schema), fits: values.map(isValid) };
    });
    const found: { unsound: string[]; stricter: string[] } = { unsound: [], stricter: [] };
    for (const original of rows) {
      for (const update of rows) {
        const lost = original.fits.findIndex((fits, index) => fits && !update.fits[index]);
        const compatible = isCompatible(update.parsed, original.parsed);
        if (compatible === (lost === -1)) continue;
        const change = `${JSON.stringify(original.schema)} -> ${JSON.stringify(update.schema)}`;
        if (compatible) found.unsound.push(`${change}: ${JSON.stringify(values[lost])}`);
        else found.stricter.push(change);
      }
    }
    assert.equal(found.unsound.length, unsound?.count ?? 0, found.unsound.join('\n'));
    assert.equal(found.stricter.length, stricter?.count ?? 0, found.stricter.join('\n'));
  });
}

/** Places of a schema where a change matters as much as at the root; `const` keeps the alternatives apart. */
const places: readonly (readonly [name: string, place: (schema: Json) => Json])[] = [
  ['a property', (schema) => ({ type: 'object', properties: { p: schema }, additionalProperties: false })],
  [
    'a property of an open object',
    (schema) => ({ type: 'object', properties: { p: schema, q: { type: 'null' } }, required: ['q'] }),
  ],
  ['items', (schema) => ({ type: 'array', items: schema })],
  ['an alternative', (schema) => ({ anyOf: [{ enum: ['other'] }, schema] })],
  ['a part', (schema) => ({ allOf: [schema, { enum: ['other'] }] })],
  ['one of several', (schema) => ({ oneOf: [schema, { enum: ['other'] }] })],
  ['a definition', (schema) => ({ $ref: '#/definitions/d', definitions: { d: schema } })],
  [
    'a recursive schema',
    (schema) => ({
      type: 'object',
      properties: { p: schema, q: { $ref: '#' } },
      additionalProperties: false,
    }),
  ],
  ['other properties', (schema) => ({ type: 'object', properties: { q: {} }, additionalProperties: schema })],
];

/** In 2020-12 they have other names. */
const earlierPlaces: typeof places = [
  ['a first item', (schema) => ({ type: 'array', items: [{}, schema], additionalItems: false })],
  ['other items', (schema) => ({ type: 'array', items: [{}], additionalItems: schema })],
  ['a dependency', (schema) => ({ type: 'object', dependencies: { q: { properties: { p: schema } } } })],
];

test('a change inside of a schema is what it is outside, and the reverse inside of not', () => {
  let at = 0;
  for (const { draft, schemas } of keywordChanges) {
    const known = [...places, ...(draft === '2020-12' ? [] : earlierPlaces)];
    // Where a schema is optional, `true` is no other spelling of `{}`; and references lead somewhere else from inside.
    const objects = schemas.filter((schema) => typeof schema === 'object' && !('$ref' in schema!));
    for (const original of objects) {
      for (const update of objects) {
        const expected = isCompatible(parsed(draft, update), parsed(draft, original));
        // Each pair at one place in turn; all places when properties are run at length.
        for (let left = Math.min(runs(1), known.length); left > 0; left--, at++) {
          const [name, place] = known[at % known.length]!;
          const actual = isCompatible(parsed(draft, place(update)), parsed(draft, place(original)));
          assert.equal(actual, expected, `${name}: ${JSON.stringify([original, update])}`);
        }
        const negated = [update, original].map((schema) => parsed(draft, { not: schema }));
        assert.equal(isCompatible(negated[1]!, negated[0]!), expected, JSON.stringify([original, update]));
      }
    }
  }
});
