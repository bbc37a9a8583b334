import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deletedByChange } from './deletion-warning.ts';

const nothing: Parameters<typeof deletedByChange>[0] = {
  records: 0,
  bytes: 0,
  topic_count: 0,
  topics: [],
  deleted_topic_count: 0,
  deleted_topic_bytes: 0,
  is_complete: true,
};
const orders = { topic_count: 1, topics: [{ name: 'orders' }] };

const cases: [estimate: Partial<typeof nothing>, text: string | undefined][] = [
  [{}, undefined],
  [{ ...orders, records: 1, bytes: 70 }, '1 record (70 B) of orders'],
  [{ ...orders, records: 1_250_000, bytes: 3.5 * 2 ** 30 }, '1,250,000 records (3.5 GiB) of orders'],
  [{ ...orders, topic_count: 12, records: 5, bytes: 1023 }, '5 records (1,023 B) of 12 topics'],
  [{ ...orders, records: 5, bytes: 2048, is_complete: false }, 'at least 5 records (2 KiB) of orders'],
  [{ is_complete: false }, 'records; there are too many to count them here'],
  [
    { deleted_topic_count: 2, deleted_topic_bytes: 50 * 2 ** 20 },
    '2 deleted topics (50 MiB) that can still be restored',
  ],
  [
    { ...orders, records: 5, bytes: 50, deleted_topic_count: 1, deleted_topic_bytes: 0 },
    '5 records (50 B) of orders, and 1 deleted topic (0 B) that can still be restored',
  ],
];

for (const [estimate, text] of cases) {
  test(`what a change deletes: ${text}`, () => {
    assert.equal(deletedByChange({ ...nothing, ...estimate }), text);
  });
}
