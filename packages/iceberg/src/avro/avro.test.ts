import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import { AvroReader } from './avro-reader.ts';
import { type AvroRecord, type AvroType, type AvroValue, parseAvroType } from './avro-type.ts';
import { AvroWriter } from './avro-writer.ts';
import { readContainer, writeContainer } from './container.ts';

const simple = (
  kind: 'int' | 'long' | 'string' | 'double' | 'boolean' | 'bytes' | 'float' | 'null',
): AvroType => ({ kind });

test('values have the bytes of the Avro specification', () => {
  // type, value, bytes in hexadecimal
  const cases: [AvroType, AvroValue, string][] = [
    [simple('long'), 0n, '00'],
    [simple('long'), -1n, '01'],
    [simple('long'), 64n, '8001'],
    [simple('long'), -(2n ** 63n), 'ffffffffffffffffff01'],
    [simple('long'), 2n ** 63n - 1n, 'feffffffffffffffff01'],
    [simple('int'), -64, '7f'],
    [simple('string'), 'foo', '06666f6f'],
    [simple('boolean'), true, '01'],
    [{ kind: 'array', element: simple('long') }, [3n, 27n], '04063600'],
    [{ kind: 'array', element: simple('long') }, [], '00'],
    [{ kind: 'union', branches: [simple('null'), simple('string')] }, null, '00'],
    [{ kind: 'union', branches: [simple('null'), simple('string')] }, 'a', '020261'],
    [{ kind: 'record', fields: [{ id: 7, name: 'a', type: simple('long') }] }, new Map([[7, 27n]]), '36'],
  ];
  for (const [type, value, hex] of cases) {
    const writer = new AvroWriter();
    writer.value(type, value);
    assert.equal(writer.take().toString('hex'), hex);
    assert.deepEqual(new AvroReader(Buffer.from(hex, 'hex'), 'x').value(type), value);
  }
});

test('all numbers are read as they were written', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const writer = new AvroWriter();
      writer.long(value);
      assert.equal(new AvroReader(writer.take(), 'x').long(), value);
    }),
  );
});

const schema =
  '{"type":"record","name":"r","fields":[{"name":"n","type":"long","field-id":1},{"name":"t","type":["null","string"],"field-id":2}]}';
const records = (count: number): AvroRecord[] =>
  Array.from(
    { length: count },
    (_, at) =>
      new Map<number, AvroValue>([
        [1, BigInt(at)],
        [2, at % 3 === 0 ? null : `text ${at}`],
      ]),
  );
const file = (count: number) =>
  writeContainer(records(count), { schema, metadata: { hello: 'world' }, random: seededRandom(1) });

test('files have several blocks, and are read again', () => {
  for (const count of [0, 1, 2500]) {
    const read = readContainer(file(count), 'x');
    assert.deepEqual(read.records, records(count));
    assert.equal(read.metadata.get('hello'), 'world');
    assert.equal(read.metadata.get('avro.schema'), schema);
  }
});

test('damaged and hostile files are refused', () => {
  const whole = file(10);
  const type = parseAvroType(schema, 'x');
  assert.equal(type.kind, 'record');
  // A block of a list with 2^60 nulls, which take no bytes.
  const nulls =
    '{"type":"record","name":"r","fields":[{"name":"a","type":{"type":"array","items":"null"},"field-id":1}]}';
  const bomb = (() => {
    const [made, block] = [new AvroWriter(), new AvroWriter()];
    block.long(2n ** 60n);
    block.long(0n);
    made.raw(Buffer.from('Obj\x01', 'latin1'));
    made.value(
      { kind: 'map', value: { kind: 'bytes' } },
      {
        entries: new Map([
          ['avro.schema', Buffer.from(nulls)],
          ['avro.codec', Buffer.from('deflate')],
        ]),
      },
    );
    made.raw(Buffer.alloc(16));
    made.long(1n);
    made.bytes(deflateRawSync(block.take()));
    made.raw(Buffer.alloc(16));
    return made.take();
  })();
  const withSchema = (text: string) => () =>
    writeContainer([], { schema: text, metadata: {}, random: seededRandom(1) });
  // what is read, problem
  const cases: [() => unknown, RegExp][] = [
    [() => readContainer(Buffer.from('PAR1'), 'm.avro'), /m\.avro: damaged Avro file: it does not begin/],
    [() => readContainer(Buffer.alloc(0), 'm.avro'), /does not begin/],
    [() => readContainer(whole.subarray(0, -1), 'm.avro'), /ends too early/],
    [
      () => readContainer(Buffer.concat([whole.subarray(0, -1), Buffer.from([0xff])]), 'm.avro'),
      /marker after a block/,
    ],
    [() => readContainer(bomb, 'm.avro'), /a list has too many elements/],
    [
      withSchema('{"type":"record","name":"r","fields":[{"name":"a","type":"int"}]}'),
      /the field a has no field-id/,
    ],
    [withSchema('"other"'), /unknown Avro type "other"/],
    [withSchema(`${'{"type":'.repeat(100)}"int"${'}'.repeat(100)}`), /nested too deeply/],
  ];
  for (const [read, problem] of cases) assert.throws(read, problem);
  // No byte makes it fail in another way, or run for long.
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
      const changed = Buffer.from(whole);
      changed[at] = byte;
      try {
        readContainer(changed, 'x');
      } catch (error) {
        assert.equal((error as Error).name, 'InvalidTable');
      }
    }),
    { numRuns: 300 },
  );
});
