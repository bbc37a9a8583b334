import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { createMemoryEvents, pageOf } from '../../testing/memory-events.ts';
import { parseFilter } from '../filter/parse.ts';
import type { SearchRequest } from './request.ts';
import { runQuery } from './run-query.ts';
import { compileScan } from './scan.ts';
import { scanPages } from './scan-pages.ts';
import { createWorkerPool } from './worker-pool.ts';

const records = Array.from({ length: 500 }, (_, n) => ({
  timeMs: 1000 + n,
  text: JSON.stringify({ id: `event-${n}`, data: { n, level: n % 7 === 0 ? 'warn' : 'info' } }),
}));
const topics = [
  {
    type: 'agent_logs' as const,
    records,
    startOffset: 0,
    batchSizes: [25],
    sidecars: [{ from: 0, to: 250 }],
  },
];
const request: SearchRequest = {
  kind: 'search',
  types: [],
  window: { startMs: 0, endMs: 60_000 },
  filter: parseFilter('data.level == "warn" and data.n >= 3').filter!,
  order: 'desc',
  limit: 50,
  timeline: { aggregation: 'sum', field: { path: ['data', 'n'] }, groupBy: { path: ['data', 'level'] } },
};

test('worker threads give the same results as the serving thread', async () => {
  const pool = createWorkerPool({ clock: systemClock, size: 2 });
  assert.equal(pool.threads, 0);
  const source = await createMemoryEvents({ topics });
  const options = { clock: systemClock, signal: new AbortController().signal, blockEvents: 50 };
  const { stats: _, ...here } = await runQuery(request, source, options);
  const { stats: __, ...there } = await runQuery(request, source, { ...options, evaluator: pool });
  assert.deepEqual(there, here);
  assert.equal(pool.threads, 2);
  await pool.end();
  assert.equal(pool.threads, 0);
});

const scan = { ...request, id: 'scan', timeline: undefined };

test('pages are transferred, not copied', async () => {
  const pool = createWorkerPool({ clock: systemClock, size: 1 });
  const page = pageOf(0, records);
  const part = { kind: 'pages', type: 'agent_logs', pages: [page], fromOffset: 0, toOffset: 500 } as const;
  const expected = scanPages(compileScan(scan), { ...part, pages: [pageOf(0, records)] });
  assert.deepEqual(await pool.scan(scan, part), expected);
  assert.equal(page.bytes.length, 0);
  await pool.end();
});

test('idle threads end', async () => {
  let endIdle = () => {};
  const clock = {
    ...systemClock,
    after(_delayMs: number, run: () => void) {
      endIdle = run;
      return () => {};
    },
  };
  const pool = createWorkerPool({ clock, size: 1 });
  const part = () =>
    ({
      kind: 'pages',
      type: 'agent_logs',
      pages: [pageOf(0, records)],
      fromOffset: 0,
      toOffset: 500,
    }) as const;
  await pool.scan(scan, part());
  assert.equal(pool.threads, 1);
  endIdle();
  assert.equal(pool.threads, 0);
  assert.ok((await pool.scan(scan, part())).matched > 0);
  await pool.end();
});

test('ending the pool rejects waiting tasks', async () => {
  const pool = createWorkerPool({ clock: systemClock, size: 1 });
  const part = { kind: 'pages', type: 'agent_logs', pages: [], fromOffset: 0, toOffset: 1 } as const;
  const waiting = [pool.scan(scan, part), pool.scan(scan, part)];
  const settled = Promise.allSettled(waiting);
  await pool.end();
  assert.ok((await settled).every(({ status }) => status === 'rejected'));
  await assert.rejects(pool.scan(scan, part), /have ended/);
});

test('an unreadable part is an error, and the thread continues', async () => {
  const pool = createWorkerPool({ clock: systemClock, size: 1 });
  const broken = {
    kind: 'pages',
    type: 'agent_logs',
    pages: [{} as never],
    fromOffset: 0,
    toOffset: 1,
  } as const;
  await assert.rejects(pool.scan(scan, broken));
  const part = {
    kind: 'pages',
    type: 'agent_logs',
    pages: [pageOf(0, records)],
    fromOffset: 0,
    toOffset: 500,
  } as const;
  assert.ok((await pool.scan(scan, part)).matched > 0);
  await pool.end();
});
