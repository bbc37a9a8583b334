import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, MiB } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import fc from 'fast-check';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { stuckMs } from '../decorators/hedge.ts';
import { pause } from '../store/abort.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import {
  HedgedUploads,
  hedgeDelayMsMax,
  hedgesPerUpload,
  savedHedgesMax,
  type Upload,
  urgentDelayMs,
} from './hedged-uploads.ts';

interface Answer {
  readonly latencyMs: number;
  readonly error?: StoreError;
}

/** Uploads to a store whose answers the test chooses. */
function hedged(next: () => Answer) {
  const clock = new HandClock();
  const metrics = new Metrics();
  const dead: string[] = [];
  const stored = new Set<string>();
  let requests = 0;
  let using = 0;
  const store: ObjectStore = {
    ...emptyMemoryStore(),
    async put(key, _content, { signal } = {}) {
      requests++;
      using++;
      const { latencyMs, error } = next();
      try {
        await pause(clock, latencyMs, signal);
        if (error !== undefined) throw error;
        stored.add(key);
      } finally {
        using--;
      }
    },
  };
  const uploads = new HedgedUploads({ store, clock, metrics, onDead: (key) => dead.push(key) });
  let count = 0;
  const stop = new AbortController();
  return {
    clock,
    metrics,
    dead,
    stored,
    stop,
    requests: () => requests,
    using: () => using,
    /** Uploads under `<n>/first` and, if necessary, `<n>/second`, `<n>/3` and so on. */
    async put(options: { bytes?: number; isUrgent?: boolean } = {}): Promise<Upload> {
      const n = count++;
      const content = [Buffer.alloc(options.bytes ?? 1)];
      const { isUrgent = false } = options;
      let others = 1;
      const another = () => ({ key: `${n}/${++others === 2 ? 'second' : others}`, content });
      const put = uploads.put({ key: `${n}/first`, content }, another, { signal: stop.signal, isUrgent });
      return await clock.until(put);
    },
  };
}

async function warmUp({ put }: ReturnType<typeof hedged>, bytes = 1): Promise<void> {
  for (let i = 0; i < 64; i++) await put({ bytes });
}

test('a slow upload is sent again under another key; the first that is stored counts and the other is dead', async () => {
  const answers: Answer[] = [];
  const stage = hedged(() => answers.shift() ?? { latencyMs: 60 });
  await warmUp(stage);
  assert.equal(stage.requests(), 64);
  assert.deepEqual(stage.dead, []);

  answers.push({ latencyMs: 10_000 }, { latencyMs: 30 });
  const startMs = stage.clock.monotonicMs();
  assert.equal((await stage.put()).key, '64/second');
  assert.equal(stage.clock.monotonicMs() - startMs, 61 + 30);
  assert.equal(stage.requests(), 66);
  assert.equal(stage.using(), 0, 'the slower upload has let go of the content');
  assert.deepEqual(stage.dead, ['64/first']);

  answers.push({ latencyMs: 80 }, { latencyMs: 10_000 });
  assert.equal((await stage.put()).key, '65/first');
  assert.deepEqual(stage.dead, ['64/first', '65/second']);
  assert.match(stage.metrics.render(), /speculative_retry\{operation="put",outcome="won"\} 1/);
  assert.match(stage.metrics.render(), /speculative_retry\{operation="put",outcome="lost"\} 1/);
  assert.equal(stage.clock.waiting, 0);
});

test('one failure of two is none; if both fail, the first error counts and both keys are dead', async () => {
  const answers: Answer[] = [];
  const stage = hedged(() => answers.shift() ?? { latencyMs: 60 });
  await warmUp(stage);
  const [one, two] = [1, 2].map((n) => new StoreError('unavailable', 'key', `failure ${n}`));

  answers.push({ latencyMs: 70, error: one! }, { latencyMs: 200 });
  assert.equal((await stage.put()).key, '64/second');
  answers.push({ latencyMs: 200 }, { latencyMs: 10, error: two! });
  assert.equal((await stage.put()).key, '65/first');
  assert.deepEqual(stage.dead, ['64/first', '65/second']);

  answers.push({ latencyMs: 100, error: one! }, { latencyMs: 100, error: two! });
  await assert.rejects(stage.put(), /failure 1/);
  assert.deepEqual(stage.dead.slice(2), ['66/first', '66/second']);

  answers.push({ latencyMs: 10, error: one! });
  await assert.rejects(stage.put(), /failure 1/);
  assert.equal(stage.dead.at(-1), '67/first', 'what failed before the delay is not sent again');
  assert.equal(stage.clock.waiting, 0);
});

test('an upload that is given up stops both requests', async () => {
  const answers: Answer[] = [];
  const stage = hedged(() => answers.shift() ?? { latencyMs: 60 });
  await warmUp(stage);
  answers.push({ latencyMs: 10_000 }, { latencyMs: 10_000 });
  stage.clock.after(100, () => stage.stop.abort(new Error('given up')));
  await assert.rejects(stage.put(), /given up/);
  assert.equal(stage.using(), 0);
  assert.deepEqual(stage.dead, ['64/first', '64/second']);
});

test('hedges stay within their budget when the whole store becomes slow', async () => {
  let latencyMs = 60;
  const stage = hedged(() => ({ latencyMs }));
  await warmUp(stage);
  // Slower each time, so that no percentile ever covers it.
  const before = stage.requests();
  for (let i = 0; i < 200; i++) {
    latencyMs = Math.min(900, latencyMs * 1.2);
    if (latencyMs === 900) latencyMs = 60 + i * 4;
    await stage.put();
  }
  const hedges = stage.requests() - before - 200;
  assert.ok(hedges > savedHedgesMax, `${hedges} hedges`);
  assert.ok(hedges <= savedHedgesMax + 200 * hedgesPerUpload, `${hedges} hedges`);
});

test('with too few samples only a stuck upload is sent again', async () => {
  const answers: Answer[] = [{ latencyMs: 900 }, { latencyMs: 5_000 }, { latencyMs: 5 }];
  const stage = hedged(() => answers.shift()!);
  assert.equal((await stage.put()).key, '0/first');
  const startMs = stage.clock.monotonicMs();
  assert.equal((await stage.put()).key, '1/second');
  assert.equal(stage.clock.monotonicMs() - startMs, hedgeDelayMsMax + 1 + 5);
});

test('large uploads are compared with large ones, once there are enough of them', async () => {
  const answers: Answer[] = [];
  let usualMs = 30;
  const stage = hedged(() => answers.shift() ?? { latencyMs: usualMs });
  await warmUp(stage);
  answers.push({ latencyMs: 100 }, { latencyMs: 100 });
  await stage.put({ bytes: 3 * MiB });
  assert.equal(stage.requests(), 66, 'an unknown class has the delay of all');
  usualMs = 100;
  await warmUp(stage, 3 * MiB);
  const before = stage.requests();
  answers.push({ latencyMs: 90 });
  await stage.put({ bytes: 3 * MiB });
  assert.equal(stage.requests(), before + 1);
});

test('an urgent upload is sent three times almost at once, without a budget, unless the store is fast', async () => {
  const answers: Answer[] = [];
  const stage = hedged(() => answers.shift() ?? { latencyMs: 60 });
  const urgent = async (...latenciesMs: number[]) => {
    answers.push(...latenciesMs.map((latencyMs) => ({ latencyMs })));
    const [startMs, requests] = [stage.clock.monotonicMs(), stage.requests()];
    const { key } = await stage.put({ isUrgent: true });
    answers.length = 0;
    const tookMs = stage.clock.monotonicMs() - startMs;
    return { name: key.split('/')[1], tookMs, requests: stage.requests() - requests };
  };
  // Whether the store is slow is not known.
  assert.deepEqual(await urgent(90, 90, 20), { name: '3', tookMs: 2 * urgentDelayMs + 20, requests: 3 });
  for (let i = 0; i < 50; i++)
    assert.deepEqual(await urgent(90, 40, 90), { name: 'second', tookMs: 40, requests: 3 });
  assert.deepEqual(await urgent(90, 90, 15), { name: '3', tookMs: urgentDelayMs + 15, requests: 3 });
  assert.deepEqual(await urgent(90, 8, 1), { name: 'second', tookMs: 8, requests: 2 });

  for (let i = 0; i < 50; i++) await urgent(8, 90, 90);
  assert.deepEqual(await urgent(8, 1, 1), { name: 'first', tookMs: 8, requests: 1 });
  assert.equal(stage.clock.waiting, 0);
});

test('whatever the store does, a stored upload is found under the returned key, and all other keys are dead', async () => {
  const answer = fc.record({ latencyMs: fc.integer({ min: 0, max: 200 }), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 2, maxLength: 40 }), async (script) => {
      const answers = script.map(({ latencyMs, fails }) => ({
        latencyMs,
        ...(fails ? { error: new StoreError('unavailable', 'key', 'no') } : {}),
      }));
      const own = hedged(() => answers.shift() ?? { latencyMs: 60 });
      const returned: string[] = [];
      let puts = 0;
      while (answers.length > 0) {
        const isUrgent = puts % 2 === 0;
        await own.put({ isUrgent }).then(
          ({ key }) => returned.push(key),
          () => {},
        );
        puts++;
      }
      for (const key of returned) assert.ok(own.stored.has(key));
      assert.equal(returned.length + own.dead.length, own.requests());
      for (const key of own.dead) assert.ok(!returned.includes(key));
      assert.equal(own.using(), 0);
    }),
    { numRuns: 50 },
  );
});

for (const hangMs of [500, 1_500, 2_500, 5_000, 9_900, 60_000])
  test(`uploads end soon after a store that hung for ${hangMs} ms is back`, async () => {
    let usingMax = 0;
    // What it accepted while it hung is never answered.
    const stage = hedged(() => {
      usingMax = Math.max(usingMax, stage.using());
      return { latencyMs: stage.clock.monotonicMs() < hangMs ? 1e9 : 30 };
    });
    await stage.put();
    assert.ok(stage.clock.monotonicMs() <= hangMs + stuckMs + 30, `${stage.clock.monotonicMs()} ms`);
    assert.ok(usingMax <= 3, `${usingMax} at a time`);
    assert.equal(stage.using(), 0);
    assert.equal(stage.dead.length, stage.requests() - 1);
    assert.equal(stage.clock.waiting, 0);
  });

test('a store that is only slow stores the first upload, and fails when that fails', async () => {
  const error = new StoreError('timeout', 'key', 'too slow');
  const answers: Answer[] = [];
  const stage = hedged(() => answers.shift() ?? { latencyMs: 7_000 });
  assert.equal((await stage.put()).key, '0/first');
  assert.equal(stage.clock.monotonicMs(), 7_000);
  answers.push({ latencyMs: 30_000, error });
  await assert.rejects(stage.put(), error);
  assert.ok(stage.clock.monotonicMs() <= 37_000 + stuckMs);
  assert.equal(stage.using(), 0);
  assert.equal(stage.clock.waiting, 0);
});
