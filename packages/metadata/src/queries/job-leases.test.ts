import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobLeaseMs } from '@weir/cluster';
import { metadataLimits } from '../limits.ts';
import { JobLeases } from './job-leases.ts';

function leases() {
  let nowMs = 5_000;
  const all = new JobLeases({ nowMs: () => nowMs, monotonicMs: () => nowMs, after: () => () => {} });
  return {
    hold: (agentId: string, job = 'j', hasIt = false) => all.hold({ agentId, job, hasIt }),
    forget: (agentId: string) => all.forget(agentId),
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

test('one agent at a time holds a job, as long as it renews', () => {
  const { hold, pass } = leases();
  pass(jobLeaseMs);
  assert.deepEqual([hold('a'), hold('b'), hold('c', 'other')], [true, false, true]);
  pass(jobLeaseMs - 1);
  assert.equal(hold('a', 'j', true), true);
  pass(jobLeaseMs - 1);
  assert.equal(hold('b'), false);
  pass(1);
  assert.equal(hold('b'), true, 'the job of an agent that died');
  assert.equal(hold('a', 'j', true), false);
});

test('a leaving agent releases its jobs', () => {
  const { hold, forget, pass } = leases();
  pass(jobLeaseMs);
  hold('a');
  forget('a');
  assert.equal(hold('b'), true);
});

test('a new leader waits for the holders of jobs first', () => {
  const { hold, pass } = leases();
  assert.equal(hold('b'), false);
  assert.equal(hold('a', 'j', true), true);
  pass(jobLeaseMs);
  assert.equal(hold('b'), true);
});

test('the number of jobs is limited', () => {
  const { hold, pass } = leases();
  pass(jobLeaseMs);
  for (let count = 0; count < metadataLimits.jobLeasesMax; count++) assert.ok(hold('a', `j${count}`));
  assert.equal(hold('a', 'one more'), false);
});
