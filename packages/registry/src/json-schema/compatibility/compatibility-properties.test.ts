import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ajvCheck } from '../../../testing/ajv-judge.ts';
import type { Json } from '../../../testing/json-schemas.ts';
import { nearbyValues } from '../../../testing/nearby-values.ts';
import { runs } from '../../../testing/property-runs.ts';
import { schemaPairs } from '../../../testing/schema-pairs.ts';
import { jsonSchemaFormat } from '../json-schema-format.ts';

type Judge = (schema: Json) => (value: Json) => boolean;

/** Ajv takes some milliseconds to compile a schema. Our validator, which another test compares with it, does not. */
const judges: readonly (readonly [name: string, judge: Judge, numRuns: number])[] = [
  ['Ajv', (schema) => ajvCheck('draft-07', schema), runs(150)],
  ['our validator', ownCheck, runs(600)],
];

function ownCheck(schema: Json): (value: Json) => boolean {
  const codec = jsonSchemaFormat.codec(parse(schema));
  return (value) => codec.problemOf(Buffer.from(JSON.stringify(value))) === undefined;
}

function parse(schema: Json) {
  return jsonSchemaFormat.parse({ text: JSON.stringify(schema), references: [] });
}

function isCompatible(reader: Json, writer: Json): boolean {
  const options = { reader: 'new', policy: 'STRICT' } as const;
  return jsonSchemaFormat.incompatibilities(parse(reader), parse(writer), options).length === 0;
}

for (const [name, judge, numRuns] of judges) {
  test(`a compatible schema allows what the other allows, says ${name}`, () => {
    let compatible = 0;
    let passed = 0;
    fc.assert(
      fc.property(schemaPairs, fc.nat(), ([original, update], seed) => {
        const values = nearbyValues([original, update], seed, 60);
        for (const [writer, reader] of [
          [original, update],
          [update, original],
        ] as const) {
          if (!isCompatible(reader, writer) || requiresAnything(reader)) continue;
          compatible++;
          const allows = judge(writer);
          const accepts = judge(reader);
          for (const value of values) {
            if (!allows(value)) continue;
            passed++;
            assert.ok(accepts(value), JSON.stringify({ writer, reader, value }));
          }
        }
      }),
      { numRuns },
    );
    assert.ok(compatible > numRuns / 5, `${compatible} of ${2 * numRuns} are compatible`);
    assert.ok(passed > numRuns, `${passed} values were allowed`);
  });
}

/** A required property that may be anything counts as compatible, which is listed as unsound. */
function requiresAnything(schema: Json): boolean {
  return /"required":/.test(JSON.stringify(schema)) && /:(?:\{\}|true)[,}]/.test(JSON.stringify(schema));
}
