import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TopicDescription } from '@weir/cluster';
import { Metrics } from '@weir/core';
import { TopicDistribution, topicDistributionRows } from './topic-distributions.ts';

test('a request counts once for each of its topics, and deleted topics are forgotten', () => {
  const metrics = new Metrics();
  const names = new Map([
    ['1', 'orders'],
    ['2', 'users'],
  ]);
  const cluster = {
    topicById: (topicId: string) => {
      const name = names.get(topicId);
      return name === undefined ? undefined : ({ topicId, name } as TopicDescription);
    },
  };
  const distribution = new TopicDistribution(metrics, topicDistributionRows.produced);
  const series = () =>
    (metrics.read()[0]?.series ?? []).map(({ labels, sum, counts }) => [
      labels.topic,
      sum,
      counts.reduce((total, count) => total + count, 0),
    ]);
  const part = (topicId: string, uncompressedBytes: number) => ({ topicId, uncompressedBytes });
  distribution.note(cluster, [part('1', 100), part('2', 7), part('1', 50)]);
  distribution.note(cluster, [part('1', 1), part('9', 5)]);
  assert.deepEqual(series(), [
    ['orders', 151, 2],
    ['users', 7, 1],
  ]);

  names.delete('1');
  names.set('3', 'later');
  distribution.note(cluster, [part('3', 2)]);
  assert.deepEqual(series(), [
    ['users', 7, 1],
    ['later', 2, 1],
  ]);
});
