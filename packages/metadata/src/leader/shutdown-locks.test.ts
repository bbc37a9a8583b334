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
    lock: (agentId: string, group = 'g', hasIt = false) => all.lock({ agentId, group, hasIt }),
    unlock: (agentId: string) => all.unlock(agentId),
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

test('one agent of a group at a time has the lock, and groups are independent', () => {
  const { lock, unlock, pass } = locks();
  pass(shutdownLeaseMs);
  assert.deepEqual([lock('a'), lock('b'), lock('a'), lock('c', 'other')], [true, false, true, true]);
  unlock('b');
  assert.equal(lock('b'), false, 'an agent cannot release the lock of another');
  unlock('a');
  assert.deepEqual([lock('b'), lock('a'), lock('d', 'other')], [true, false, false]);
});

test('a lock expires with its lease, unless its agent renews it', () => {
  const { lock, pass } = locks();
  pass(shutdownLeaseMs);
  lock('a');
  pass(shutdownLeaseMs - 1);
  assert.equal(lock('a', 'g', true), true);
  pass(shutdownLeaseMs - 1);
  assert.equal(lock('b'), false);
  pass(1);
  assert.equal(lock('b'), true);
  assert.equal(lock('a', 'g', true), false, 'an agent that was silent for too long has lost the lock');
});

test('a new leader waits for the holders of locks first', () => {
  const { lock, pass } = locks();
  assert.equal(lock('b'), false);
  pass(shutdownLeaseMs - 1);
  assert.equal(lock('b'), false);
  assert.equal(lock('a', 'g', true), true);
  pass(1);
  assert.equal(lock('b'), false);
  assert.equal(lock('c', 'other'), true);
});

test('there are no more locks than agents', () => {
  const { lock, pass } = locks();
  pass(shutdownLeaseMs);
  for (let count = 0; count < coreLimits.agentsPerClusterMax; count++) assert.ok(lock('a', `g${count}`));
  assert.equal(lock('a', 'one more'), false);
  pass(shutdownLeaseMs);
  assert.equal(lock('a', 'one more'), true);
});
