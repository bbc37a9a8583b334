import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DecodeError } from './decode-error.ts';
import {
  type ByteCursor,
  readUnsignedVarint,
  readVarint32,
  readVarint64,
  readVarint64Compact,
  unsignedVarintBytes,
  varint32Bytes,
  varint64Bytes,
  writeUnsignedVarint,
  writeVarint32,
  writeVarint64,
} from './varint.ts';

function cursorOf(hex: string): ByteCursor {
  const bytes = Buffer.from(hex, 'hex');
  return { subject: 'test', bytes, at: 0, end: bytes.length };
}

function written(write: (target: Uint8Array) => number): string {
  const target = Buffer.alloc(10);
  return target.subarray(0, write(target)).toString('hex');
}

test('unsigned varints have known bytes', () => {
  const table: [value: number, hex: string][] = [
    [0, '00'],
    [1, '01'],
    [127, '7f'],
    [128, '8001'],
    [300, 'ac02'],
    [16_383, 'ff7f'],
    [16_384, '808001'],
    [2_097_151, 'ffff7f'],
    [2_097_152, '80808001'],
    [268_435_455, 'ffffff7f'],
    [268_435_456, '8080808001'],
    [4_294_967_295, 'ffffffff0f'],
  ];
  for (const [value, hex] of table) {
    assert.equal(
      written((target) => writeUnsignedVarint(target, 0, value)),
      hex,
    );
    assert.equal(readUnsignedVarint(cursorOf(hex), 'value'), value);
    assert.equal(unsignedVarintBytes(value), hex.length / 2);
  }
});

test('signed varints of 32 bits have known bytes', () => {
  const table: [value: number, hex: string][] = [
    [0, '00'],
    [-1, '01'],
    [1, '02'],
    [-64, '7f'],
    [64, '8001'],
    [2_147_483_647, 'feffffff0f'],
    [-2_147_483_648, 'ffffffff0f'],
  ];
  for (const [value, hex] of table) {
    assert.equal(
      written((target) => writeVarint32(target, 0, value)),
      hex,
    );
    assert.equal(readVarint32(cursorOf(hex), 'value'), value);
    assert.equal(varint32Bytes(value), hex.length / 2);
  }
});

test('signed varints of 64 bits have known bytes', () => {
  const table: [value: bigint, hex: string][] = [
    [0n, '00'],
    [-1n, '01'],
    [63n, '7e'],
    [-64n, '7f'],
    [134_217_727n, 'feffff7f'],
    [134_217_728n, '8080808001'],
    [-134_217_729n, '8180808001'],
    [2n ** 51n - 1n, 'feffffffffffff07'],
    [2n ** 51n, '8080808080808008'],
    [2n ** 53n + 1n, '8280808080808020'],
    [2n ** 63n - 1n, 'feffffffffffffffff01'],
    [-(2n ** 63n), 'ffffffffffffffffff01'],
  ];
  for (const [value, hex] of table) {
    assert.equal(
      written((target) => writeVarint64(target, 0, value)),
      hex,
    );
    assert.equal(readVarint64(cursorOf(hex), 'value'), value);
    assert.equal(varint64Bytes(value), hex.length / 2);
  }
});

test('every int64 is preserved, has the predicted size, and is a number exactly when that is exact', () => {
  const int64 = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    // Values of every length, which a uniform choice from 64 bits would hardly ever produce.
    fc
      .tuple(fc.integer({ min: 0, max: 62 }), fc.integer({ min: -3, max: 3 }))
      .map(([bits, by]) => 2n ** BigInt(bits) + BigInt(by)),
    fc.integer().map(BigInt),
  );
  fc.assert(
    fc.property(int64, (value) => {
      // The lowest int64 has no negation; it is its own.
      for (const signed of [value, BigInt.asIntN(64, -value)]) {
        const hex = written((target) => writeVarint64(target, 0, signed));
        assert.equal(varint64Bytes(signed), hex.length / 2);
        const compact = readVarint64Compact(cursorOf(hex), 'value');
        assert.equal(BigInt(compact), signed);
        if (typeof compact === 'number') assert.ok(Number.isSafeInteger(compact));
        else assert.ok(signed >= 2n ** 51n || signed < -(2n ** 51n));
      }
    }),
  );
});

test('padding within the longest form is accepted, as by other implementations', () => {
  assert.equal(readUnsignedVarint(cursorOf('8000'), 'value'), 0);
  assert.equal(readUnsignedVarint(cursorOf('8180808000'), 'value'), 1);
  assert.equal(readVarint64(cursorOf('82808080808080808000'), 'value'), 1n);
});

test('reading moves the cursor to the end of the varint and no further', () => {
  const cursor = cursorOf('ac0207');
  assert.equal(readUnsignedVarint(cursor, 'value'), 300);
  assert.equal(cursor.at, 2);
  assert.equal(readUnsignedVarint(cursor, 'value'), 7);
  assert.equal(cursor.at, 3);
});

test('truncated or too long varints are rejected, and the cursor does not move', () => {
  const table: [
    name: string,
    read: (cursor: ByteCursor, field: string) => unknown,
    hex: string,
    problem: RegExp,
  ][] = [
    ['nothing', readUnsignedVarint, '', /ends behind/],
    ['cut off in the second byte', readUnsignedVarint, '80', /ends behind/],
    ['cut off in the fifth byte', readUnsignedVarint, '80808080', /ends behind/],
    ['33 bits', readUnsignedVarint, 'ffffffff1f', /longer than 32 bits/],
    ['six bytes', readVarint32, '808080808000', /longer than 32 bits/],
    ['64: nothing', readVarint64, '', /ends behind/],
    ['64: cut off in the tenth byte', readVarint64, '808080808080808080', /ends behind/],
    ['65 bits', readVarint64, 'ffffffffffffffffff02', /longer than 64 bits/],
    ['eleven bytes', readVarint64, '8080808080808080808000', /longer than 64 bits/],
  ];
  for (const [name, read, hex, problem] of table) {
    const cursor = cursorOf(hex);
    assert.throws(
      () => read(cursor, 'value'),
      (error) => error instanceof DecodeError && problem.test(error.problem),
      name,
    );
    assert.equal(cursor.at, 0, name);
  }
});

test('a varint does not extend beyond the end of its cursor', () => {
  const bytes = Buffer.from('8001', 'hex');
  assert.throws(() => readUnsignedVarint({ subject: 'test', bytes, at: 0, end: 1 }, 'value'), DecodeError);
});
