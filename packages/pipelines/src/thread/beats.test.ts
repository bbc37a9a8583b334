import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { Beats } from './beats.ts';
import { CountedMetrics } from './counted-metrics.ts';
import type { FromThread } from './thread-messages.ts';

function begun() {
  const clock = new HandClock();
  const said: string[] = [];
  let collections = 0;
  const counts: CountedMetrics = new CountedMetrics(() => beats.busy());
  const post = (message: FromThread) => {
    assert.ok(message.kind === 'beat');
    said.push(`${message.isIdle ? 'idle' : 'busy'} ${message.counts?.receivedMessages ?? '-'}`);
  };
  const beats = new Beats(clock, counts, post, () => void collections++);
  beats.begin();
  const heard = (ms: number) => {
    clock.advance(ms);
    return said.splice(0);
  };
  return { beats, counts, heard, collections: () => collections };
}

test('a thread says what it counted every second, and every 5 s that there was nothing', () => {
  const { counts, heard, beats } = begun();
  counts.received(3, 10);
  assert.deepEqual(heard(1_000), ['busy 3']);
  counts.received(4, 10);
  assert.deepEqual(heard(1_000), ['busy 4']);
  assert.deepEqual(heard(1_000), ['idle 0']);
  assert.deepEqual(heard(4_999), []);
  assert.deepEqual(heard(1), ['idle 0']);
  counts.received(5, 10);
  counts.received(1, 10);
  assert.deepEqual(heard(0), ['busy -'], 'at once, because its memory is looked at again');
  assert.deepEqual(heard(1_000), ['busy 6']);
  beats.end();
  assert.deepEqual(heard(100_000), ['busy 0']);
});

test('a thread that is idle for a minute gives back memory, once', () => {
  const { counts, heard, collections } = begun();
  heard(59_000);
  assert.equal(collections(), 0);
  heard(300_000);
  assert.equal(collections(), 1);
  counts.received(1, 1);
  heard(30_000);
  counts.received(1, 1);
  heard(55_000);
  assert.equal(collections(), 1);
  heard(60_000);
  assert.equal(collections(), 2);
});
