import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareKeys } from '../store/key.ts';
import { endOfPrefix, firstAfter } from './key-range.ts';

test('the end of a prefix', () => {
  const cases: readonly [prefix: string, end: string][] = [
    ['a', 'b'],
    ['a/', 'a0'],
    ['\u{d7ff}', '\u{e000}'],
    ['\u{ffff}', '\u{10000}'],
    ['a\u{10ffff}\u{10ffff}', 'b'],
  ];
  for (const [prefix, end] of cases) assert.equal(endOfPrefix(prefix), end);
  assert.ok(Buffer.compare(Buffer.from(endOfPrefix('')), Buffer.alloc(1024, 0xf4)) < 0);
  assert.ok(compareKeys(endOfPrefix(''), '\u{10ffff}'.repeat(256)) > 0);
});

const text = fc.string({ unit: 'binary', maxLength: 4 });

test('a text is in the range of a prefix if and only if it begins with it', () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (prefix, other, isBelow) => {
      const key = isBelow ? prefix + other : other;
      const isInRange = compareKeys(key, prefix) >= 0 && compareKeys(key, endOfPrefix(prefix)) < 0;
      assert.equal(isInRange, key.startsWith(prefix));
    }),
  );
});

test('the first after a key is after it and before all other keys that are', () => {
  const character = fc
    .integer({ min: 0x20, max: 0x10ffff })
    .filter((point) => point < 0xd800 || point >= 0xe000);
  const key = fc.array(character, { maxLength: 4 }).map((points) => String.fromCodePoint(...points));
  fc.assert(
    fc.property(key, key, (a, b) => {
      assert.equal(compareKeys(b, firstAfter(a)) >= 0, compareKeys(b, a) > 0);
    }),
  );
});
