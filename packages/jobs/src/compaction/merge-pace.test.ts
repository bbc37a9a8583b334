import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { leastShare, MergePace, spanMs } from './merge-pace.ts';

/** Produce requests every 5 ms, which take `aloneMs` without a merge. A merge asks twice a second. */
function stage(aloneMs = 10) {
  const clock = new HandClock();
  const pace = new MergePace(clock);
  return {
    clock,
    pace,
    requests(seconds: number, latencyMs: (request: number) => number = () => aloneMs) {
      for (let request = 0; request < seconds * 200; request++) {
        clock.advance(5);
        pace.written(latencyMs(request));
      }
    },
    /** Lets a merge run beside requests that depend on how much it works, and returns its shares. */
    merge(seconds: number, latencyMs: (share: number, request: number) => number, merge = pace.begin()) {
      const shares: number[] = [];
      for (let half = 0; half < seconds * 2; half++) {
        const share = merge.share();
        shares.push(share);
        for (let request = 0; request < 100; request++) {
          clock.advance(5);
          pace.written(latencyMs(share, request));
        }
      }
      return shares;
    },
  };
}

test('a merge that clients do not notice soon works all of the time', () => {
  const { requests, merge } = stage();
  requests(5);
  const shares = merge(10, () => 10);
  assert.equal(shares[0], 1 / 4);
  assert.ok(shares.every((share, at) => at === 0 || share >= shares[at - 1]!));
  assert.equal(shares.at(-1), 1);
});

test('one that doubles the time of requests while it works is slowed until few of them notice it', () => {
  const { requests, merge } = stage();
  requests(5);
  // A request meets the merge as often as that works; beyond a quarter of the time they are in each other's way.
  const shares = merge(60, (share, request) => (share > 0.25 && request % 10 === 0 ? 20 : 10));
  const steady = shares.slice(20);
  assert.ok(Math.max(...steady) <= 0.4, `${Math.max(...steady)}`);
  assert.ok(Math.min(...steady) >= leastShare);
  const mean = steady.reduce((sum, share) => sum + share, 0) / steady.length;
  assert.ok(mean > 0.18, `it uses what clients leave: ${mean}`);
});

test('one slow request of a hundred is what requests without a merge have too', () => {
  const { requests, merge } = stage();
  requests(5, (request) => (request % 50 === 0 ? 25 : 10));
  assert.equal(merge(10, (_share, request) => (request % 50 === 0 ? 25 : 10)).at(-1), 1);
});

test('a merge is never slower than its least share, which grows, so that it ends', () => {
  const { requests, merge } = stage();
  requests(5);
  // Clients notice whatever is more than the least.
  const shares = merge((4 * spanMs) / 1_000, (share) => (share > leastShare ? 30 : 10));
  const stepsPerSpan = spanMs / 500;
  const first = shares.slice(20, stepsPerSpan);
  assert.equal(Math.min(...first), leastShare);
  assert.ok(Math.max(...first) < 2 * leastShare, `${Math.max(...first)}`);
  for (const [step, share] of shares.entries()) {
    const least = Math.min(1, leastShare * 2 ** Math.floor(step / stepsPerSpan));
    assert.ok(share >= least, `${share} in step ${step}`);
  }
  assert.equal(shares.at(-1), 1);
});

test('requests that stay slow beside a merge that hardly works are slow for another reason', () => {
  const { requests, merge } = stage();
  requests(5);
  const shares = merge(60, () => 50);
  assert.equal(Math.min(...shares), leastShare);
  assert.equal(shares.at(-1), 1);
});

test('without requests, or before any were seen, merges work all of the time', () => {
  assert.equal(stage().pace.begin().share(), 1);
  const busy = stage();
  busy.requests(5);
  const merge = busy.pace.begin();
  assert.equal(merge.share(), 1 / 4);
  for (let half = 0; half < 40; half++) {
    busy.clock.advance(500);
    merge.share();
  }
  assert.equal(merge.share(), 1);
});

test('times right after a merge do not count as times without one', () => {
  const { clock, pace, requests, merge } = stage();
  requests(5);
  pace.begin().end();
  for (let request = 0; request < 190; request++) {
    clock.advance(5);
    pace.written(1_000);
  }
  requests(2);
  assert.ok(Math.min(...merge(5, () => 30)) < 1 / 4, 'requests of 30 ms are slow');
});
