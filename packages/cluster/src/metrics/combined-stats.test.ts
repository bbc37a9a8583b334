import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '@weir/core';
import fc from 'fast-check';
import { CombinedStats } from './combined-stats.ts';
import { groupLag, groupLagSeconds, groupMemberCount } from './group-metrics.ts';
import { type SwitchedTag, switchedTags } from './published-metric.ts';
import { PublishedStats } from './published-stats.ts';
import { maxOffset, minOffset } from './topic-metrics.ts';

/** Two groups that consume two topics of two partitions: topic, group, partition, lag, seconds. */
const readings = [
  ['a', 'g', 0, 1, 10],
  ['a', 'g', 1, 2, 5],
  ['b', 'g', 0, 4, 7],
  ['a', 'h', 0, 8, 1],
] as const;

/** Ends of partitions: topic, partition, first and last offset. */
const ends = [
  ['a', 0, 3, 30],
  ['a', 1, 2, 20],
  ['b', 0, 1, 90],
] as const;

function shownWithout(without: readonly SwitchedTag[]): string[] {
  const stats = new CombinedStats(without);
  for (const [topic, group, partition, lag, seconds] of readings) {
    const labels = { topic, consumer_group: group, partition: String(partition) };
    stats.add(groupLag, labels, lag);
    stats.add(groupLagSeconds, labels, seconds);
  }
  for (const [topic, partition, first, next] of ends) {
    const labels = { topic, partition: String(partition) };
    stats.add(minOffset, labels, first);
    stats.add(maxOffset, labels, next);
  }
  for (const group of ['g', 'h']) stats.add(groupMemberCount, { consumer_group: group }, 3);
  const metrics = new Metrics();
  new PublishedStats(metrics, { seriesMax: 100 }).show(stats);
  return metrics
    .render()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      line
        .replace('service_', '')
        .replace('consumer_group_estimated_lag_very_coarse_do_not_use_to_measure_e2e_seconds', 'seconds')
        .replace('consumer_group_lag', 'lag')
        .replace('consumer_group_num_members', 'members'),
    )
    .sort();
}

test('without a tag, lag is summed, seconds and max offset take the maximum, min offset the minimum', () => {
  const table: readonly (readonly [without: readonly SwitchedTag[], ...lines: string[]])[] = [
    [
      [],
      'lag{topic="a",consumer_group="g",partition="0"} 1',
      'lag{topic="a",consumer_group="g",partition="1"} 2',
      'lag{topic="a",consumer_group="h",partition="0"} 8',
      'lag{topic="b",consumer_group="g",partition="0"} 4',
      'max_offset{topic="a",partition="0"} 30',
      'max_offset{topic="a",partition="1"} 20',
      'max_offset{topic="b",partition="0"} 90',
      'members{consumer_group="g"} 3',
      'members{consumer_group="h"} 3',
      'min_offset{topic="a",partition="0"} 3',
      'min_offset{topic="a",partition="1"} 2',
      'min_offset{topic="b",partition="0"} 1',
      'seconds{topic="a",consumer_group="g",partition="0"} 10',
      'seconds{topic="a",consumer_group="g",partition="1"} 5',
      'seconds{topic="a",consumer_group="h",partition="0"} 1',
      'seconds{topic="b",consumer_group="g",partition="0"} 7',
    ],
    [
      ['partition'],
      'lag{topic="a",consumer_group="g"} 3',
      'lag{topic="a",consumer_group="h"} 8',
      'lag{topic="b",consumer_group="g"} 4',
      'max_offset{topic="a"} 30',
      'max_offset{topic="b"} 90',
      'members{consumer_group="g"} 3',
      'members{consumer_group="h"} 3',
      'min_offset{topic="a"} 2',
      'min_offset{topic="b"} 1',
      'seconds{topic="a",consumer_group="g"} 10',
      'seconds{topic="a",consumer_group="h"} 1',
      'seconds{topic="b",consumer_group="g"} 7',
    ],
    [
      ['partition', 'topic'],
      'lag{consumer_group="g"} 7',
      'lag{consumer_group="h"} 8',
      'max_offset 90',
      'members{consumer_group="g"} 3',
      'members{consumer_group="h"} 3',
      'min_offset 1',
      'seconds{consumer_group="g"} 10',
      'seconds{consumer_group="h"} 1',
    ],
    [
      ['consumer_group', 'partition'],
      'lag{topic="a"} 11',
      'lag{topic="b"} 4',
      'max_offset{topic="a"} 30',
      'max_offset{topic="b"} 90',
      'members 6',
      'min_offset{topic="a"} 2',
      'min_offset{topic="b"} 1',
      'seconds{topic="a"} 10',
      'seconds{topic="b"} 7',
    ],
    [
      ['consumer_group', 'partition', 'topic'],
      'lag 15',
      'max_offset 90',
      'members 6',
      'min_offset 1',
      'seconds 10',
    ],
  ];
  for (const [without, ...lines] of table) assert.deepEqual(shownWithout(without), lines, without.join());
});

test('totals do not depend on which tags are off', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const reading = fc.tuple(name, name, fc.nat(3), fc.nat(1000));
  fc.assert(
    fc.property(fc.array(reading, { minLength: 1 }), fc.subarray([...switchedTags]), (all, without) => {
      const stats = new CombinedStats(without);
      for (const [topic, group, partition, value] of all) {
        const labels = { topic, consumer_group: group, partition: String(partition) };
        stats.add(groupLag, labels, value);
        stats.add(groupLagSeconds, labels, value);
        stats.add(minOffset, labels, value);
      }
      const [lag, seconds, min] = [...stats.families()].map(({ stats: shown }) =>
        [...shown.values()].map(({ value }) => value),
      );
      const values = all.map(([, , , value]) => value);
      assert.equal(
        lag!.reduce((a, b) => a + b),
        values.reduce((a, b) => a + b),
      );
      assert.equal(Math.max(...seconds!), Math.max(...values));
      assert.equal(Math.min(...min!), Math.min(...values));
    }),
  );
});

test('series with different label values are never merged, whatever characters the values contain', () => {
  const text = fc.oneof(fc.string({ unit: fc.constantFrom('1', '2', ' ', '"', ',', 'a') }), fc.string());
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      const stats = new CombinedStats([]);
      for (const [topic, partition] of pairs) stats.add(maxOffset, { topic, partition }, 1);
      const [family] = stats.families();
      const distinct = new Set(pairs.map((pair) => JSON.stringify(pair)));
      assert.equal(family?.stats.size ?? 0, distinct.size);
    }),
  );
});

test('series that no longer exist are removed, and series beyond the limit are counted', () => {
  const metrics = new Metrics();
  const shown = new PublishedStats(metrics, { seriesMax: 2 });
  const show = (...topics: string[]) => {
    const stats = new CombinedStats(['partition']);
    for (const [index, topic] of topics.entries()) stats.add(maxOffset, { topic, partition: '0' }, index);
    const leftOut = shown.show(stats);
    return [
      ...[...metrics.render().matchAll(/topic="(.)"\} (\d)/g)].map(([, topic, value]) => topic! + value!),
      leftOut,
    ];
  };
  assert.deepEqual(show('a', 'b'), ['a0', 'b1', 0]);
  assert.deepEqual(show('b', 'c', 'd'), ['b0', 'c1', 1]);
  assert.deepEqual(show(), [0]);
  show('a');
  shown.clear();
  assert.doesNotMatch(metrics.render(), /topic=/);
});

test('when series exceed the limit, those added first are shown', () => {
  const metrics = new Metrics();
  const stats = new CombinedStats(['partition']);
  for (const topic of ['a', 'b']) stats.add(maxOffset, { topic, partition: '0' }, 1);
  for (const topic of ['a', 'b', 'c']) stats.add(minOffset, { topic, partition: '0' }, 1);
  assert.equal(new PublishedStats(metrics, { seriesMax: 2, allSeriesMax: 3 }).show(stats), 2);
  assert.deepEqual(
    [...metrics.render().matchAll(/(...)_offset\{topic="(.)"/g)].map(([, name, topic]) => `${name} ${topic}`),
    ['max a', 'max b', 'min a'],
  );
});
