import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shutdownLeaseMs } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { ShutdownLocks } from './shutdown-locks.ts';

function locks() {
  let nowMs = 5_000;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, after: () => () => {} };
  const all = new ShutdownLocks(clock);
  return {
    asks: (agentId: string, group = 'g', hasIt = false) => all.lock({ agentId, group, hasIt }),
    unlock: (agentId: string) => all.unlock(agentId),
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

test('one agent of a group at a time has the lock, and groups are independent', () => {
  const { asks, unlock, pass } = locks();
  pass(shutdownLeaseMs);
  assert.deepEqual([asks('a'), asks('b'), asks('a'), asks('c', 'other')], [true, false, true, true]);
  unlock('b');
  assert.equal(asks('b'), false, 'an agent cannot release the lock of another');
  unlock('a');
  assert.deepEqual([asks('b'), asks('a'), asks('d', 'other')], [true, false, false]);
});

test('a lock expires with its lease, unless its agent renews it', () => {
  const { asks, pass } = locks();
  pass(shutdownLeaseMs);
  asks('a');
  pass(shutdownLeaseMs - 1);
  assert.equal(asks('a', 'g', true), true);
  pass(shutdownLeaseMs - 1);
  assert.equal(asks('b'), false);
  pass(1);
  assert.equal(asks('b'), true);
  assert.equal(asks('a', 'g', true), false, 'an agent that was silent for too long has lost the lock');
});

test('a new leader waits for the holders of locks first', () => {
  const { asks, pass } = locks();
  assert.equal(asks('b'), false);
  pass(shutdownLeaseMs - 1);
  assert.equal(asks('b'), false);
  assert.equal(asks('a', 'g', true), true);
  pass(1);
  assert.equal(asks('b'), false);
  assert.equal(asks('c', 'other'), true);
});

test('there are no more locks than agents', () => {
  const { asks, pass } = locks();
  pass(shutdownLeaseMs);
  for (let count = 0; count < coreLimits.agentsPerClusterMax; count++) assert.ok(asks('a', `g${count}`));
  assert.equal(asks('a', 'one more'), false);
  pass(shutdownLeaseMs);
  assert.equal(asks('a', 'one more'), true);
});
