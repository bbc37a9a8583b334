import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../testing/property-runs.ts';
import { changedSchema, randomOf, randomSchema, schemaText } from '../../testing/protobuf-schemas.ts';
import { InvalidSchema } from '../schema-format.ts';
import { differencesOf } from './compare.ts';
import { protobufFormat } from './protobuf-format.ts';

const parse = (text: string) => protobufFormat.parse({ text, references: [] });

type Schema = ReturnType<typeof parse>;

/** Most random schemas are valid; the others name a type from where it cannot be seen. */
const parsed = (text: string): Schema | undefined => {
  try {
    return parse(text);
  } catch (error) {
    assert.ok(error instanceof InvalidSchema, String(error));
    return undefined;
  }
};

/** Also the differences that are compatible, in both directions. */
const sameSchema = (left: Schema, right: Schema) => {
  assert.deepEqual(differencesOf(left.loaded, right.loaded), []);
  assert.deepEqual(differencesOf(right.loaded, left.loaded), []);
};

const property = (check: (schema: Schema, update: Schema | undefined) => void) => {
  let valid = 0;
  const numRuns = runs(150);
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const random = randomOf(seed);
      const model = randomSchema(random, 'p', { share: 0 });
      const schema = parsed(schemaText(model));
      if (schema === undefined) return;
      valid += 1;
      check(schema, parsed(schemaText(changedSchema(model, random))));
    }),
    { numRuns },
  );
  assert.ok(valid > numRuns / 2, `${valid} of ${numRuns} schemas are valid`);
};

test('what is printed is parsed as the same schema, and printed the same again', () => {
  property((schema) => {
    const printed = parse(schema.canonicalText);
    assert.equal(printed.canonicalText, schema.canonicalText);
    sameSchema(printed, schema);
    const text = protobufFormat.normalizedText(schema);
    const normalized = parse(text);
    assert.equal(protobufFormat.normalizedText(normalized), text);
    assert.equal(protobufFormat.normalizedText(printed), text);
    // Normalised options are sorted, but canonical ones have `default` and `json_name` after the others.
    if (!/default =|json_name =/.test(text)) assert.equal(normalized.canonicalText, text);
    assert.equal(parse(normalized.canonicalText).canonicalText, normalized.canonicalText);
    sameSchema(parse(protobufFormat.formattedText(schema, 'serialized')), schema);
  });
});

test('changes have the same verdict after the schemas are printed', () => {
  let changed = 0;
  property((schema, update) => {
    if (update === undefined) return;
    const found = differencesOf(schema.loaded, update.loaded);
    const printed = differencesOf(parse(schema.canonicalText).loaded, parse(update.canonicalText).loaded);
    assert.deepEqual(printed, found);
    if (found.length > 0) changed += 1;
  });
  assert.ok(changed > 0);
});

test('a map of strings keeps its features in a descriptor', () => {
  const schema = parse(
    'edition = "2023"; message M { map<string, int32> m = 1 [features.utf8_validation = NONE]; }',
  );
  sameSchema(parse(protobufFormat.formattedText(schema, 'serialized')), schema);
});
