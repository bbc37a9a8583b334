import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { createMemoryEvents, type MemoryTopic } from '../../testing/memory-events.ts';
import type { EventSource } from '../event-source.ts';
import type { EventTypeName } from '../event-types.ts';
import { parseFilter } from '../filter/parse.ts';
import type { EstimateAnswer, EstimateRequest, SearchAnswer } from './request.ts';
import { runQuery } from './run-query.ts';

const startMs = 1_700_000_000_000;
const hourMs = 3_600_000;
const window = { startMs, endMs: startMs + hourMs };
const signal = new AbortController().signal;

/** An event every second, with one of two levels and a unique message. */
function topic(type: EventTypeName, count: number, sidecars: MemoryTopic['sidecars'] = []): MemoryTopic {
  const records = Array.from({ length: count }, (_, n) => ({
    timeMs: startMs + n * 1000,
    text: JSON.stringify({
      id: `${type}-${n}`,
      type,
      data: { log_level: n % 10 === 0 ? 'error' : 'info', message: `message ${n} ${'x'.repeat(60)}` },
    }),
  }));
  return { type, records, startOffset: 0, batchSizes: [10], sidecars };
}

async function estimate(source: EventSource, text: string, differences: Partial<EstimateRequest> = {}) {
  const { filter } = parseFilter(text);
  const request = { kind: 'estimate', types: [], window, filter: filter!, ...differences } as const;
  return (await runQuery(request, source, { clock: systemClock, signal })) as EstimateAnswer;
}

const columns = [{ from: 0, to: 6000 }];
const rows: [
  what: string,
  topics: readonly MemoryTopic[],
  filter: string,
  differences: Partial<EstimateRequest>,
  events: number,
][] = [
  ['everything', [topic('agent_logs', 3000), topic('acl_logs', 500)], '', {}, 3500],
  ['of one type', [topic('agent_logs', 3000), topic('acl_logs', 500)], '', { types: ['acl_logs'] }, 500],
  [
    'of ten minutes',
    [topic('agent_logs', 3000)],
    '',
    { window: { startMs: startMs + 2_400_000, endMs: startMs + hourMs } },
    600,
  ],
  ['in columns', [topic('agent_logs', 6000, columns)], 'data.log_level == "error"', {}, 3600],
  ['that columns rule out', [topic('agent_logs', 6000, columns)], 'data.log_level == "fatal"', {}, 0],
  ['that no event has', [], '', {}, 0],
];
for (const [what, topics, filter, differences, events] of rows) {
  test(`events ${what}: ${events} of them, without reading one`, async () => {
    const source = await createMemoryEvents({ topics, stripeEvents: 600 });
    const found = await estimate(source, filter, differences);
    assert.equal(found.events, events);
    assert.equal(found.bytes > 0, events > 0);
    assert.equal(found.hasNoData, topics.length === 0);
    assert.equal(source.calls.pagesRead, 0);
  });
}

for (const [what, filter, sidecars] of [
  ['records', 'data.log_level == "error"', []],
  ['columns', 'data.log_level == "error"', columns],
  ['columns, and records for what these have not', 'data.message like "%message 7%"', columns],
] as const) {
  test(`the bytes are those of ${what}, as the search reads them`, async () => {
    const options = { topics: [topic('agent_logs', 3600, sidecars)], stripeEvents: 600 };
    const estimated = await estimate(await createMemoryEvents(options), filter);
    const timeline = { aggregation: 'count' } as const;
    const search = { kind: 'search', types: [], window, order: 'desc', limit: 0, timeline } as const;
    const { stats } = (await runQuery(
      { ...search, filter: parseFilter(filter).filter! },
      await createMemoryEvents(options),
      { clock: systemClock, signal },
    )) as SearchAnswer;
    // The estimate itself reads the footers.
    assert.equal(estimated.bytes, stats.bytesRead - estimated.stats.bytesRead);
  });
}

test('a source that hangs does not block a cancelled estimate', async () => {
  const source = await createMemoryEvents({ topics: [topic('agent_logs', 100)] });
  const hanging: EventSource = { ...source, storedBytes: () => new Promise(() => {}) };
  const filter = parseFilter('').filter!;
  const leave = new AbortController();
  const running = runQuery({ kind: 'estimate', types: [], window, filter }, hanging, {
    clock: systemClock,
    signal: leave.signal,
  });
  leave.abort(new Error('the caller is gone'));
  await assert.rejects(running, /the caller is gone/);
});
