import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLeaderAgent } from '@weir/broker/testing';
import { Metrics, silentLog } from '@weir/core';
import { HandClock, pause } from '@weir/core/testing';
import type { EventData } from '@weir/events';
import { ClusterMetricEvents, roundIntervalMs } from './cluster-metric-events.ts';

const lateTable = {
  tableUuid: 'u',
  tableName: 'shop__orders',
  topic: 'orders',
  configurationId: 'c',
  hasConfiguration: true,
  partitions: [{ partition: 0, nextOffset: 1, endOffset: 8 }],
  partitionCount: 1,
  stoppedPartitionCount: 0,
  lagRecords: 7,
  ingestionLagMs: 1_500,
  queryLagMs: 2_500,
  keptRecordCount: 0,
  droppedRecordCount: 0,
  isFailing: false,
  fileCount: 4,
};

test('cluster metrics become events once a minute, per topic and not per partition, while the type is on', async () => {
  await using cluster = await startLeaderAgent();
  await cluster.addTopic('orders', 3);
  await cluster.node.reportTables({ agentId: 'agent-1', tables: [lateTable] });
  const clock = new HandClock();
  const events: { readonly data: EventData; readonly timeMs: number | undefined }[] = [];
  let isOn = false;
  let isReporter = true;
  const metricEvents = new ClusterMetricEvents({
    view: cluster.view,
    emitter: {
      isOn: () => isOn,
      emit: (type, data, options) => {
        assert.equal(type, 'cluster_metrics');
        events.push({ data, timeMs: options?.timeMs });
      },
    },
    isReporter: () => isReporter,
    clock,
    log: silentLog,
    metrics: new Metrics(),
  });
  const rounds = () => new Set(events.map(({ timeMs }) => timeMs)).size;
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.advance(1_000);
      await pause(0);
    }
    await pause();
  };
  metricEvents.start();
  await pass(2_000);
  assert.equal(rounds(), 0);
  isOn = true;
  await pass(1_000);
  assert.equal(rounds(), 1);
  const ofTopics = events.filter(({ data }) => data.metric_name === 'service_max_offset');
  assert.deepEqual(
    ofTopics.map(({ data }) => data),
    [{ metric_name: 'service_max_offset', value: 0, tags: { topic: 'orders' } }],
  );
  const tags = { topic: 'orders', table_name: 'shop__orders', table_uuid: 'u' };
  const ofTables = events
    .map(({ data }) => data)
    .filter((data) => `${data.metric_name}`.startsWith('tableflow_'));
  for (const [metric_name, value, more] of [
    ['tableflow_ingestion_lag_seconds', 1.5],
    ['tableflow_query_lag_seconds', 2.5],
    ['tableflow_partition_offset_lag', 7, { is_dlq: 'false' }],
    ['tableflow_files_count', 4],
  ] as const)
    assert.deepEqual(
      ofTables.filter((data) => data.metric_name === metric_name),
      [{ metric_name, value, tags: { ...tags, ...more } }],
    );
  await pass(roundIntervalMs - 1_000);
  assert.equal(rounds(), 1);
  await pass(1_000);
  assert.equal(rounds(), 2);
  isReporter = false;
  await pass(2 * roundIntervalMs);
  assert.equal(rounds(), 2);
  metricEvents.stop();
  assert.equal(clock.waiting, 0);
});
