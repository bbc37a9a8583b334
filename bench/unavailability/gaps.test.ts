import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outagesOf, percentile } from './gaps.ts';

test('a gap belongs to the last fault before its end, and the worst partition counts', () => {
  const at = (partition: number, ...times: number[]) =>
    times.map((atMs) => ({ series: 'writes', partition, atMs }));
  const progress = [...at(0, 0, 100, 200, 300, 900, 1_000), ...at(1, 50, 250, 700, 950)];
  const outages = outagesOf(progress, [220, 850], 1_100);
  assert.deepEqual(outages.get('writes'), [
    // Partition 1 waited from 250 to 700; between both there was progress at 300.
    { anyMs: 400, worstPartitionMs: 450 },
    // Partition 0 waited from 300, before the second fault, to 900, after it.
    { anyMs: 200, worstPartitionMs: 600 },
  ]);
});

test('a partition that never comes back is out until the end', () => {
  const progress = [0, 100].map((atMs) => ({ series: 'reads', partition: 0, atMs }));
  assert.deepEqual(outagesOf(progress, [150], 5_100).get('reads'), [
    { anyMs: 5_000, worstPartitionMs: 5_000 },
  ]);
});

test('the 99th percentile of 50 is the worst', () => {
  const values = Array.from({ length: 50 }, (_, n) => n + 1);
  assert.equal(percentile(values, 0.99), 50);
  assert.equal(percentile(values, 0.5), 25);
});
