import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { burstOf, RateWindow, windowAllowance } from './rate-window.ts';

type Amounts = [atMs: number, amount: number][];

function windowOf(amounts: Amounts): RateWindow {
  const window = new RateWindow();
  for (const [atMs, amount] of amounts) window.record(amount, atMs);
  return window;
}

test('a client that exceeded its rate waits until the rate is within the quota', () => {
  const cases: [label: string, amounts: Amounts, perSecondMax: number, nowMs: number, waitMs: number][] = [
    ['nothing', [], 100, 0, 0],
    ['as much as ten seconds allow', [[0, 1000]], 100, 0, 0],
    ['a fifth more', [[0, 1200]], 100, 0, 2000],
    ['twice as much', [[0, 2000]], 100, 0, 10_000],
    ['some time later', [[0, 2000]], 100, 500, 9500],
    ['later still', [[0, 2000]], 100, 9000, 10_000],
    ['at the end of the eleventh second', [[0, 2000]], 100, 10_999, 9001],
    ['after the window has passed', [[0, 2000]], 100, 11_000, 0],
    ['steadily', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((s) => [s * 1000, 100]), 100, 10_000, 1000],
    [
      'steadily, and its second is over',
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((s) => [s * 1000, 100]),
      100,
      10_000,
      0,
    ],
    [
      'taken back',
      [
        [0, 2000],
        [0, -2000],
      ],
      100,
      0,
      0,
    ],
  ];
  for (const [label, amounts, perSecondMax, nowMs, waitMs] of cases) {
    assert.equal(windowOf(amounts).excessMs(perSecondMax, nowMs), waitMs, label);
  }
});

test('nothing older than the window counts, and everything younger than the window minus a second does', () => {
  const amounts = fc.array(fc.record({ pauseMs: fc.nat(4000), amount: fc.nat(1000) }), { maxLength: 60 });
  fc.assert(
    fc.property(amounts, (rows) => {
      const window = new RateWindow();
      const taken: Amounts = [];
      let nowMs = 5;
      for (const { pauseMs, amount } of rows) {
        nowMs += pauseMs;
        window.record(amount, nowMs);
        taken.push([nowMs, amount]);
        const since = (ms: number) =>
          taken.reduce((sum, [at, one]) => (nowMs - at < ms ? sum + one : sum), 0);
        const total = window.total(nowMs);
        assert.ok(total >= since(10_000), 'too little');
        assert.ok(total <= since(11_000), 'too much');
        const windowMs = window.windowMs(nowMs);
        assert.ok(windowMs >= 10_000 && windowMs <= 11_000, `${windowMs} ms`);
      }
    }),
  );
});

test('a client that observes its throttle times stays within twice its rate, for any pattern of requests', () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(amounts, fc.integer({ min: 10, max: 5000 }), (sizes, perSecondMax) => {
      const window = new RateWindow();
      let nowMs = 0;
      let total = 0;
      for (const size of sizes) {
        total += size;
        window.record(size, nowMs);
        nowMs += window.excessMs(perSecondMax, nowMs);
      }
      const largest = Math.max(...sizes);
      // A request is accepted before it is counted, and after a wait of a whole window the client has the credit of one
      // window.
      assert.ok(total <= (2 * perSecondMax * (nowMs + 11_000)) / 1000 + largest, `${total} in ${nowMs} ms`);
    }),
  );
});

test('the allowance of a window, and the burst', () => {
  assert.deepEqual([windowAllowance(100), burstOf(100)], [1000, 1100]);
});
