import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ajvCheck } from '../../../testing/ajv-judge.ts';
import { dialects, type Json, jsonSchemas, jsonValues } from '../../../testing/json-schemas.ts';
import { runs } from '../../../testing/property-runs.ts';
import { jsonSchemaFormat } from '../json-schema-format.ts';

function withUri(schema: Json, $schema: string): Json {
  return typeof schema === 'object' && schema !== null ? { $schema, ...schema } : schema;
}

for (const [draft, dialect] of Object.entries(dialects)) {
  test(`a value fits a schema of ${draft} exactly if another implementation says so`, () => {
    let fitting = 0;
    let compared = 0;
    fc.assert(
      fc.property(
        jsonSchemas(dialect),
        fc.array(jsonValues, { minLength: 5, maxLength: 10 }),
        (generated, values) => {
          const schema = withUri(generated, dialect.uri);
          const judge = ajvCheck(draft as keyof typeof dialects, schema);
          const codec = jsonSchemaFormat.codec(
            jsonSchemaFormat.parse({ text: JSON.stringify(schema), references: [] }),
          );
          for (const value of values) {
            const isFit = judge(value);
            const problem = codec.problemOf(Buffer.from(JSON.stringify(value)));
            assert.equal(problem === undefined, isFit, `${JSON.stringify([schema, value])}: ${problem}`);
            compared++;
            if (isFit) fitting++;
          }
        },
      ),
      { numRuns: runs(100) },
    );
    // The generators would be of no use if nothing or everything fitted.
    assert.ok(fitting > compared / 20 && fitting < (compared * 19) / 20, `${fitting} of ${compared} fit`);
  });
}
