import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { createMemoryEvents, type MemoryTopic } from '../../testing/memory-events.ts';
import type { EventTypeName } from '../event-types.ts';
import { parseFilter } from '../filter/parse.ts';
import { occurrencesOf } from './occurrences.ts';
import type { SearchAnswer, TimelineRequest } from './request.ts';
import { runQuery } from './run-query.ts';

const startMs = 1_700_000_000_000;

/**
 * A denial a minute of each of two principals; before each of those of bob eleven were left out, except the first, and
 * before the last of ann five others.
 */
const data = Array.from({ length: 20 }, (_, n) => ({
  principal: n % 2 === 0 ? 'User:bob' : 'User:ann',
  ...(n % 2 === 0 && n > 0 ? { suppressed: 11 } : {}),
  ...(n === 19 ? { suppressed_others: 5 } : {}),
}));

async function totals(type: EventTypeName, sidecars: MemoryTopic['sidecars'], timeline: TimelineRequest) {
  const source = await createMemoryEvents({
    topics: [
      {
        type,
        records: data.map((one, n) => ({
          timeMs: startMs + n * 30_000,
          text: JSON.stringify({ type, data: one }),
        })),
        startOffset: 0,
        batchSizes: [3],
        sidecars,
      },
    ],
  });
  const answer = (await runQuery(
    {
      kind: 'search',
      types: [type],
      window: { startMs, endMs: startMs + 3_600_000 },
      filter: parseFilter('').filter!,
      order: 'desc',
      limit: 5,
      timeline,
    },
    source,
    { clock: systemClock, signal: new AbortController().signal },
  )) as SearchAnswer;
  assert.equal(answer.stats.eventsMatched, 20, 'events are the recorded ones');
  return Object.fromEntries(answer.timeline!.series.map(({ key, total }) => [String(key), total]));
}

const byPrincipal: TimelineRequest = { aggregation: 'count', groupBy: { path: ['data', 'principal'] } };

for (const [place, sidecars] of [
  ['records', []],
  ['sidecars', [{ from: 0, to: 20 }]],
  ['both', [{ from: 4, to: 13 }]],
] as const) {
  test(`counts of denials include those that were left out: ${place}`, async () => {
    assert.deepEqual(await totals('acl_logs', sidecars, { aggregation: 'count' }), { null: 124 });
    assert.deepEqual(await totals('acl_logs', sidecars, byPrincipal), { 'User:bob': 109, 'User:ann': 15 });
  });

  test(`other types and aggregates of numbers count events: ${place}`, async () => {
    assert.deepEqual(await totals('agent_logs', sidecars, { aggregation: 'count' }), { null: 20 });
    const field = { path: ['data', 'suppressed'] };
    assert.deepEqual(await totals('acl_logs', sidecars, { aggregation: 'sum', field }), { null: 99 });
    assert.deepEqual(await totals('acl_logs', sidecars, { aggregation: 'avg', field }), { null: 11 });
  });
}

test('only one whole positive number counts', () => {
  const cases: readonly (readonly [readonly number[], number])[] = [
    [[], 1],
    [[11], 12],
    [[0], 1],
    [[-3], 1],
    [[0.5], 1],
    [[1e300], 1],
    [[1, 2], 1],
  ];
  for (const [numbers, times] of cases) {
    assert.equal(occurrencesOf([numbers]), times, String(numbers));
    assert.equal(occurrencesOf([numbers, [5]]), times + 5, `${numbers}, and others`);
  }
  assert.equal(occurrencesOf([]), 1);
});
