import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClusterPort, ClusterUnavailable } from '@weir/cluster';
import { Metrics, release, silentLog, systemClock, systemRandom } from '@weir/core';
import { changeDiagnostics, MemoryDiagnosticsStore } from '@weir/diagnostics/testing';
import type { ClusterNode } from '@weir/metadata';
import { connectCluster } from '@weir/rpc';
import fc from 'fast-check';
import { startNode } from '../../testing/leading-node.ts';
import { parsePrometheusText } from '../../testing/prometheus-text.ts';
import { openTestClusterApi } from '../../testing/test-cluster-api.ts';
import { startControlPlane } from '../server.ts';
import { hostedSamples } from './hosted-sample.ts';
import { type MeasureOptions, measureCluster } from './measure-cluster.ts';
import { hostedMetricRows } from './metric-rows.ts';

const clusterId = 'vci_test';

function measured(port: ClusterPort, differences: Partial<MeasureOptions> = {}): Promise<Metrics> {
  return measureCluster(clusterId, {
    clusterPort: () => port,
    samplesOf: async () => [],
    clock: systemClock,
    ...differences,
  });
}

async function commit(node: ClusterNode, groupId: string, topicId: string, offset: number): Promise<void> {
  const [answer] = await node.commitOffsets([
    {
      groupId,
      generationIdOrMemberEpoch: -1,
      memberId: '',
      groupInstanceId: null,
      retentionMs: -1,
      offsets: [{ topicId, partition: 0, offset, leaderEpoch: -1, metadata: '' }],
    },
  ]);
  assert.equal(answer!.error, 'NONE');
}

test('the metrics of a cluster carry its id: its contents, its readers, and its failures', async (t) => {
  const { node, addTopic, write } = await openTestClusterApi(t);
  const topicId = await addTopic('orders', 2);
  await write(topicId, 0, 5);
  await write(topicId, 1, 3);
  await commit(node, 'readers', topicId, 2);
  const store = new MemoryDiagnosticsStore();
  const finding = { entity: { kind: 'cluster', name: clusterId }, message: 'None.', weight: 1 } as const;
  for (const atMs of [1_700_000_000_000, 1_700_000_060_000]) {
    const event = { kind: 'looked', atMs, result: [finding] } as const;
    await changeDiagnostics(store, clusterId, [{ name: 'no_jobs_agent', event }], atMs);
  }
  const metrics = await measured(node, {
    samplesOf: hostedSamples({ diagnostics: store, utilizationOf: () => 0.25 }),
  });
  const families = parsePrometheusText(metrics.render());
  const sample = (name: string, wanted: Record<string, string> = {}) => {
    const { samples } = families.find((family) => family.name === `service_${name}`)!;
    const found = samples.filter(({ labels }) =>
      Object.entries({ virtual_cluster_id: clusterId, agent_version: release, ...wanted }).every(
        ([label, value]) => labels[label] === value,
      ),
    );
    assert.equal(found.length, 1, name);
    return found[0]!.value;
  };
  const orders = { topic: 'orders' };
  const readers = { consumer_group: 'readers' };
  assert.deepEqual(
    {
      topics: sample('topics_count'),
      partitions: sample('partitions_count'),
      files: sample('files_count', { level: '0' }),
      max: sample('max_offset', orders),
      produced: sample('produced_records', orders),
      bytes: sample('partition_size_estimated_compressed_bytes', orders),
      lag: sample('consumer_group_lag', { ...orders, ...readers }),
      state: sample('consumer_group_state', { ...readers, group_state: 'Empty' }),
      failing: sample('diagnostic_failure', { diagnostic_name: 'no_jobs_agent', muted: 'false' }),
      busy: sample('control_plane_utilization', { cluster: clusterId }),
      leftOut: sample('cluster_metrics_left_out', { what: 'series' }),
    },
    {
      topics: 1,
      partitions: 2,
      files: 2,
      max: 5,
      produced: 8,
      bytes: 200,
      lag: 3,
      state: 1,
      failing: 1,
      busy: 0.25,
      leftOut: 0,
    },
  );
  // Every name and label is declared: there are no undeclared metrics.
  const rows = new Map(hostedMetricRows.map((row) => [`service_${row.name}`, row]));
  for (const { name, type, help, samples } of families) {
    const row = rows.get(name) ?? assert.fail(`${name} is not described`);
    assert.deepEqual([type, help], [row.kind, row.help], name);
    const known = new Set(['virtual_cluster_id', 'agent_version', ...row.labels]);
    for (const { labels, value } of samples) {
      assert.deepEqual(
        Object.keys(labels).filter((label) => !known.has(label)),
        [],
        name,
      );
      assert.ok(Number.isFinite(value), name);
    }
  }
});

/** The one character that no scraper accepts. */
function withoutZero(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

test('group names of any characters survive the scrape', async (t) => {
  const { node, addTopic } = await openTestClusterApi(t);
  const topicId = await addTopic('orders');
  const evil = fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.string({
        unit: fc.constantFrom('"', '\\', '\n', '\r', '\0', '}', ',', '=', ' ', '#'),
        minLength: 1,
      }),
    ),
    { minLength: 1, maxLength: 5 },
  );
  const names = new Set<string>();
  await fc.assert(
    fc.asyncProperty(evil, async (groupIds) => {
      for (const groupId of groupIds) {
        await commit(node, groupId, topicId, 0);
        names.add(withoutZero(groupId));
      }
      const families = parsePrometheusText((await measured(node)).render());
      const { samples } = families.find(({ name }) => name === 'service_consumer_group_lag')!;
      assert.deepEqual(new Set(samples.map(({ labels }) => labels.consumer_group)), names);
    }),
    { numRuns: 25 },
  );
});

test('labels of any text survive the scrape', () => {
  const row = { name: 'x', kind: 'gauge', help: 'X.', labels: ['topic', 'group'] } as const;
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: String, minLength: 1 }), (pairs) => {
      const metrics = new Metrics({ virtual_cluster_id: 'vci_1' });
      for (const [topic, group] of pairs) metrics.series(row, { topic, group }).set(1);
      const [family] = parsePrometheusText(metrics.render());
      const distinct = new Set(pairs.map((pair) => JSON.stringify(pair.map(withoutZero))));
      const read = family!.samples.map(({ labels }) => JSON.stringify([labels.topic, labels.group]));
      assert.deepEqual(new Set(read), distinct);
    }),
  );
});

test('with too many series, counts come first, and omitted ones are counted', async (t) => {
  const { node, addTopic } = await openTestClusterApi(t);
  for (const name of ['a', 'b', 'c']) await addTopic(name);
  const whole = parsePrometheusText((await measured(node)).render());
  const seriesIn = (families: typeof whole) =>
    families
      .filter(({ name }) => name !== 'service_cluster_metrics_left_out')
      .reduce((sum, { samples }) => sum + samples.length, 0);
  const all = seriesIn(whole);
  const allSeriesMax = all - 4;
  const some = parsePrometheusText((await measured(node, { allSeriesMax })).render());
  assert.equal(seriesIn(some), allSeriesMax);
  const leftOut = some.find(({ name }) => name === 'service_cluster_metrics_left_out')!;
  assert.equal(leftOut.samples.find(({ labels }) => labels.what === 'series')!.value, 4);
  assert.ok(some.some(({ name, samples }) => name === 'service_topics_count' && samples.length === 1));
});

test('a remote leader gives the same metrics over its connection', async (t) => {
  const { node, addTopic, write } = await openTestClusterApi(t);
  const topicId = await addTopic('orders', 2);
  await write(topicId, 0, 5);
  await commit(node, 'readers', topicId, 2);
  const server = await startControlPlane({
    host: '127.0.0.1',
    port: 0,
    clusters: () => node,
    authorize: () => true,
    readiness: () => true,
    members: () => [],
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
  const client = connectCluster({
    urls: [server.url],
    clusterId,
    agentKey: () => `aks_${'1'.repeat(64)}`,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(async () => {
    client.close();
    await server.close();
  });
  // The age of a record differs in every measurement.
  const text = async (port: ClusterPort) =>
    (await measured(port)).render().replaceAll(/(_e2e_seconds\{.*\}) .*/g, '$1');
  const there = await text(client);
  assert.match(there, /service_consumer_group_commit_ts\{/);
  assert.match(there, /service_files_count\{.*\} 1\n/);
  assert.equal(there, await text(node));
});

test('a cluster that this process does not lead is not available', async (t) => {
  const databaseUrl = 'memory://measured-by-two';
  await startNode(t, databaseUrl);
  const standby = await startNode(t, databaseUrl, 'two');
  await assert.rejects(measured(standby), ClusterUnavailable);
});
