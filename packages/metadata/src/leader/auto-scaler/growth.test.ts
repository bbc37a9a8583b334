import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkGrowth, growthRuleOf, type Overload } from './growth.ts';

const rule = { targetBytesPerSecond: 100, partitionCountMax: 8 };

/** Simulates a topic that is measured every minute: the partition count after each check. */
function counts(partitionCount: number, bytesPerSecond: readonly number[], limits = rule): number[] {
  let overload: Overload | undefined;
  let count = partitionCount;
  return bytesPerSecond.map((measured) => {
    const seen = checkGrowth(overload, { partitionCount: count, bytesPerSecond: measured }, limits);
    overload = seen.overload;
    count = seen.growTo ?? count;
    return count;
  });
}

const times = (count: number, value: number) => new Array<number>(count).fill(value);

const cases: [what: string, partitions: number, measured: number[], counts: number[]][] = [
  ['a topic at its target does not grow', 2, times(20, 200), times(20, 2)],
  ['fourteen minutes above the target are not enough', 2, times(14, 500), times(14, 2)],
  ['in the fifteenth minute the topic grows to what it needs', 2, times(15, 301), [...times(14, 2), 4]],
  ['the lowest throughput of the time decides', 2, [900, ...times(13, 700), 250], [...times(14, 2), 3]],
  ['a quiet minute restarts the time', 2, [...times(14, 500), 200, ...times(14, 500)], times(29, 2)],
  ['growth ends at the maximum', 2, times(15, 5000), [...times(14, 2), 8]],
  ['a topic at its maximum does not grow', 8, times(30, 5000), times(30, 8)],
  ['a topic above its maximum does not grow', 9, times(30, 5000), times(30, 9)],
  [
    'growth restarts the time',
    1,
    [...times(15, 150), ...times(15, 350)],
    [...times(14, 1), 2, ...times(14, 2), 4],
  ],
  ['a topic never shrinks', 5, times(30, 0), times(30, 5)],
];

for (const [what, partitions, measured, expected] of cases) {
  test(`auto-scaler: ${what}`, () => assert.deepEqual(counts(partitions, measured), expected));
}

test('adding partitions manually restarts the time', () => {
  let overload: Overload | undefined;
  for (let minute = 0; minute < 14; minute++) {
    ({ overload } = checkGrowth(overload, { partitionCount: 2, bytesPerSecond: 900 }, rule));
  }
  const grown = checkGrowth(overload, { partitionCount: 3, bytesPerSecond: 900 }, rule);
  assert.deepEqual(grown, {
    overload: { checks: 1, partitionCount: 3, lowestBytesPerSecond: 900 },
    growTo: undefined,
  });
});

const own = 'service.partitions_auto_scaler';
const usual = 'service.default.partitions_auto_scaler';
const throughput = 'per_partition_throughput_uncompressed_bytes_per_second';
const on = { [`${own}.enabled`]: 'true', [`${own}.${throughput}`]: '100' };
const usuallyOn = { [`${usual}.enabled`]: 'true', [`${usual}.${throughput}`]: '50' };
const compacted = { 'cleanup.policy': 'compact' };

const rules: [
  what: string,
  topic: Record<string, string>,
  cluster: Record<string, string>,
  rule: [target: number, max: number] | undefined,
][] = [
  ['off by default', {}, {}, undefined],
  ['on for a topic', on, {}, [100, 1000]],
  ['with a maximum', { ...on, [`${own}.max_partition_count`]: '7' }, {}, [100, 7]],
  [
    'with a maximum beyond what a topic can have',
    { ...on, [`${own}.max_partition_count`]: '9999' },
    {},
    [100, 1000],
  ],
  ['on without a target', { [`${own}.enabled`]: 'true' }, {}, undefined],
  ['on for all topics', {}, usuallyOn, [50, 1000]],
  ['on for all topics but one', { [`${own}.enabled`]: 'false' }, usuallyOn, undefined],
  ['a target of its own', { [`${own}.${throughput}`]: '9' }, usuallyOn, [9, 1000]],
  ['on for all topics leaves compacted ones alone', compacted, usuallyOn, undefined],
  ['on for a compacted topic', { ...compacted, ...on }, {}, [100, 1000]],
];

for (const [what, topic, cluster, expected] of rules) {
  test(`auto-scaler configs: ${what}`, () => {
    const found = growthRuleOf(topic, cluster, 1000);
    assert.deepEqual(found && [found.targetBytesPerSecond, found.partitionCountMax], expected);
  });
}
