import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { UnproxiedWrites } from './unproxied-writes.ts';

/** Reads every two seconds, as the engine does. */
function watch() {
  const clock = new HandClock();
  const writes = new UnproxiedWrites(clock);
  let [ends, forwarded] = [1_000, 0];
  return {
    writes,
    clock,
    /** So many seconds, in each of which the source gets records, and agents say that they passed some on. */
    pass(seconds: number, gets = 0, says = gets) {
      let more = 0;
      for (let at = 0; at < seconds; at += 2) {
        more += writes.read(ends, forwarded);
        clock.advance(2_000);
        ends += 2 * gets;
        forwarded += 2 * says;
      }
      return more;
    },
    lose() {
      forwarded = 0;
    },
  };
}

test('what agents passed on does not count, also if they say so late', () => {
  const { writes, pass } = watch();
  assert.equal(pass(60, 100), 0);
  assert.equal(pass(4, 100, 0), 0, 'agents have not said it yet');
  assert.equal(pass(2, 0, 200), 0);
  assert.equal(pass(60, 100), 0);
  assert.deepEqual([writes.count, writes.isRising], [0, false]);
});

test('what agents said late at first does not hide what others write later', () => {
  const { writes, pass } = watch();
  // The source has 200 records of agents when it is looked at for the first time.
  assert.equal(pass(2, 0, 100) + pass(30, 100), 0);
  assert.equal(writes.isKnown, true);
  const counted = pass(20, 5, 0) + pass(16);
  assert.deepEqual([counted, writes.isRising], [100, true]);
});

test('others are counted, and hold back until half a minute after the last of them', () => {
  const { writes, pass } = watch();
  pass(20, 100);
  const counted = pass(20, 110, 100) + pass(16, 100);
  assert.deepEqual([counted, writes.count, writes.isRising], [200, 200, true]);
  assert.equal(pass(30, 100), 0);
  assert.deepEqual([writes.count, writes.isRising], [200, false]);
});

test('others that began a few seconds ago are not counted yet, and not explained either', () => {
  const { writes, pass } = watch();
  pass(20);
  assert.equal(writes.isExplained, true);
  // Agents passed nothing on, so that the source can have it only from others.
  assert.equal(pass(10, 5, 0), 0);
  assert.deepEqual([writes.isKnown, writes.isRising, writes.isExplained], [true, false, false]);
  assert.equal(pass(20), 50);
  assert.deepEqual([writes.isRising, writes.isExplained], [true, true]);
});

test('what agents may not have said yet explains what the source got', () => {
  const { writes, pass } = watch();
  pass(20, 100);
  for (let round = 0; round < 20; round++) {
    pass(4, 100, 0);
    assert.equal(writes.isExplained, true);
    pass(2, 100, 300);
    assert.deepEqual([writes.isRising, writes.isExplained], [false, true]);
  }
  pass(8);
  assert.equal(writes.isExplained, true, 'when they write no more');
});

test('readings that are far apart explain as well', () => {
  const { writes, pass, clock } = watch();
  pass(20);
  clock.advance(12_000);
  assert.equal(writes.isExplained, true);
  pass(2, 5, 0);
  pass(2);
  clock.advance(12_000);
  assert.equal(writes.isExplained, false);
});

test('nothing is known before they were watched for a while, and again after counts began anew', () => {
  const { writes, pass, lose } = watch();
  assert.equal(writes.isKnown, false);
  pass(14, 10, 0);
  assert.deepEqual([writes.isKnown, writes.isRising], [false, false]);
  pass(6, 10, 0);
  assert.deepEqual([writes.isKnown, writes.isRising], [true, true]);
  pass(40, 10);
  lose();
  pass(4, 10);
  assert.equal(writes.isKnown, false);
  pass(16, 10);
  assert.deepEqual([writes.isKnown, writes.isRising], [true, false]);
});
