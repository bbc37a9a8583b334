import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { StoreError } from '@weir/storage';
import { failingMsMax, stuckMsMax, WriteHealth } from './write-health.ts';

const full = new StoreError('full', 'key', 'the disk is full (ENOSPC)');

function stage() {
  const clock = new HandClock();
  return { clock, health: new WriteHealth(clock) };
}

test('writes that fail for a while are a problem until one succeeds', () => {
  const { clock, health } = stage();
  const first = health.began(100);
  clock.advance(2_000);
  first.failed(full);
  assert.equal(health.problem(), undefined, 'one failure is none yet');
  clock.advance(failingMsMax - 2_001);
  assert.equal(health.problem(), undefined);
  clock.advance(1);
  assert.equal(
    health.problem(),
    'writes to the bucket have failed for 10 s: the disk is full (ENOSPC)',
    'it counts from the begin of the upload',
  );
  health.began(100).failed(new Error('another reason'));
  clock.advance(5_000);
  assert.equal(health.problem(), 'writes to the bucket have failed for 15 s: Error: another reason');
  health.began(100).succeeded();
  assert.equal(health.problem(), undefined);
});

test('a failure beside successes is no problem', () => {
  const { clock, health } = stage();
  for (let i = 0; i < 100; i++) {
    const slow = health.began(1);
    clock.advance(500);
    health.began(1).succeeded();
    clock.advance(500);
    slow.failed(full);
    assert.equal(health.problem(), undefined);
  }
});

test('an upload that does not end is a problem if none has succeeded since', () => {
  const { clock, health } = stage();
  const stuck = health.began(100);
  clock.advance(stuckMsMax - 1);
  assert.equal(health.problem(), undefined);
  clock.advance(1);
  assert.match(health.problem()!, /^a write to the bucket has been stuck for 20 s/);
  health.began(100).succeeded();
  assert.equal(health.problem(), undefined);
  clock.advance(stuckMsMax);
  stuck.abandoned();
  assert.equal(
    health.problem(),
    'writes to the bucket have failed for 20 s: upload took longer than 20 s',
    'clients gave it up, and the store is still at fault',
  );
});

test('uploads that clients with short timeouts gave up say nothing', () => {
  const { clock, health } = stage();
  for (let i = 0; i < 100; i++) {
    const upload = health.began(100);
    clock.advance(1_000);
    upload.abandoned();
  }
  assert.equal(health.problem(), undefined);
  assert.equal(health.bytesToProbe, undefined);
});

test('a probe is needed while writes fail and none is under way', () => {
  const { health } = stage();
  assert.equal(health.bytesToProbe, undefined);
  health.began(100).failed(full);
  assert.equal(health.bytesToProbe, 100);
  const next = health.began(200);
  assert.equal(health.bytesToProbe, undefined);
  next.failed(full);
  assert.equal(health.bytesToProbe, 200);
  health.began(1).succeeded();
  assert.equal(health.bytesToProbe, undefined);
});
