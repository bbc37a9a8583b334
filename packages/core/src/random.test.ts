import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom, systemRandom } from './random.ts';

function draw(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.next());
}

test('the same seed gives the same sequence, and another seed another one', () => {
  assert.deepEqual(draw(seededRandom(7), 100), draw(seededRandom(7), 100));
  assert.notDeepEqual(draw(seededRandom(7), 100), draw(seededRandom(8), 100));
});

test('numbers stay within their range and cover all of it', () => {
  for (const random of [seededRandom(1), systemRandom]) {
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) counts[random.below(10)]!++;
    assert.ok(
      counts.every((count) => count > 700 && count < 1300),
      counts.join(' '),
    );
    assert.ok(draw(random, 1000).every((number) => number >= 0 && number < 1));
  }
});
