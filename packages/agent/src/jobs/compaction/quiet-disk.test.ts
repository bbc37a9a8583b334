import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { quietDisk } from './quiet-disk.ts';

test('a disk is quiet while clients write little, measured over some seconds', () => {
  const clock = new HandClock();
  let bytes = 0;
  const isQuiet = quietDisk({ storedBytes: () => bytes, clock });
  const after = (ms: number, written: number) => {
    clock.advance(ms);
    bytes += written;
    return isQuiet();
  };
  assert.equal(after(5_000, 0), false, 'not known yet');
  assert.equal(after(5_000, 0), true);
  assert.equal(after(20_000, 200_000_000), false);
  assert.equal(after(5_000, 0), false, 'too short to know');
  assert.equal(after(15_000, 100_000_000), true, '5 MB/s');
});
