import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecentlyUsed } from './recently-used.ts';

test('a value that was not used for long is evicted, and created again', () => {
  let made = 0;
  const values = new RecentlyUsed<number>(4);
  const steps: [key: string, value: number][] = [
    ['a', 1],
    ['b', 2],
    ['a', 1],
    ['c', 3],
    ['a', 1],
    ['d', 4],
    ['a', 1],
    ['e', 5],
    ['b', 6],
  ];
  for (const [key, value] of steps)
    assert.equal(
      values.of(key, () => ++made),
      value,
      key,
    );
  values.forgetAll();
  assert.deepEqual([values.count, values.of('a', () => ++made)], [0, 7]);
});

test('at most the limit is held, and a key that was used within half of it is never evicted', () => {
  const keys = fc.array(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 300 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 2, max: 20 }), (used, countMax) => {
      const values = new RecentlyUsed<object>(countMax);
      const latest = new Map<string, object>();
      for (const [index, key] of used.entries()) {
        const before = latest.get(key);
        const value = values.of(key, () => ({}));
        const since = new Set(used.slice(used.lastIndexOf(key, index - 1) + 1, index));
        const isRecent = index > 0 && before !== undefined && since.size < Math.floor(countMax / 2);
        if (isRecent) assert.equal(value, before, `${key} after ${since.size} others`);
        latest.set(key, value);
        assert.ok(values.count <= countMax, `${values.count} of ${countMax}`);
      }
    }),
  );
});
