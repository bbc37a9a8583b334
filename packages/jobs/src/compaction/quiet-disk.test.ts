import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { busyDisk, quietDisk } from './quiet-disk.ts';

test('a disk is quiet while clients write little, measured over a minute', () => {
  const clock = new HandClock();
  let bytes = 0;
  const isQuiet = quietDisk({ storedBytes: () => bytes, clock });
  const after = (ms: number, written: number) => {
    clock.advance(ms);
    bytes += written;
    return isQuiet();
  };
  assert.equal(after(30_000, 0), false, 'not known yet');
  assert.equal(after(30_000, 0), true);
  assert.equal(after(60_000, 600_000_000), false);
  assert.equal(after(15_000, 0), false, 'too short to know');
  assert.equal(after(45_000, 300_000_000), true, '5 MB/s');
});

test('running work waits while clients write much, and for five seconds after it', () => {
  const clock = new HandClock();
  let bytes = 0;
  const isBusy = busyDisk({ storedBytes: () => bytes, clock });
  const after = (ms: number, written: number) => {
    clock.advance(ms);
    bytes += written;
    return isBusy();
  };
  assert.equal(after(500, 2_500_000), false, '5 MB/s');
  assert.equal(after(100, 100_000_000), false, 'too short to know');
  assert.equal(after(400, 0), true);
  assert.equal(after(4_900, 0), true);
  assert.equal(after(100, 0), false);
});
