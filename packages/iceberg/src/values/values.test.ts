import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { column, list, map, struct, typeOf } from '../../testing/schemas.ts';
import { primitiveTypes, valueOfType } from '../../testing/values.ts';
import { parseJson, printJson } from '../json/exact-json.ts';
import { type PrimitiveType, primitiveText } from '../schema/types.ts';
import { decimalBytes, readBytes, valueBytes } from './binary-value.ts';
import { lowerBoundOf, textAfter, upperBoundOf } from './bounds.ts';
import { dateText, parseDate } from './calendar.ts';
import { type NestedValue, readValue, valueJson } from './json-value.ts';
import { murmur3 } from './murmur3.ts';
import { compareValues, isValueOf, type Value } from './value.ts';

const primitive = (text: string) => typeOf(text) as PrimitiveType;
const bytes = (...octets: number[]) => Buffer.from(octets);

test('values are the bytes and the JSON that the spec shows', () => {
  // type, value, bytes in hexadecimal, JSON
  const cases: [string, Value, string, string][] = [
    ['boolean', true, '01', 'true'],
    ['int', -1, 'ffffffff', '-1'],
    ['long', 8349964745853934338n, '029ba843b208e173', '8349964745853934338'],
    ['float', 1.5, '0000c03f', '1.5'],
    ['double', -0.25, '000000000000d0bf', '-0.25'],
    ['date', 17486, '4e440000', '"2017-11-16"'],
    ['date', -1, 'ffffffff', '"1969-12-31"'],
    ['time', 81_068_123_456n, '406509e012000000', '"22:31:08.123456"'],
    ['timestamp', 1510871468000000n, '00c3262d215e0500', '"2017-11-16T22:31:08"'],
    ['timestamptz', 1510871468123456n, '40a5282d215e0500', '"2017-11-16T22:31:08.123456+00:00"'],
    ['timestamptz', -1n, 'ffffffffffffffff', '"1969-12-31T23:59:59.999999+00:00"'],
    ['string', 'iceberg😀', '69636562657267f09f9880', '"iceberg😀"'],
    [
      'uuid',
      'f79c3e09-677c-4bbd-a479-3f349cb785e7',
      'f79c3e09677c4bbda4793f349cb785e7',
      '"f79c3e09-677c-4bbd-a479-3f349cb785e7"',
    ],
    ['fixed[4]', bytes(0, 1, 2, 255), '000102ff', '"000102ff"'],
    ['binary', bytes(), '', '""'],
    ['decimal(9, 2)', 1420n, '058c', '"14.20"'],
    ['decimal(9, 2)', -1n, 'ff', '"-0.01"'],
    ['decimal(9, 2)', 128n, '0080', '"1.28"'],
    ['decimal(9, 0)', -128n, '80', '"-128"'],
  ];
  for (const [text, value, hex, json] of cases) {
    const type = primitive(text);
    assert.equal(valueBytes(type, value).toString('hex'), hex, text);
    assert.deepEqual(readBytes(type, Buffer.from(hex, 'hex')), value, text);
    assert.equal(printJson(valueJson(type, value)), json, text);
    assert.deepEqual(readValue(type, parseJson(json, 'x'), 'x'), value, text);
  }
});

test('every value survives bytes and JSON', () => {
  for (const type of primitiveTypes)
    fc.assert(
      fc.property(valueOfType(type), (value) => {
        assert.ok(isValueOf(type, value));
        assert.equal(compareValues(type, readBytes(type, valueBytes(type, value)), value), 0);
        if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) return;
        const json = parseJson(printJson(valueJson(type, value)), 'x');
        assert.equal(compareValues(type, readValue(type, json, 'x') as Value, value), 0);
      }),
      { numRuns: 50 },
    );
});

test('nested values are JSON by ids', () => {
  const type = struct(
    column(1, 'a', 'int'),
    column(2, 'b', list(3, 'string')),
    column(4, 'c', map(5, 'string', 6, 'date')),
    column(7, 'd', 'int'),
  );
  const value: NestedValue = {
    columns: new Map<number, NestedValue>([
      [1, 7],
      [2, { elements: ['x', null] }],
      [4, { entries: [['k', 0]] }],
      [7, null],
    ]),
  };
  const json = '{"1":7,"2":["x",null],"4":{"keys":["k"],"values":["1970-01-01"]},"7":null}';
  assert.equal(printJson(valueJson(type, value)), json);
  assert.deepEqual(readValue(type, parseJson(json, 'x'), 'x'), value);
  // JSON, problem
  const cases: [string, string][] = [
    ['{"1":"7"}', 'x.a: no value of the type int'],
    ['{"1":2147483648}', 'x.a: no value of the type int'],
    ['{"2":{}}', 'x.b: no value of the type list'],
    ['{"4":{"keys":["k"],"values":[]}}', 'x.c: no value of the type map'],
    ['[]', 'x: no value of the type struct'],
    ['{"4":{"keys":["k"],"values":["2017-02-29"]}}', '"2017-02-29" is no date; such as 2017-11-16'],
  ];
  for (const [text, message] of cases)
    assert.throws(
      () => readValue(type, parseJson(text, 'x'), 'x'),
      (error: Error) => error.message === message,
      text,
    );
});

test('widened columns read the bounds of before', () => {
  assert.equal(readBytes(primitive('long'), valueBytes(primitive('int'), -5)), -5n);
  assert.equal(readBytes(primitive('double'), valueBytes(primitive('float'), 1.5)), 1.5);
  for (const [text, length] of [
    ['int', 8],
    ['boolean', 2],
    ['uuid', 15],
    ['fixed[3]', 4],
    ['decimal(9, 2)', 0],
    ['timestamp', 4],
  ] as const)
    assert.throws(() => readBytes(primitive(text), Buffer.alloc(length)), /has \d+ bytes/, text);
});

test('values have the order of the spec', () => {
  // type, values in ascending order
  const cases: [string, Value[]][] = [
    ['double', [Number.NEGATIVE_INFINITY, -1, -0, 0, 1, Number.POSITIVE_INFINITY, Number.NaN]],
    ['string', ['', 'a', 'a\0', 'b', '\ud7ff', '\ue000', '\uff5e', '\u{10000}', '\u{1f600}', '\u{10ffff}']],
    ['binary', [bytes(), bytes(0), bytes(0, 0), bytes(1), bytes(127), bytes(128), bytes(255)]],
    ['boolean', [false, true]],
    ['decimal(38, 2)', [-(10n ** 37n), -1n, 0n, 10n ** 37n]],
  ];
  for (const [text, values] of cases)
    for (const [at, one] of values.entries())
      for (const [to, other] of values.entries())
        assert.equal(
          Math.sign(compareValues(primitive(text), one, other)),
          Math.sign(at - to),
          `${text} ${one} ${other}`,
        );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      const byBytes = Buffer.compare(Buffer.from(one), Buffer.from(other));
      assert.equal(Math.sign(compareValues(primitive('string'), one, other)), byBytes);
    }),
  );
});

test('bounds of long texts are cut, and still hold', () => {
  const [text, binary] = [primitive('string'), primitive('binary')];
  // type, value, lower and upper bound with 3 characters
  const cases: [PrimitiveType, Value, Value, Value | undefined][] = [
    [text, 'abc', 'abc', 'abc'],
    [text, 'abcd', 'abc', 'abd'],
    [text, 'ab\u{10ffff}d', 'ab\u{10ffff}', 'ac'],
    [text, '\u{10ffff}'.repeat(4), '\u{10ffff}'.repeat(3), undefined],
    [text, 'ab\ud7ffd', 'ab\ud7ff', 'ab\ue000'],
    [text, '😀😀😀😀', '😀😀😀', '😀😀😁'],
    [binary, bytes(1, 2, 255, 4), bytes(1, 2, 255), bytes(1, 3)],
    [binary, bytes(255, 255, 255, 255), bytes(255, 255, 255), undefined],
    [primitive('double'), 0, -0, 0],
    [primitive('long'), 5n, 5n, 5n],
    [primitive('fixed[5]'), bytes(1, 2, 3, 4, 5), bytes(1, 2, 3, 4, 5), bytes(1, 2, 3, 4, 5)],
  ];
  for (const [type, value, lower, upper] of cases) {
    assert.deepEqual(lowerBoundOf(type, value, 3), lower);
    assert.deepEqual(upperBoundOf(type, value, 3), upper);
  }
  assert.equal(lowerBoundOf(primitive('float'), Number.NaN, 3), undefined);
  assert.equal(textAfter(''), undefined);
  for (const type of primitiveTypes)
    fc.assert(
      fc.property(valueOfType(type), fc.integer({ min: 1, max: 5 }), (value, length) => {
        const [lower, upper] = [lowerBoundOf(type, value, length), upperBoundOf(type, value, length)];
        if (lower !== undefined) assert.ok(compareValues(type, lower, value) <= 0);
        if (upper !== undefined) assert.ok(compareValues(type, upper, value) >= 0);
      }),
      { numRuns: 50 },
    );
});

test('murmur3 of the test values of the spec', () => {
  // type, value, hash
  const cases: [string, Value, number][] = [
    ['long', 34n, 2017239379],
    ['decimal(9, 2)', 1420n, -500754589],
    ['long', 17486n, -653330422],
    ['time', 81_068_000_000n, -662762989],
    ['timestamp', 1510871468000000n, -2047944441],
    ['string', 'iceberg', 1210000089],
    ['uuid', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 1488055340],
    ['binary', bytes(0, 1, 2, 3), -188683207],
    ['binary', bytes(), 0],
  ];
  for (const [text, value, hash] of cases)
    assert.equal(murmur3(valueBytes(primitive(text), value)), hash, text);
});

test('dates of all years', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (days) => {
      assert.equal(parseDate(dateText(days)), days);
    }),
  );
  // Within the years of JavaScript's dates, both agree.
  fc.assert(
    fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), (days) => {
      assert.equal(dateText(days), new Date(days * 86_400_000).toISOString().slice(0, 10));
    }),
  );
  for (const text of ['2017-13-01', '2017-00-10', '17-01-01', '2017-02-29', 'x'])
    assert.throws(() => parseDate(text), /is no date/);
});

test('bytes of decimals by precision', () => {
  const lengths: [number, number][] = [
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [9, 4],
    [18, 8],
    [19, 9],
    [21, 9],
    [22, 10],
    [28, 12],
    [35, 15],
    [36, 16],
    [38, 16],
  ];
  for (const [precision, length] of lengths)
    assert.equal(decimalBytes(precision), length, primitiveText({ kind: 'decimal', precision, scale: 0 }));
});
