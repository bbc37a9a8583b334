import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AbortedList } from './aborted-list.ts';

interface Ended {
  readonly producerId: number;
  readonly first: number;
  readonly last: number;
}

/** At each offset, a producer writes a record or ends its open transaction. */
function ends(steps: readonly { producerId: number; isEnd: boolean }[]): {
  list: AbortedList;
  ended: Ended[];
} {
  const list = new AbortedList();
  const open = new Map<number, number>();
  const ended: Ended[] = [];
  for (const [offset, { producerId, isEnd }] of steps.entries()) {
    const first = open.get(producerId);
    if (!isEnd) {
      if (first === undefined) open.set(producerId, offset);
    } else if (first !== undefined) {
      open.delete(producerId);
      list.add(producerId, first, offset, Math.min(offset + 1, ...open.values()));
      ended.push({ producerId, first, last: offset });
    }
  }
  return { list, ended };
}

const steps = fc.array(fc.record({ producerId: fc.nat(4), isEnd: fc.boolean() }), { maxLength: 60 });

test('exactly the transactions that overlap a range are found, by first offset', () => {
  fc.assert(
    fc.property(steps, fc.nat(60), fc.nat(60), fc.nat(60), (taken, offset, length, logStart) => {
      const { list, ended } = ends(taken);
      list.dropBelow(logStart);
      const remaining = ended.filter(({ last }) => last >= logStart);
      assert.equal(list.count, remaining.length);
      const found = list.overlapping(offset, offset + length);
      const expected = remaining
        .filter(({ first, last }) => last >= offset && first < offset + length)
        .sort((one, other) => one.first - other.first);
      assert.deepEqual(
        [...(found?.firstOffset ?? [])],
        expected.map(({ first }) => first),
      );
      assert.deepEqual(
        [...(found?.lastOffset ?? [])],
        expected.map(({ last }) => last),
      );
      assert.deepEqual(
        [...(found?.producerId ?? [])],
        expected.map(({ producerId }) => producerId),
      );
    }),
  );
});

test('captured rows do not change while the list continues', () => {
  const list = new AbortedList();
  for (let row = 0; row < 5; row++) list.add(row, 2 * row, 2 * row + 1, 2 * row + 2);
  list.dropBelow(3);
  const captured = list.capture();
  for (let row = 5; row < 500; row++) {
    list.add(row, 2 * row, 2 * row + 1, 2 * row + 2);
    list.dropBelow(2 * row - 10);
  }
  assert.deepEqual([...captured.producerId], [1, 2, 3, 4]);
  assert.deepEqual([...captured.stableOffset], [4, 6, 8, 10]);
});
