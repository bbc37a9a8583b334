import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyBuffer, released, rowsWith, type TailBuffer, tailRowsMax, withArrived } from './tail-buffer.ts';

interface Event {
  readonly id: number;
  readonly time: string;
}

const eventAt = (ms: number): Event => ({ id: ms, time: new Date(ms).toISOString() });
const idsOf = (events: readonly Event[]) => events.map(({ id }) => id);
const none: TailBuffer<Event> = emptyBuffer;
const shownAtOnce = { isHeld: false, hasMore: false };
const heldBack = { isHeld: true, hasMore: false };

test('events are rows by their time, also late ones, above what the search found', () => {
  const buffer = withArrived(
    withArrived(none, [eventAt(40), eventAt(20)], shownAtOnce),
    [eventAt(30)],
    shownAtOnce,
  );
  assert.deepEqual(idsOf(rowsWith(buffer, [eventAt(25), eventAt(10)])), [40, 30, 25, 20, 10]);
  assert.equal(buffer.arrivedCount, 3);
});

test('while a person reads, events are counted and the rows stay', () => {
  const before = withArrived(none, [eventAt(1)], shownAtOnce);
  const reading = withArrived(withArrived(before, [eventAt(2)], heldBack), [eventAt(3)], heldBack);
  assert.deepEqual(idsOf(rowsWith(reading, [])), [1]);
  assert.equal(reading.heldCount, 2);
  const after = released(reading);
  assert.deepEqual(idsOf(rowsWith(after, [])), [3, 2, 1]);
  assert.deepEqual([after.heldCount, after.held, after.arrivedCount], [0, [], 3]);
});

test('memory is bounded, and the count says how many came', () => {
  const many = Array.from({ length: tailRowsMax * 2 }, (_, index) => eventAt(index));
  const held = withArrived(withArrived(none, many, heldBack), many, heldBack);
  assert.equal(held.held.length, tailRowsMax);
  assert.equal(held.heldCount, tailRowsMax * 4);
  const shown = released(held);
  assert.equal(rowsWith(shown, many).length, tailRowsMax);
  assert.equal(shown.shown[0]!.id, tailRowsMax * 2 - 1);
});

test('nothing new is the same buffer, and a gap is remembered', () => {
  assert.equal(withArrived(none, [], shownAtOnce), none);
  assert.equal(released(none), none);
  const gap = withArrived(none, [], { isHeld: false, hasMore: true });
  assert.ok(gap.hasGap);
  assert.ok(withArrived(gap, [eventAt(1)], shownAtOnce).hasGap);
});
