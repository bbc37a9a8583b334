import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import * as z from 'zod';
import { type Nanoseconds, nanoseconds, shortest } from './fields.ts';
import { parseJson, printJson } from './json.ts';

test('integers are exact, however large', () => {
  const cases: [text: string, value: unknown][] = [
    ['604800000000000', 604_800_000_000_000],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', 9_007_199_254_740_992n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['1.5', 1.5],
    ['{"a":[9007199254740993,1]}', { a: [9_007_199_254_740_993n, 1] }],
  ];
  for (const [text, value] of cases) {
    assert.deepEqual(parseJson(text), value, text);
    assert.equal(printJson(value), text);
  }
});

test('a large number that is not written as an integer stays a number', () => {
  assert.equal(parseJson('1e300'), 1e300);
  assert.equal(parseJson(`1${'0'.repeat(40)}`), 1e40);
});

test('any duration survives serialization as JSON', () => {
  const duration = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(shortest);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), duration, { noNullPrototype: true }), (given) => {
      assert.deepEqual(parseJson(printJson(given)), given);
    }),
  );
});

test('nanoseconds are whole, within 64 bits, and may be text', () => {
  const schema = z.strictObject({ n: nanoseconds({ min: 1n }) });
  const cases: [json: string, value: Nanoseconds | undefined][] = [
    ['1', 1],
    ['"1"', 1],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['"9007199254740993"', 9_007_199_254_740_993n],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
    ['9223372036854775808', undefined],
    ['"9999999999999999999"', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e300', undefined],
    ['"1.5"', undefined],
    ['""', undefined],
    ['" 1"', undefined],
    ['null', undefined],
    ['true', undefined],
  ];
  for (const [json, value] of cases) {
    const { data } = schema.safeParse(parseJson(`{"n":${json}}`));
    assert.equal(data?.n, value, json);
  }
});
