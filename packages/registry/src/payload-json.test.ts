import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import { AvroGenerator } from '../testing/avro-generator.ts';
import { dialects, jsonSchemas, jsonValues } from '../testing/json-schemas.ts';
import { randomOf, randomSchema, schemaText } from '../testing/protobuf-schemas.ts';
import { protobufValue } from '../testing/protobuf-values.ts';
import { schemaSource } from '../testing/schema-source.ts';
import { avroFormat } from './avro/avro-format.ts';
import { jsonText } from './avro/json-text.ts';
import { jsonSchemaFormat } from './json-schema/json-schema-format.ts';
import { jsonCharsOf, jsonOfPayload, payloadOfJson } from './payload-json.ts';
import { protobufFormat } from './protobuf/protobuf-format.ts';
import { InvalidPayload, InvalidSchema, type PayloadCodec, type SchemaType } from './schema-format.ts';

/** Texts of any spelling are encoded, and decoded as the same JSON on one line, or refused where they do not fit. */
function checkText(codec: PayloadCodec, type: SchemaType, value: unknown): void {
  const text = JSON.stringify(value);
  const payload = payloadOfJson(codec, type, JSON.stringify(value, undefined, 2));
  const json = jsonOfPayload(codec, type, payload, text.length * 6 + 10);
  assert.deepEqual(JSON.parse(json), JSON.parse(text));
  assert.ok(!json.includes('\n'));
  if (type === 'JSON') assert.equal(json, text);
  assert.ok(jsonCharsOf(value, Number.POSITIVE_INFINITY) <= text.length + 1);
  assert.equal(jsonOfPayload(codec, type, payload, json.length), json);
  assert.throws(() => jsonOfPayload(codec, type, payload, json.length - 1), InvalidPayload);
}

/** A schema may be invalid, and then there is nothing to check. */
function ifValid(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof InvalidSchema)) throw error;
  }
}

test('Avro: text to payload to text', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const generator = new AvroGenerator(seededRandom(seed));
      ifValid(() => {
        const schema = avroFormat.parse(schemaSource(jsonText(generator.schema())));
        const value = generator.value(schema.root);
        if (value !== undefined) checkText(avroFormat.codec(schema), 'AVRO', value);
      });
    }),
    { numRuns: 200 },
  );
});

test('Protobuf: text to payload to text', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = randomOf(seed);
      ifValid(() => {
        const text = schemaText(randomSchema(random, 's', { share: 0 }));
        const schema = protobufFormat.parse({ text, references: [] });
        const value = protobufValue(random, schema.loaded.file.messages[0]!);
        if (value !== undefined) checkText(protobufFormat.codec(schema), 'PROTOBUF', value);
      });
    }),
    { numRuns: 200 },
  );
});

test('JSON: text to payload to text exactly if it fits the schema', () => {
  let fitting = 0;
  let compared = 0;
  fc.assert(
    fc.property(
      jsonSchemas(dialects['2020-12']),
      fc.array(jsonValues, { minLength: 3, maxLength: 5 }),
      (schema, values) => {
        const codec = jsonSchemaFormat.codec(
          jsonSchemaFormat.parse({ text: JSON.stringify(schema), references: [] }),
        );
        for (const value of values) {
          compared += 1;
          const text = JSON.stringify(value);
          if (codec.problemOf(Buffer.from(text)) === undefined) {
            fitting += 1;
            checkText(codec, 'JSON', value);
            assert.deepEqual(codec.decode(codec.encode(value)), JSON.parse(text));
          } else {
            assert.throws(() => payloadOfJson(codec, 'JSON', text), InvalidPayload);
            assert.throws(() => codec.encode(value), InvalidPayload);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
  assert.ok(fitting > compared / 20 && fitting < (compared * 19) / 20, `${fitting} of ${compared} fit`);
});

test('JSON keeps its digits whatever they are', () => {
  const codec = jsonSchemaFormat.codec(jsonSchemaFormat.parse({ text: '{}', references: [] }));
  const number = fc
    .tuple(fc.boolean(), fc.stringMatching(/^(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:e-?\d{1,2})?$/))
    .map(([isNegative, digits]) => `${isNegative ? '-' : ''}${digits}`);
  fc.assert(
    fc.property(fc.array(number, { maxLength: 5 }), (numbers) => {
      const payload = payloadOfJson(codec, 'JSON', `[ ${numbers.join(' ,\n')} ]`);
      assert.equal(jsonOfPayload(codec, 'JSON', payload, 10_000), `[${numbers.join(',')}]`);
    }),
    { numRuns: 100 },
  );
});
