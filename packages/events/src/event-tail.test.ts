import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTail } from './event-tail.ts';

const startMs = Date.parse('2026-11-15T11:20:00Z');
const eventAt = (ms: number) => ({ id: `e${ms}`, time: new Date(startMs + ms).toISOString() });

test('late events are found, and events that were found are not found again', () => {
  const tail = new EventTail(startMs);
  const ids = (...times: readonly number[]) => tail.fresh(times.map(eventAt)).map(({ id }) => id);
  assert.equal(tail.windowAt(startMs).start, '2026-11-15T11:20:00.000Z');
  assert.deepEqual(ids(20_000, 30_000), ['e20000', 'e30000']);
  assert.deepEqual(tail.windowAt(startMs + 31_000), {
    start: '2026-11-15T11:20:15.000Z',
    end: '2026-11-15T11:20:46.000Z',
  });
  assert.deepEqual(ids(18_000, 20_000, 30_000), ['e18000']);
  assert.deepEqual(ids(18_000, 31_000), ['e31000']);
});

test('after a pause of days, a search reaches over one day', () => {
  const tail = new EventTail(startMs);
  const { start, end } = tail.windowAt(startMs + 5 * 86_400_000);
  assert.equal(Date.parse(end) - Date.parse(start), 86_400_000);
});
