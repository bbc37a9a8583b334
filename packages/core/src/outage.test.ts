import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '../testing/hand-clock.ts';
import { Outage } from './outage.ts';

test('an outage is one line per change, one a minute, and one at its end', () => {
  const clock = new HandClock();
  const outage = new Outage(clock, 100);
  const full = new Error('no space left on device: /data/weir.db');
  assert.equal(outage.ended(), undefined);
  assert.deepEqual(outage.failed(full), { error: String(full) });
  for (let failure = 0; failure < 599; failure++) {
    clock.advance(100);
    assert.equal(outage.failed(full), undefined);
  }
  clock.advance(100);
  assert.deepEqual(outage.failed(full), { error: String(full), repeated: 599 });
  assert.equal(outage.failed(full), undefined);
  assert.deepEqual(outage.failed(new Error('other')), { error: 'Error: other', repeated: 1 });
  assert.deepEqual(outage.ended(), { failureCount: 603, elapsedMs: 60_000 });
  assert.equal(outage.ended(), undefined);
  assert.deepEqual(outage.failed(full), { error: String(full) }, 'the next outage is a new one');
});

test('attempts get rarer, and begin anew after the outage', () => {
  const outage = new Outage(new HandClock(), 100);
  const pauses = () => {
    outage.failed('x');
    return outage.pauseMs;
  };
  assert.deepEqual(Array.from({ length: 6 }, pauses), [100, 200, 400, 800, 1000, 1000]);
  outage.ended();
  assert.equal(pauses(), 100);
});
