import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobLeaseMs } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { JobLeases } from './job-leases.ts';

function leases() {
  let nowMs = 5_000;
  const all = new JobLeases({ nowMs: () => nowMs, monotonicMs: () => nowMs, after: () => () => {} });
  return {
    asks: (agentId: string, job = 'j', hasIt = false) => all.hold({ agentId, job, hasIt }),
    forget: (agentId: string) => all.forget(agentId),
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

test('one agent at a time holds a job, as long as it renews', () => {
  const { asks, pass } = leases();
  pass(jobLeaseMs);
  assert.deepEqual([asks('a'), asks('b'), asks('c', 'other')], [true, false, true]);
  pass(jobLeaseMs - 1);
  assert.equal(asks('a', 'j', true), true);
  pass(jobLeaseMs - 1);
  assert.equal(asks('b'), false);
  pass(1);
  assert.equal(asks('b'), true, 'the job of an agent that died');
  assert.equal(asks('a', 'j', true), false);
});

test('a leaving agent releases its jobs', () => {
  const { asks, forget, pass } = leases();
  pass(jobLeaseMs);
  asks('a');
  forget('a');
  assert.equal(asks('b'), true);
});

test('a new leader waits for the holders of jobs first', () => {
  const { asks, pass } = leases();
  assert.equal(asks('b'), false);
  assert.equal(asks('a', 'j', true), true);
  pass(jobLeaseMs);
  assert.equal(asks('b'), true);
});

test('the number of jobs is limited', () => {
  const { asks, pass } = leases();
  pass(jobLeaseMs);
  for (let count = 0; count < clusterLimits.jobLeasesMax; count++) assert.ok(asks('a', `j${count}`));
  assert.equal(asks('a', 'one more'), false);
});
