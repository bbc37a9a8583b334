import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstRunMs, nextRunMs } from './run-times.ts';

const intervalMs = 60_000;

test('clusters that start together are checked at evenly spread times', () => {
  for (const idOf of [
    (n: number) => `vci_${n}`,
    (n: number) => `vci_${n.toString(16).padStart(32, '0')}_end`,
  ]) {
    const perSixth = new Map<number, number>();
    for (let n = 0; n < 1_000; n++) {
      const sixth = Math.floor(((firstRunMs(idOf(n), 0, intervalMs) - intervalMs / 2) / intervalMs) * 6);
      perSixth.set(sixth, (perSixth.get(sixth) ?? 0) + 1);
    }
    assert.deepEqual([...perSixth.keys()].sort(), [0, 1, 2, 3, 4, 5]);
    for (const count of perSixth.values()) assert.ok(count > 100 && count < 240, `${[...perSixth.values()]}`);
  }
});

test('agents have half an interval to report, and no cluster waits more than one and a half', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (id, seenMs) => {
      const afterMs = firstRunMs(id, seenMs, intervalMs) - seenMs;
      assert.ok(afterMs >= intervalMs / 2 && afterMs <= intervalMs * 1.5);
    }),
  );
});

test('runs stay on schedule, and a late one is not followed by another at once', () => {
  assert.equal(nextRunMs(1_000, 1_900, intervalMs), 61_000);
  assert.equal(nextRunMs(1_000, 200_000, intervalMs), 230_000);
});
