import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coreLimits, systemClock } from '@weir/core';
import { createMemoryEvents, type MemoryRecord, type MemoryTopic } from '../../testing/memory-events.ts';
import { naiveEvent, naiveSearch } from '../../testing/naive.ts';
import type { EventSource } from '../event-source.ts';
import { parseFilter } from '../filter/parse.ts';
import type { Filter } from '../filter/tree.ts';
import { QueryCache } from './cache.ts';
import type { EventAnswer, QueryRequest, SearchAnswer, SearchRequest } from './request.ts';
import { type QueryOptions, runQuery } from './run-query.ts';

const startMs = 1_700_000_000_000;
const window = { startMs, endMs: startMs + 3_600_000 };

/** An event every second; every tenth is an error. */
function records(count: number, data: (n: number) => object = () => ({})): MemoryRecord[] {
  return Array.from({ length: count }, (_, n) => ({
    timeMs: startMs + n * 1000,
    text: JSON.stringify({
      id: `event-${n}`,
      type: 'agent_logs',
      data: { log_level: n % 10 === 0 ? 'error' : 'info', n, ...data(n) },
    }),
  }));
}

function topic(differences: Partial<MemoryTopic> = {}): MemoryTopic {
  return {
    type: 'agent_logs',
    records: records(1000),
    startOffset: 0,
    batchSizes: [10],
    sidecars: [],
    ...differences,
  };
}

function filterOf(text: string): Filter {
  return parseFilter(text).filter!;
}

function searchFor(text: string, differences: Partial<SearchRequest> = {}): SearchRequest {
  return {
    kind: 'search',
    types: [],
    window,
    filter: filterOf(text),
    order: 'desc',
    limit: 3,
    ...differences,
  };
}

async function query<Answer>(
  request: QueryRequest,
  source: EventSource,
  options: Partial<QueryOptions> = {},
): Promise<Answer> {
  const signal = new AbortController().signal;
  return (await runQuery(request, source, {
    clock: systemClock,
    signal,
    blockEvents: 100,
    ...options,
  })) as Answer;
}

describe('pruning', () => {
  test('the newest rows are read from the end of the topic', async () => {
    const source = await createMemoryEvents({ topics: [topic()] });
    const answer = await query<SearchAnswer>(searchFor('data.log_level == "error"'), source);
    assert.deepEqual(
      answer.rows.map(({ offset }) => offset),
      [990, 980, 970],
    );
    assert.equal(answer.hasMore, true);
    assert.equal(answer.stats.isExact, false);
    assert.ok(answer.stats.eventsPruned >= 300, `${answer.stats.eventsPruned} pruned`);
  });

  test('the oldest rows are read from its start, if the maximum lateness is known', async () => {
    const source = await createMemoryEvents({ topics: [topic()], latenessMsMax: 20_000 });
    const answer = await query<SearchAnswer>(searchFor('', { order: 'asc' }), source);
    assert.deepEqual(
      answer.rows.map(({ offset }) => offset),
      [0, 1, 2],
    );
    assert.ok(answer.stats.eventsPruned >= 300, `${answer.stats.eventsPruned} pruned`);
  });

  test('a window in the past is not read to the end of the topic', async () => {
    const source = await createMemoryEvents({ topics: [topic()], latenessMsMax: 20_000 });
    const past = { startMs: startMs + 200_000, endMs: startMs + 300_000 };
    const answer = await query<SearchAnswer>(searchFor('', { window: past, limit: 100 }), source);
    assert.equal(answer.rows.length, 100);
    assert.ok(source.calls.reads.every(({ from, to }) => from >= 200 && to <= 400));
  });

  test('a value that no stripe has is ruled out by footers alone', async () => {
    const source = await createMemoryEvents({
      topics: [topic({ sidecars: [{ from: 0, to: 1000 }] })],
      stripeEvents: 100,
    });
    const answer = await query<SearchAnswer>(searchFor('data.log_level == "fatal"'), source);
    assert.deepEqual(answer.rows, []);
    assert.equal(source.calls.pagesRead, 0);
    assert.equal(answer.stats.eventsScanned, 0);
    assert.equal(answer.stats.eventsPruned, 1000);
    assert.equal(answer.stats.isExact, true);
  });

  test('a timeline is computed from columns without reading records', async () => {
    const source = await createMemoryEvents({
      topics: [topic({ sidecars: [{ from: 0, to: 1000 }] })],
      stripeEvents: 100,
    });
    const request = searchFor('data.log_level in ["error", "info"]', {
      limit: 0,
      timeline: { aggregation: 'count', groupBy: { path: ['data', 'log_level'] } },
    });
    const { timeline, stats } = await query<SearchAnswer>(request, source);
    assert.deepEqual(
      timeline!.series.map(({ key, count }) => [key, count]),
      [
        ['info', 900],
        ['error', 100],
      ],
    );
    assert.equal(source.calls.pagesRead, 0);
    assert.equal(stats.eventsParsed, 0);
    assert.equal(stats.isExact, true);
  });

  test('a byte search rules out records before they are parsed', async () => {
    const source = await createMemoryEvents({ topics: [topic()] });
    const { stats } = await query<SearchAnswer>(
      searchFor('data.log_level == "error"', { limit: 100 }),
      source,
    );
    assert.equal(stats.eventsScanned, 1000);
    assert.equal(stats.eventsParsed, 100);
  });
});

describe('caching', () => {
  const request = searchFor('data.log_level == "error"', { limit: 100, timeline: { aggregation: 'count' } });

  test('whole blocks are read once', async () => {
    const source = await createMemoryEvents({ topics: [topic()] });
    const cache = new QueryCache();
    const first = await query<SearchAnswer>(request, source, { cache });
    const second = await query<SearchAnswer>(request, source, { cache });
    assert.equal(second.stats.eventsCached, 1000);
    assert.equal(second.stats.eventsScanned, 0);
    assert.deepEqual(
      [second.rows, second.timeline, second.stats.eventsMatched],
      [first.rows, first.timeline, first.stats.eventsMatched],
    );
  });

  test('a result is not reused for another filter', async () => {
    const source = await createMemoryEvents({ topics: [topic()] });
    const cache = new QueryCache();
    await query<SearchAnswer>(request, source, { cache });
    const other = await query<SearchAnswer>(
      { ...request, filter: filterOf('data.log_level == "info"') },
      source,
      { cache },
    );
    assert.equal(other.stats.eventsCached, 0);
    assert.equal(other.stats.eventsMatched, 900);
  });

  test('the least recently used result is evicted first, and the size limit holds', () => {
    const cache = new QueryCache(4000);
    for (let n = 0; n < 100; n++) {
      cache.set(`key ${n}`, n, 100);
      cache.get('key 0');
      assert.ok(cache.bytes <= 4000);
    }
    assert.equal(cache.get('key 0'), 0);
    assert.equal(cache.get('key 1'), undefined);
    assert.equal(cache.get('key 99'), 99);
  });

  test('a result that is too large is not cached', () => {
    const cache = new QueryCache(4000);
    cache.set('large', 1, 3000);
    assert.equal(cache.get('large'), undefined);
    assert.equal(cache.bytes, 0);
  });
});

describe('termination', () => {
  test('a cancelled query rejects with the reason', async () => {
    const source = await createMemoryEvents({ topics: [topic()] });
    const controller = new AbortController();
    const slow: EventSource = {
      ...source,
      async *read(...parameters) {
        controller.abort(new Error('the caller is gone'));
        yield* source.read(...parameters);
      },
    };
    await assert.rejects(query(searchFor(''), slow, { signal: controller.signal }), /the caller is gone/);
    await assert.rejects(query(searchFor(''), source, { signal: controller.signal }), /the caller is gone/);
  });

  test('a source that hangs does not block a cancelled query', async () => {
    const source = await createMemoryEvents({ topics: [topic()] });
    const controller = new AbortController();
    const hanging: EventSource = {
      ...source,
      async *read() {
        controller.abort(new Error('the caller is gone'));
        await new Promise(() => {});
      },
    };
    await assert.rejects(query(searchFor(''), hanging, { signal: controller.signal }), /the caller is gone/);
  });

  test('a source that fails makes the query fail', async () => {
    const source = await createMemoryEvents({ topics: [topic()] });
    const failing: EventSource = {
      ...source,
      // biome-ignore lint/correctness/useYield: it never comes to that.
      async *read() {
        throw new Error('the store is away');
      },
    };
    await assert.rejects(query(searchFor(''), failing), /the store is away/);
  });

  test('a query that runs out of bytes returns a partial answer', async () => {
    const source = await createMemoryEvents({ topics: [topic()] });
    const request = searchFor('data.n < 5', { limit: 100 });
    const answer = await query<SearchAnswer>(request, source, { budget: { bytes: 10_000 } });
    assert.equal(answer.partial, 'bytes');
    assert.equal(answer.stats.isExact, false);
    assert.ok(answer.stats.eventsScanned < 1000);
  });

  test('a query that runs out of time returns a partial answer, even if the source hangs', async () => {
    const source = await createMemoryEvents({
      topics: [topic({ sidecars: [{ from: 0, to: 500 }] })],
      stripeEvents: 100,
    });
    let isOver = false;
    let passTime = () => {};
    const clock = {
      ...systemClock,
      after(_delayMs: number, run: () => void) {
        if (isOver) run();
        passTime = () => {
          isOver = true;
          run();
        };
        return () => {};
      },
    };
    const hanging: EventSource = {
      ...source,
      async *read(...parameters) {
        const [, from] = parameters;
        if (from >= 500) yield* source.read(...parameters);
        passTime();
        await new Promise(() => {});
      },
    };
    const answer = await query<SearchAnswer>(searchFor('data.n >= 0', { limit: 100 }), hanging, { clock });
    assert.equal(answer.partial, 'time');
  });

  test('rows beyond the size limit of an answer are cut', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const source = await createMemoryEvents({
      topics: [topic({ records: records(12, () => ({ long })), batchSizes: [1] })],
    });
    const answer = await query<SearchAnswer>(searchFor('', { limit: 100 }), source);
    assert.equal(answer.partial, 'answer_bytes');
    assert.equal(answer.rows.length, 7);
    assert.equal(answer.hasMore, true);
  });

  test('a broken sidecar is reported, and its records are read', async () => {
    const source = await createMemoryEvents({
      topics: [topic({ sidecars: [{ from: 0, to: 1000 }] })],
      stripeEvents: 100,
    });
    const [file] = source.files.values();
    const request = searchFor('data.log_level == "error"', { limit: 100 });
    const expected = await naiveSearch(request, source);
    for (const place of [20, Math.floor(file!.length / 2), file!.length - 40, file!.length - 1]) {
      file![place]! ^= 0xff;
      const problems: Error[] = [];
      const { rows } = await query<SearchAnswer>(request, source, {
        onProblem: (error) => problems.push(error),
      });
      assert.deepEqual(rows, expected.rows);
      file![place]! ^= 0xff;
    }
  });

  test('progress is reported until the end', async () => {
    const source = await createMemoryEvents({ topics: [topic()] });
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => (nowMs += 100) };
    const fractions: number[] = [];
    await query(searchFor('data.n == 3', { limit: 100 }), source, {
      clock,
      onProgress: ({ fraction }) => fractions.push(fraction),
    });
    assert.ok(fractions.length > 1);
    assert.deepEqual(
      fractions,
      fractions.toSorted((one, other) => one - other),
    );
    assert.equal(fractions.at(-1), 1);
  });
});

test('a query without any event reports that there is no data', async () => {
  const none = await query<SearchAnswer>(searchFor(''), await createMemoryEvents({ topics: [] }));
  assert.deepEqual([none.rows, none.hasNoData], [[], true]);
  const some = await query<SearchAnswer>(
    searchFor('data.n == -1'),
    await createMemoryEvents({ topics: [topic()] }),
  );
  assert.deepEqual([some.rows, some.hasNoData], [[], false]);
});

test('values beyond the limit are counted together, and the answer is marked as approximate', async () => {
  const count = coreLimits.eventGroupsMax + 10;
  const source = await createMemoryEvents({
    topics: [topic({ records: records(count), batchSizes: [500] })],
  });
  const whole = { startMs, endMs: startMs + count * 1000 };
  const request = searchFor('', {
    window: whole,
    limit: 0,
    timeline: { aggregation: 'count', groupBy: { path: ['id'] } },
  });
  const { timeline } = await query<SearchAnswer>(request, source);
  assert.equal(timeline!.isApproximate, true);
  assert.equal(
    timeline!.series.reduce((sum, one) => sum + one.count, 0),
    count,
  );
  assert.equal(timeline!.series.at(-1)!.key, undefined);
});

describe('one event', () => {
  const topics = [
    topic({ sidecars: [{ from: 0, to: 600 }] }),
    topic({
      type: 'acl_logs',
      records: records(50).map(({ timeMs, text }) => ({ timeMs, text: text.replace('event-', 'acl-') })),
    }),
  ];

  for (const { what, id, nearMs } of [
    { what: 'among records', id: 'event-777' },
    { what: 'in a sidecar', id: 'event-321' },
    { what: 'with a good hint', id: 'event-321', nearMs: startMs + 321_000 },
    { what: 'with a bad hint', id: 'event-321', nearMs: startMs + 3_000_000 },
    { what: 'at the same time as another', id: 'acl-20' },
    { what: 'the first', id: 'event-0' },
    { what: 'the last', id: 'event-999' },
    { what: 'that does not exist', id: 'event-1000' },
  ]) {
    test(what, async () => {
      const source = await createMemoryEvents({ topics, stripeEvents: 50 });
      const request = { kind: 'event', types: [], window, id, nearMs, neighbours: 5 } as const;
      const { stats, partial, hasNoData, ...answer } = await query<EventAnswer>(request, source);
      assert.deepEqual(answer, await naiveEvent(request, source));
    });
  }
});
