import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomOf, randomSchema, schemaText } from '../../testing/protobuf-schemas.ts';
import { protobufValue } from '../../testing/protobuf-values.ts';
import { InvalidPayload, InvalidSchema, type PayloadCodec } from '../schema-format.ts';
import { protobufFormat } from './protobuf-format.ts';

/** A random schema with a value of its first message, or nothing where there is none. */
function generated(seed: number): { text: string; codec: PayloadCodec; value: object } | undefined {
  const random = randomOf(seed);
  const text = schemaText(randomSchema(random, 's', { share: 0 }));
  try {
    const schema = protobufFormat.parse({ text, references: [] });
    const value = protobufValue(random, schema.loaded.file.messages[0]!);
    return value && { text, codec: protobufFormat.codec(schema), value };
  } catch (error) {
    // Names of types that are spelled by their last parts may mean nothing.
    assert.ok(error instanceof InvalidSchema, String(error));
    return undefined;
  }
}

/** The value of a payload, or nothing if it is refused. */
function decoded(codec: PayloadCodec, payload: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: codec.decode(payload) };
  } catch (error) {
    assert.ok(error instanceof InvalidPayload, String(error));
    assert.ok(!error.message.includes('\n'));
    return undefined;
  }
}

test('values are decoded as they were encoded, and damaged payloads are decoded or refused', () => {
  let tried = 0;
  let withFields = 0;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const found = generated(seed);
      if (found === undefined) return;
      const { text, codec, value } = found;
      const payload = codec.encode(value);
      assert.equal(codec.problemOf(payload), undefined, text);
      assert.deepEqual(codec.decode(payload), value, text);
      // It is JSON.
      assert.deepEqual(codec.encode(JSON.parse(JSON.stringify(value))), payload, text);
      tried += 1;
      if (Object.keys(value).length > 0) withFields += 1;
      for (let at = 0; at < Math.min(payload.length, 100); at += 1) {
        const damaged = Uint8Array.from(payload);
        damaged[at] = damaged[at]! ^ (1 << (at % 8));
        for (const bytes of [damaged, payload.subarray(0, at)]) {
          const again = decoded(codec, bytes);
          if (again === undefined) continue;
          // What can be read can be written: of the message that the payload names, which may be another one.
          if (bytes[0] === 0) assert.deepEqual(codec.decode(codec.encode(again.value)), again.value, text);
        }
      }
    }),
    { numRuns: 100 },
  );
  assert.ok(withFields > 25 && withFields >= tried / 3, `${withFields} of ${tried}`);
});
