import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { type Clock, type MetricRow, Metrics, silentLog, systemClock } from '@weir/core';
import { type MeasuredClusters, readingsOf, startHostedPush } from './metrics-hosted-push.ts';

const maxOffset: MetricRow<'topic'> = {
  name: 'max_offset',
  kind: 'gauge',
  help: 'Offset.',
  labels: ['topic'],
};

/** Clusters with the given offset each; those without one cannot be measured. */
function clustersOf(offsets: Readonly<Record<string, number | undefined>>): MeasuredClusters {
  return {
    leading: () => Object.keys(offsets),
    async measure(clusterId) {
      const offset = offsets[clusterId];
      if (offset === undefined) throw new Error('no leader');
      const metrics = new Metrics({ virtual_cluster_id: clusterId, agent_version: 'v1' });
      metrics.series(maxOffset, { topic: 'orders' }).set(offset);
      return metrics;
    },
  };
}

test('every cluster is reported, and then those that could not be measured', async () => {
  const published: string[] = [];
  const all = async () => {
    for await (const readings of readingsOf(clustersOf({ vci_1: 1, vci_2: undefined, vci_3: 3 })))
      published.push(`${readings[0]!.series[0]!.labels.virtual_cluster_id} ${readings[0]!.series[0]!.value}`);
  };
  await assert.rejects(all, /failed to measure 1 clusters; the first: vci_2: no leader/);
  assert.deepEqual(published, ['vci_1 1', 'vci_3 3']);
});

test('a control plane pushes the clusters that it leads, each under its id', {
  timeout: 60_000,
}, async (t) => {
  const statsd = createSocket('udp4');
  statsd.bind(0, '127.0.0.1');
  await once(statsd, 'listening');
  t.after(() => void statsd.close());
  const received = new Set<string>();
  const both = Promise.withResolvers<void>();
  statsd.on('message', (message) => {
    for (const line of message.toString().split('\n')) received.add(line);
    if (received.size >= 2) both.resolve();
  });
  const hasty: Clock = { ...systemClock, after: (_delayMs, run) => systemClock.after(1, run) };
  const push = startHostedPush({
    settings: {
      dogstatsd: { host: '127.0.0.1', port: statsd.address().port },
      hasDottedNames: true,
      intervalMs: 30_000,
    },
    clusters: clustersOf({ vci_1: 1, vci_2: 2 }),
    processId: 'process-1',
    clock: hasty,
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(() => push.stop());
  await both.promise;
  const tags = (clusterId: string) =>
    `virtual_cluster_id:${clusterId},agent_version:v1,topic:orders,agent_id:process-1,agent_group:`;
  assert.deepEqual([...received].sort(), [
    `service.max_offset:1|g|#${tags('vci_1')}`,
    `service.max_offset:2|g|#${tags('vci_2')}`,
  ]);
});
