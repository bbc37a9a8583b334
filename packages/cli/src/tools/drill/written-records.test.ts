import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WrittenRecords } from './written-records.ts';

test('what was acknowledged and is not there is lost, and other faults are counted apart', () => {
  const written = new WrittenRecords(2, 1_000);
  for (let n = 0; n < 5; n++) assert.equal(written.send(0), n);
  for (const n of [0, 1, 2, 3]) written.acknowledged(0, n, 1_000 + 10 * n);
  written.failed(0);
  assert.equal(written.missing, 4);
  for (const n of [0, 2, 1, 2, 4]) written.read(0, n);
  // Of another run.
  written.read(1, 7);
  written.read(9, 0);
  const { lost, doubled, reordered, unexpected, failed, sent, acknowledged } = written.report();
  assert.deepEqual(
    { lost, doubled, reordered, unexpected, failed, sent, acknowledged },
    { lost: 1, doubled: 1, reordered: 1, unexpected: 1, failed: 1, sent: 5, acknowledged: 4 },
  );
});

test('gaps are those between acknowledgements, of each partition and of all', () => {
  const written = new WrittenRecords(2, 0);
  for (const partition of [0, 1]) for (let n = 0; n < 3; n++) written.send(partition);
  written.acknowledged(0, 0, 100);
  written.acknowledged(1, 0, 200);
  written.acknowledged(0, 1, 900);
  written.acknowledged(0, 2, 1_000);
  written.acknowledged(1, 1, 1_100);
  written.acknowledged(1, 2, 1_150);
  written.end(9_000);
  const { longestGapMs, worstPartition, worstPartitionGapMs } = written.report();
  assert.deepEqual([longestGapMs, worstPartition, worstPartitionGapMs], [700, 1, 900]);
});

test('a partition that is never acknowledged again has a gap until the end', () => {
  const written = new WrittenRecords(1, 0);
  written.send(0);
  written.end(5_000);
  const { longestGapMs, worstPartitionGapMs } = written.report();
  assert.deepEqual([longestGapMs, worstPartitionGapMs], [5_000, 5_000]);
});
