import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { PartitionHeat } from './partition-heat.ts';

/** An agent has a budget of 2000 bytes a second, so a partition is hot above 10,000 bytes in ten seconds. */
const budget = 2_000;

/** Writes the bytes of one window after the other and returns the heat after each. */
function heats(windows: readonly number[]): number[] {
  const clock = new HandClock();
  const heat = new PartitionHeat(clock, budget);
  return windows.map((bytes) => {
    for (let second = 0; second < 10; second++) {
      heat.add('t', 7, bytes / 10);
      clock.advance(1_000);
    }
    return heat.hotOf('t')?.get(7) ?? 1;
  });
}

test('heat changes only if a whole minute agrees', () => {
  const cases: [label: string, windows: number[], heats: number[]][] = [
    ['quiet', [0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1]],
    ['half a budget is not hot', Array(7).fill(10_000), Array(7).fill(1)],
    ['hot after a minute', Array(7).fill(10_001), [1, 1, 1, 1, 1, 2, 2]],
    ['a peak is not hot', [0, 90_000, 90_000, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1]],
    ['the least of the minute counts', [60_000, 60_000, 25_000, 60_000, 60_000, 60_000], [1, 1, 1, 1, 1, 3]],
    [
      'a pause does not cool, a minute does',
      [...Array(6).fill(30_000), 0, ...Array(2).fill(30_000), ...Array(6).fill(0)],
      [1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1],
    ],
    [
      'it cools by steps',
      [...Array(6).fill(50_000), ...Array(6).fill(20_000)],
      [1, 1, 1, 1, 1, 5, 5, 5, 5, 5, 5, 2],
    ],
  ];
  for (const [label, windows, expected] of cases) assert.deepEqual(heats(windows), expected, label);
});

test('partitions and topics are separate, and the map object changes only with its content', () => {
  const clock = new HandClock();
  const heat = new PartitionHeat(clock, budget);
  const minute = (partitions: readonly [topicId: string, partition: number, bytes: number][]) => {
    for (let window = 0; window < 6; window++) {
      for (const [topicId, partition, bytes] of partitions) heat.add(topicId, partition, bytes);
      clock.advance(10_000);
    }
  };
  minute([
    ['a', 0, 20_000],
    ['a', 5, 31_000],
    ['a', 300, 9_000],
    ['b', 0, 5],
  ]);
  const first = heat.hotOf('a');
  assert.deepEqual(
    first,
    new Map([
      [0, 2],
      [5, 4],
    ]),
  );
  assert.equal(heat.hotOf('b'), undefined);
  minute([
    ['a', 0, 20_000],
    ['a', 5, 31_000],
  ]);
  assert.equal(heat.hotOf('a'), first);
  minute([['a', 0, 20_000]]);
  assert.deepEqual(heat.hotOf('a'), new Map([[0, 2]]));
  assert.deepEqual(first?.get(5), 4, 'a map that was returned earlier does not change');
});

test('heat also falls without any appends, however long the pause', () => {
  const clock = new HandClock();
  const heat = new PartitionHeat(clock, budget);
  for (let window = 0; window < 6; window++) {
    heat.add('t', 0, 20_000);
    clock.advance(10_000);
  }
  assert.equal(heat.hotOf('t')?.get(0), 2);
  clock.advance(49_999);
  assert.equal(heat.hotOf('t')?.get(0), 2);
  clock.advance(24 * 3_600_000);
  assert.equal(heat.hotOf('t'), undefined);
  heat.add('t', 0, 20_000);
  assert.equal(heat.hotOf('t'), undefined);
});
