import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayMs, recordsDue, slowShare } from './wave.ts';

test('records become due at the average rate over whole days', () => {
  for (const days of [0, 1, 2, 100]) {
    const expected = (30 * days * dayMs) / 1000;
    assert.ok(Math.abs(recordsDue(30, days * dayMs) - expected) <= 1, `${days}`);
  }
});

test('the rate swings around its average and never goes back', () => {
  const times = fc.tuple(fc.integer({ min: 0, max: 5 * dayMs }), fc.integer({ min: 1_000, max: 60_000 }));
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 1_000 }), ([startMs, spanMs], recordsPerSecond) => {
      const due = recordsDue(recordsPerSecond, startMs + spanMs) - recordsDue(recordsPerSecond, startMs);
      const average = (recordsPerSecond * spanMs) / 1000;
      assert.ok(due >= 0.4 * average - 1 && due <= 1.6 * average + 1, `${due} of ${average}`);
    }),
  );
});

test('the slow group falls behind at every time of the day', () => {
  const spanMs = 60_000;
  for (let startMs = 0; startMs < 2 * dayMs; startMs += 1_000) {
    const written = recordsDue(30, startMs + spanMs) - recordsDue(30, startMs);
    const read = (30 * slowShare * spanMs) / 1000;
    // The diagnostic about it fails from a quarter.
    assert.ok(written - read >= 0.4 * written, `${written - read} of ${written} at ${startMs} ms`);
  }
});
