import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readAhead } from './readahead.ts';

test('readahead keeps the order and its limits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 8 }),
      async (sizes, countMax) => {
        let running = 0;
        let runningMax = 0;
        async function* items() {
          yield* sizes.entries();
        }
        const read = async ([index]: [number, number]) => {
          runningMax = Math.max(runningMax, ++running);
          for (let turn = 0; turn < index % 3; turn++) await Promise.resolve();
          running--;
          return index;
        };
        const found: number[] = [];
        const limits = { countMax, bytesMax: 60, bytesOf: ([, bytes]: [number, number]) => bytes };
        for await (const { content } of readAhead(items(), read, limits)) found.push(content);
        assert.deepEqual(found, [...sizes.keys()]);
        assert.ok(runningMax <= countMax);
      },
    ),
  );
});

test('an error is thrown in the place of its content', async () => {
  async function* items() {
    yield* [1, 2, 3];
  }
  const found: number[] = [];
  const limits = { countMax: 3, bytesMax: 9, bytesOf: () => 1 };
  const read = async (item: number) => {
    if (item === 2) throw new Error('two');
    return item;
  };
  await assert.rejects(async () => {
    for await (const { content } of readAhead(items(), read, limits)) found.push(content);
  }, /two/);
  assert.deepEqual(found, [1]);
});
