import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import { AvroGenerator } from '../../testing/avro-generator.ts';
import { runs } from '../../testing/property-runs.ts';
import { schemaSource } from '../../testing/schema-source.ts';
import { InvalidPayload, InvalidSchema } from '../schema-format.ts';
import { type AvroSchema, avroFormat } from './avro-format.ts';
import { jsonText } from './json-text.ts';

function parsed(text: string): AvroSchema | undefined {
  try {
    return avroFormat.parse(schemaSource(text));
  } catch (error) {
    assert.ok(error instanceof InvalidSchema, String(error));
    assert.ok(!error.message.includes('\n'));
    return undefined;
  }
}

function property(check: (generator: AvroGenerator) => void): void {
  fc.assert(
    fc.property(fc.nat(), (seed) => check(new AvroGenerator(seededRandom(seed)))),
    { numRuns: runs(300) },
  );
}

test('what is printed is parsed as the same schema', () => {
  property((generator) => {
    const text = jsonText(generator.schema());
    const schema = parsed(text);
    if (schema === undefined) return;
    const { canonicalText } = schema;
    const printed = parsed(canonicalText);
    assert.equal(printed?.canonicalText, canonicalText);
    // The Java library prints an alias without a namespace as one of the type's namespace, and so do we.
    if (!text.includes('"aliases":[".')) assert.deepEqual(printed?.root, schema.root);
    const normalized = avroFormat.normalizedText(schema);
    assert.equal(parsed(normalized)?.canonicalText, normalized);
    assert.equal(avroFormat.normalizedText(parsed(normalized)!), normalized);
    assert.equal(avroFormat.normalizedText(parsed(canonicalText)!), normalized);
  });
});

test('texts that are damaged are parsed or refused', () => {
  property((generator) => {
    const schema = generator.schema();
    const damaged = parsed(jsonText(generator.corrupted(schema)));
    if (damaged !== undefined)
      assert.equal(parsed(damaged.canonicalText)?.canonicalText, damaged.canonicalText);
    const text = jsonText(schema);
    parsed(text.slice(0, text.length / 2));
  });
});

test('values are decoded as they were encoded, and damaged payloads are decoded or refused', () => {
  property((generator) => {
    const schema = parsed(jsonText(generator.schema()));
    const value = schema && generator.value(schema.root);
    if (schema === undefined || value === undefined) return;
    const codec = avroFormat.codec(schema);
    const payload = codec.encode(value);
    assert.equal(codec.problemOf(payload), undefined);
    assert.deepEqual(codec.decode(payload), value);
    // It is JSON.
    assert.deepEqual(codec.encode(JSON.parse(JSON.stringify(value))), payload);
    for (let at = 0; at < payload.length; at += 1) {
      assert.notEqual(codec.problemOf(payload.subarray(0, at)), undefined);
      const damaged = Uint8Array.from(payload);
      damaged[at] = damaged[at]! ^ 0xff;
      try {
        codec.decode(damaged);
      } catch (error) {
        assert.ok(error instanceof InvalidPayload, String(error));
      }
    }
  });
});

test('a schema reads what it wrote', () => {
  property((generator) => {
    const text = jsonText(generator.schema());
    // An alias that names another field of its record makes the schema incompatible with itself.
    if (text.includes('"aliases":["f1"]')) return;
    const [reader, writer] = [parsed(text), parsed(text)];
    if (reader === undefined || writer === undefined) return;
    assert.deepEqual(avroFormat.incompatibilities(reader, writer, { reader: 'new', policy: 'STRICT' }), []);
  });
});
