import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupOf, healthySnapshot, minuteMs, snapshotMs } from '../testing/diagnostic-snapshot.ts';
import type { GroupFacts } from './diagnostic-snapshot.ts';
import { type ClusterHistory, lagSamplesMax, noHistory, withSnapshot } from './history.ts';
import { diagnosticLimits } from './limits.ts';

function historyOf(...runs: readonly (readonly GroupFacts[] | undefined)[]): ClusterHistory {
  return runs.reduce<ClusterHistory>(
    (history, groups, index) =>
      withSnapshot(history, healthySnapshot({ groups, atMs: snapshotMs + index * minuteMs })),
    noHistory,
  );
}

test('the last lags of a group are remembered while it has members', () => {
  const runs = Array.from({ length: lagSamplesMax + 2 }, (_, index) => [groupOf('g', 0, index)]);
  const { groups } = historyOf(...runs);
  assert.deepEqual(
    groups.get('g')!.lags,
    Array.from({ length: lagSamplesMax }, (_, index) => index + 2),
  );
  assert.deepEqual(historyOf(...runs, [groupOf('g', 0, 9, { memberCount: 0 })]).groups.get('g')!.lags, []);
});

test('records count as written from the second run that finds their partition', () => {
  const row = (topic: string, endOffset: number) => ({ topic, partition: 0, committedOffset: 0, endOffset });
  const written = (...runs: readonly (readonly ReturnType<typeof row>[])[]) =>
    historyOf(...runs.map((partitions) => [groupOf('g', 0, 0, { partitions })])).groups.get('g')!.written;
  assert.deepEqual(written([row('a', 100)], [row('a', 103)], [row('a', 103)]), [0, 3, 3]);
  assert.deepEqual(
    written([row('a', 1)], [row('a', 2), row('b', 50)], [row('a', 4), row('b', 55)]),
    [0, 1, 8],
  );
  assert.deepEqual(
    written([row('a', 9)], [row('a', 2)], [row('a', 4)]),
    [0, 0, 2],
    'a topic that was replaced',
  );
});

test('a partition waits since the first run that found unread records without progress', () => {
  const waiting = (...runs: readonly (readonly [committed: number, end: number])[]) => {
    const { groups } = historyOf(...runs.map(([committed, end]) => [groupOf('g', committed, end)]));
    const sinceMs = groups.get('g')!.partitions.get('orders-0')!.waitingSinceMs;
    return sinceMs === undefined ? undefined : (sinceMs - snapshotMs) / minuteMs;
  };
  assert.equal(waiting([5, 5]), undefined);
  assert.equal(waiting([5, 5], [5, 9]), 1);
  assert.equal(waiting([5, 6], [5, 7], [5, 8]), 0);
  assert.equal(waiting([5, 6], [6, 7], [6, 8]), 1);
  assert.equal(waiting([5, 6], [6, 6], [6, 6]), undefined);
  assert.equal(waiting([5, 6], [2, 6], [2, 6]), 1, 'an offset that was reset has moved');
  assert.equal(waiting([9, 6], [9, 6]), undefined, 'an offset beyond the end has no lag');
});

test('a run without groups leaves the history of groups unchanged', () => {
  const before = historyOf([groupOf('g', 1, 2)]);
  assert.deepEqual(withSnapshot(before, healthySnapshot({ groups: undefined })), before);
});

test('a deleted group is removed from the history', () => {
  assert.deepEqual([...historyOf([groupOf('g', 1, 2)], []).groups], []);
});

test('the history is bounded, and what is left out is counted', () => {
  const partitions = Array.from({ length: diagnosticLimits.diagnosedPartitionsMax - 1 }, (_, partition) => {
    return { topic: 't', partition, committedOffset: 0, endOffset: 1 };
  });
  const { groups, unfollowedPartitions } = historyOf([
    { ...groupOf('large', 0, 0), partitions },
    { ...groupOf('too much', 0, 0), partitions: partitions.slice(0, 2) },
    groupOf('small', 0, 0),
  ]);
  assert.deepEqual([...groups.keys()], ['large', 'small']);
  assert.equal(unfollowedPartitions, 2);
  const many = Array.from({ length: diagnosticLimits.diagnosedGroupsMax + 1 }, (_, index) =>
    groupOf(`g${index}`, 0, 0),
  );
  assert.equal(historyOf(many).groups.size, diagnosticLimits.diagnosedGroupsMax);
});
