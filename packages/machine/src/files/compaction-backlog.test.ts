import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FileTable } from '../log/file-table.ts';
import { defaultLimits } from '../machine-limits.ts';
import { compactionBacklog } from './compaction-backlog.ts';

const limits = {
  ...defaultLimits,
  compactionFanIn: 4,
  compactedFileBytesMax: 1_000,
  compactionRowsPerStep: 3,
};
let ids = 0;

function add(files: FileTable, timeMs: number, level: number, bytes: number, liveBytes = bytes): number {
  const time = timeMs.toString(16).padStart(12, '0');
  const slot = files.add(`${time}${level}000${(++ids).toString(16).padStart(16, '0')}`, bytes);
  files.countPointer(slot, liveBytes);
  return slot;
}

/** The late levels, and in how many steps they were found. */
function late(files: FileTable, beforeMs: number) {
  const steps = compactionBacklog(files, limits, beforeMs);
  for (let count = 1; ; count++) {
    const { done, value } = steps.next();
    if (done === true) return { levels: value, count };
  }
}

test('a level is late when files of a full group are old', () => {
  const files = new FileTable();
  for (const timeMs of [50, 10, 30]) add(files, timeMs, 0, 20);
  assert.deepEqual(late(files, 60).levels, []);
  add(files, 70, 0, 20);
  assert.deepEqual(late(files, 60).levels, []);
  assert.deepEqual(late(files, 70), {
    levels: [{ level: 0, files: 4, bytes: 80, oldestMs: 10 }],
    count: 2,
  });
});

test('a level is late when few files are more than two of the size that merged files have', () => {
  const files = new FileTable();
  for (let n = 0; n < 3; n++) add(files, 10, 2, 499);
  assert.deepEqual(late(files, 10).levels, []);
  const many = new FileTable();
  for (let n = 0; n < 5; n++) add(many, 10, 2, 499);
  assert.deepEqual(late(many, 10).levels, [{ level: 2, files: 5, bytes: 2_495, oldestMs: 10 }]);
});

test('files that are large, sparse, of the last level or dead are not waiting for a merge', () => {
  const files = new FileTable();
  for (let n = 0; n < 9; n++) {
    add(files, 10, 0, 500);
    add(files, 10, 1, 4_000, 100);
    files.discountPointer(add(files, 10, 0, 20), 20, 11);
  }
  assert.deepEqual(late(files, 10).levels, []);
});
