import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteReader, UnreadableBytes } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

const field = fc.oneof(
  fc.record({ kind: fc.constant('u8' as const), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('varint' as const), value: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant('varint' as const), value: fc.nat(300) }),
  fc.record({
    kind: fc.constant('zigzag' as const),
    value: fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 }),
  }),
  fc.record({ kind: fc.constant('f64' as const), value: fc.double({ noNaN: true }) }),
  fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'grapheme' }) }),
  fc.record({
    kind: fc.constant('hex16' as const),
    value: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((id) => Buffer.from(id).toString('hex')),
  }),
);

type Field = typeof field extends fc.Arbitrary<infer One> ? One : never;

function write(fields: readonly Field[]): Buffer {
  const writer = new ByteWriter();
  for (const { kind, value } of fields) (writer[kind] as (value: string | number) => void)(value);
  return writer.take();
}

test('written fields are read back', () => {
  fc.assert(
    fc.property(fc.array(field, { maxLength: 50 }), (fields) => {
      const reader = new ByteReader(write(fields));
      for (const { kind, value } of fields) assert.ok(Object.is(reader[kind](), value), `${kind} ${value}`);
      reader.end();
    }),
  );
});

test('truncated bytes are refused at any length', () => {
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 10 }), fc.nat(), (fields, cut) => {
      const bytes = write(fields);
      const reader = new ByteReader(bytes.subarray(0, cut % bytes.length));
      assert.throws(() => {
        for (const { kind } of fields) reader[kind]();
      }, UnreadableBytes);
    }),
  );
});

const varints: [value: number, hex: string][] = [
  [0, '00'],
  [127, '7f'],
  [128, '8001'],
  [2 ** 31 - 1, 'ffffffff07'],
  [2 ** 31, '8080808008'],
  [2 ** 32, '8080808010'],
  [2 ** 53 - 1, 'ffffffffffffff0f'],
];

for (const [value, hex] of varints) {
  test(`${value} is ${hex}`, () => {
    const writer = new ByteWriter();
    writer.varint(value);
    assert.equal(writer.take().toString('hex'), hex);
  });
}

for (const hex of ['ffffffffffffff1f', 'ffffffffffffffff01', '808080808080808080']) {
  test(`${hex} is no number`, () => {
    assert.throws(() => new ByteReader(Buffer.from(hex, 'hex')).varint(), UnreadableBytes);
  });
}

test('left-over bytes are an error', () => {
  const reader = new ByteReader(Buffer.from('0102', 'hex'));
  reader.u8();
  assert.throws(() => reader.end(), /1 unexpected bytes at the end/);
});

test('taken bytes do not change, and the writer starts empty', () => {
  const writer = new ByteWriter();
  writer.text('x'.repeat(10_000));
  writer.take();
  writer.u8(1);
  const taken = writer.take();
  writer.u8(2);
  assert.deepEqual([taken, writer.take()], [Buffer.of(1), Buffer.of(2)]);
});
