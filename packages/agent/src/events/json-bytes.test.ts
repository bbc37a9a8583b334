import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventData } from '@weir/events';
import fc from 'fast-check';
import { JsonBytes } from './json-bytes.ts';

const written = (json: JsonBytes, data: EventData) => {
  json.at = 0;
  const isAny = json.members(data);
  assert.equal(isAny, json.at > 0);
  return `{${json.bytes.toString('utf8', 0, json.at)}}`;
};

test('any members are written as JSON.stringify writes them', () => {
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 600 }),
    fc.double(),
    fc.integer(),
    fc.constantFrom(undefined, -0, 0x3fffffff, 0x40000000, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY),
  );
  const names = fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__');
  const json = new JsonBytes();
  fc.assert(
    fc.property(fc.dictionary(names, values), (data) => {
      assert.equal(written(json, data as EventData), JSON.stringify(data));
    }),
    { numRuns: 500 },
  );
});

test('more names than are cached are written correctly', () => {
  const json = new JsonBytes();
  const data = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`name ${n}`, n]));
  for (let turn = 0; turn < 2; turn++) assert.equal(written(json, data), JSON.stringify(data));
});

test('data that is not JSON is refused, and the next value is complete', () => {
  const json = new JsonBytes();
  const endless: Record<string, unknown> = { before: 1 };
  endless.self = endless;
  for (const data of [endless, { before: 'text', big: 1n }])
    assert.throws(() => written(json, data as EventData), TypeError);
  assert.equal(written(json, { n: 1 }), '{"n":1}');
});
