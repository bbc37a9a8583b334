import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiptOf } from './receipt.ts';

const stats = {
  events_matched: 12_431,
  is_exact: true,
  events_scanned: 1_200_000,
  events_pruned: 8_800_000,
  events_cached: 0,
  bytes_scanned: 1,
  bytes_read: 1,
  ms: 310,
};

test('the line says what was found and what it took', () => {
  const events = Array.from({ length: 100 }, () => ({})) as never;
  assert.equal(
    receiptOf({ events, stats, truncated: true }),
    '100 of 12,431 · scanned 1.2M, skipped 8.8M · 310 ms',
  );
  assert.equal(
    receiptOf({ events, stats: { ...stats, is_exact: false }, truncated: true, partial: 'time' }),
    '100 of at least 12,431 · scanned 1.2M, skipped 8.8M · 310 ms · incomplete: the search reached its time limit',
  );
  const one = { ...stats, events_matched: 1, events_cached: 5 };
  assert.equal(
    receiptOf({ events: [{}] as never, stats: one, truncated: false }),
    '1 event · scanned 1.2M, skipped 8.8M, cached 5 · 310 ms',
  );
});
