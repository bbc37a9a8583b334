import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, seededRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { latencyStore } from '../../testing/latency-store.ts';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { pause } from '../store/abort.ts';
import { aroundStore } from '../store/around.ts';
import { StoreError } from '../store/store-error.ts';
import { stuckMs, withHedge } from './hedge.ts';
import { LatencyWindow } from './latency-window.ts';

/** A hedged store with latencies from the test, and the number of requests it got. */
function hedged(latencyMs: () => number) {
  const clock = new HandClock();
  const metrics = new Metrics();
  let requests = 0;
  const slow = latencyStore(emptyMemoryStore(), { clock, random: seededRandom(1), latencyMs });
  const counted = aroundStore(slow, (call) => {
    requests++;
    return call.run(call.signal);
  });
  return {
    store: withHedge(counted, { clock, metrics, delayMsMin: 5 }),
    clock,
    metrics,
    requests: () => requests,
  };
}

const content = [Buffer.from('x')];

test('the window has no percentile at first, and forgets old samples', () => {
  const window = new LatencyWindow(0.99);
  for (let i = 0; i < 31; i++) window.add(1000);
  assert.equal(window.percentileMs, undefined);
  for (let i = 1; i <= 1000; i++) window.add(i % 100);
  assert.equal(window.percentileMs, 99);
  for (let i = 0; i < 272; i++) window.add(3);
  assert.equal(window.percentileMs, 3);
});

test('the percentile of the window is that of all samples but the latest few', () => {
  const window = new LatencyWindow(0.5);
  for (let i = 0; i < 32; i++) window.add(1);
  assert.equal(window.percentileMs, 1);
  for (let i = 0; i < 15; i++) window.add(2);
  assert.equal(window.percentileMs, 1, 'not sorted again for each of them');
  for (let i = 0; i < 20; i++) window.add(2);
  assert.equal(window.percentileMs, 2);
});

test('a request that is slower than the 99th percentile is sent again, and the first answer wins', async () => {
  let latencyMs = () => 10;
  const { store, clock, metrics, requests } = hedged(() => latencyMs());
  for (let i = 0; i < 64; i++) await clock.until(store.head('key'));
  assert.equal(requests(), 64);

  const latencies = [10_000, 10];
  latencyMs = () => latencies.shift()!;
  const startMs = clock.monotonicMs();
  await clock.until(store.head('key'));
  assert.equal(clock.monotonicMs() - startMs, 21);
  assert.equal(requests(), 66);
  assert.equal(clock.waiting, 0, 'the loser was aborted');
  assert.match(metrics.render(), /fast_retrier_speculative_retry\{operation="head",outcome="won"\} 1/);
  assert.match(metrics.render(), /fast_retrier_p99_ms\{operation="head"\} 10/);

  const [slow, slower] = [15, 100];
  latencyMs = () => (latencies.length++ === 0 ? slow : slower);
  await clock.until(store.head('key'));
  assert.match(metrics.render(), /fast_retrier_speculative_retry\{operation="head",outcome="lost"\} 1/);
});

test('requests that change something are never hedged', async () => {
  let latencyMs = 10;
  const { store, clock, requests } = hedged(() => latencyMs);
  for (let i = 0; i < 64; i++) {
    await clock.until(store.put('key', content));
    await clock.until(store.delete('key'));
  }
  latencyMs = 1000;
  const before = requests();
  await clock.until(store.put('key', content));
  await clock.until(store.delete('key'));
  await clock.until(store.putIfAbsent('key', content));
  assert.equal(requests(), before + 3);
});

test('when all requests are slow, hedging stops', async () => {
  let latencyMs = 10;
  const { store, clock, requests } = hedged(() => latencyMs);
  for (let i = 0; i < 64; i++) await clock.until(store.head('key'));
  latencyMs = 1000;
  const before = requests();
  // The window has not learned the new latency yet: it sorts after every 16th answer.
  await clock.until(Promise.all(Array.from({ length: 200 }, () => store.head('key'))));
  assert.ok(requests() - before <= 200 + 8 + 200 * 0.05, `${requests() - before} requests`);
});

test('if both fail, the first failure is thrown; one failure alone is none', async () => {
  const clock = new HandClock();
  const metrics = new Metrics();
  const outcomes: ('ok' | 'late ok' | StoreError)[] = [];
  const inner = aroundStore(emptyMemoryStore(), async ({ run, signal }) => {
    const outcome = outcomes.shift() ?? 'ok';
    await new Promise<void>((resolve) => clock.after(outcome === 'ok' ? 1 : 50, resolve));
    if (outcome instanceof StoreError) throw outcome;
    return await run(signal);
  });
  const store = withHedge(inner, { clock, metrics, delayMsMin: 5 });
  for (let i = 0; i < 64; i++) await clock.until(store.head('key'));
  const [first, second] = [1, 2].map((n) => new StoreError('unavailable', 'key', `failure ${n}`));

  outcomes.push(first!, second!);
  await assert.rejects(clock.until(store.head('key')), /failure 1/);
  outcomes.push(first!, 'late ok');
  assert.equal(await clock.until(store.head('key')), undefined);
  outcomes.push('late ok', second!);
  assert.equal(await clock.until(store.head('key')), undefined);
});

test('a call ends soon after a store that hung is back', async () => {
  for (const hangMs of [1_500, 5_000, 9_900]) {
    // What it accepted while it hung is never answered.
    const { store, clock, requests } = hedged(() => (clock.monotonicMs() < hangMs ? 1e9 : 10));
    await clock.until(store.head('key'));
    assert.ok(clock.monotonicMs() <= hangMs + stuckMs + 10, `${clock.monotonicMs()} ms`);
    assert.equal(requests(), 1 + Math.ceil(hangMs / stuckMs));
    assert.equal(clock.waiting, 0, 'all others were aborted');
  }
});

test('a call fails with its first request', async () => {
  const clock = new HandClock();
  const error = new StoreError('timeout', 'key', 'no answer');
  let requests = 0;
  const hanging = aroundStore(emptyMemoryStore(), async ({ signal }) => {
    const isFirst = requests++ === 0;
    await pause(clock, isFirst ? 10_000 : 1e9, signal);
    throw error;
  });
  const store = withHedge(hanging, { clock, metrics: new Metrics(), delayMsMin: 5 });
  await assert.rejects(clock.until(store.head('key')), error);
  assert.ok(clock.monotonicMs() <= 10_000 + stuckMs);
  assert.equal(clock.waiting, 0);
});
