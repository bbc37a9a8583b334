import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dialects, jsonSchemas } from '../../testing/json-schemas.ts';
import { runs } from '../../testing/property-runs.ts';
import { jsonSchemaFormat } from './json-schema-format.ts';

const parse = (text: string) => jsonSchemaFormat.parse({ text, references: [] });

for (const [draft, dialect] of Object.entries(dialects)) {
  test(`what is printed is parsed as the same schema of ${draft}, and printed the same again`, () => {
    fc.assert(
      fc.property(jsonSchemas(dialect), (generated) => {
        const schema =
          typeof generated === 'object' ? { $schema: dialect.uri, title: 'é"\n/', ...generated } : generated;
        const text = JSON.stringify(schema);
        const parsed = parse(text);
        const normalized = jsonSchemaFormat.normalizedText(parsed);
        assert.equal(parse(parsed.canonicalText).canonicalText, parsed.canonicalText);
        assert.equal(parse(normalized).canonicalText, normalized);
        assert.equal(jsonSchemaFormat.normalizedText(parse(normalized)), normalized);
        for (const printed of [parsed.canonicalText, normalized])
          assert.deepEqual(JSON.parse(printed), JSON.parse(text));
        // The order of keys is kept, and another spelling is the same text.
        assert.deepEqual(keysOf(parsed.canonicalText), keysOf(text));
        const spelled = JSON.stringify(schema, undefined, '\t').replaceAll('é', '\\u00e9');
        assert.equal(parse(spelled).canonicalText, parsed.canonicalText);
        for (const [reader, writer] of [
          [parse(normalized), parsed],
          [parsed, parse(normalized)],
        ] as const) {
          const options = { reader: 'new', policy: 'STRICT' } as const;
          assert.deepEqual(jsonSchemaFormat.incompatibilities(reader, writer, options), []);
        }
      }),
      { numRuns: runs(100) },
    );
  });
}

function keysOf(text: string): readonly string[] {
  const keys: string[] = [];
  JSON.parse(text, function (this: unknown, key: string, value: unknown) {
    if (!Array.isArray(this)) keys.push(key);
    return value;
  });
  return keys;
}
