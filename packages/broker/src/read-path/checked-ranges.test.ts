import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import fc from 'fast-check';
import { brokerLimits } from '../limits.ts';
import { CheckedFiles } from './checked-files.ts';
import { CheckedRanges } from './checked-ranges.ts';

const bytes = 64;
const range = fc
  .tuple(fc.nat(bytes - 1), fc.nat(bytes - 1))
  .map(([one, other]) => [Math.min(one, other), Math.max(one, other) + 1] as const);

test('a range is checked if all of its bytes are', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 20 }), fc.array(range, { maxLength: 20 }), (added, asked) => {
      const ranges = new CheckedRanges();
      const isChecked = new Array<boolean>(bytes).fill(false);
      for (const [start, end] of added) {
        ranges.add(start, end);
        isChecked.fill(true, start, end);
      }
      for (const [start, end] of asked) {
        assert.equal(ranges.has(start, end), isChecked.slice(start, end).every(Boolean));
      }
    }),
  );
});

test('scattered ranges beyond a limit are not remembered, and those that fill gaps are', () => {
  const ranges = new CheckedRanges();
  const scattered = Array.from({ length: 2_000 }, (_, at) => 10 * at);
  for (const start of scattered) ranges.add(start, start + 5);
  assert.ok(ranges.has(0, 5));
  assert.ok(!ranges.has(19_990, 19_995));
  ranges.add(5, 10);
  assert.ok(ranges.has(0, 15));
  for (const start of scattered) ranges.add(start, start + 10);
  assert.ok(ranges.has(0, 5_000));
});

const checkedOf = (files: CheckedFiles, fileId: string, version: string) =>
  files.rangesOf(fileId, version).has(0, 10);

test('what was checked of a file counts for its version only', () => {
  const files = new CheckedFiles(new HandClock());
  files.rangesOf('a', 'v1').add(0, 10);
  files.rangesOf('b', 'v1').add(20, 30);
  assert.ok(checkedOf(files, 'a', 'v1'));
  assert.ok(!checkedOf(files, 'b', 'v1'));
  assert.ok(!checkedOf(files, 'a', 'v2'));
  assert.ok(!checkedOf(files, 'a', 'v1'), 'a version that comes back is checked again');
});

test('a file is checked again after a while, however often it was read meanwhile', () => {
  const clock = new HandClock();
  const files = new CheckedFiles(clock);
  files.rangesOf('a', 'v1').add(0, 10);
  clock.advance(brokerLimits.checkedFileAgeMs - 1);
  assert.ok(checkedOf(files, 'a', 'v1'));
  clock.advance(1);
  assert.ok(!checkedOf(files, 'a', 'v1'));
});

test('the files that were not read for the longest time are forgotten first', () => {
  const files = new CheckedFiles(new HandClock(), 2);
  for (const fileId of ['a', 'b']) files.rangesOf(fileId, 'v1').add(0, 10);
  assert.ok(checkedOf(files, 'a', 'v1'));
  files.rangesOf('c', 'v1').add(0, 10);
  assert.ok(checkedOf(files, 'a', 'v1'));
  assert.ok(!checkedOf(files, 'b', 'v1'));
});

test('a damaged file is forgotten, also by pages that are in memory', () => {
  const files = new CheckedFiles(new HandClock());
  const ofPage = files.rangesOf('a', 'v1');
  ofPage.add(0, 10);
  files.forget('a');
  assert.ok(!ofPage.has(0, 10));
  assert.ok(!checkedOf(files, 'a', 'v1'));
});
