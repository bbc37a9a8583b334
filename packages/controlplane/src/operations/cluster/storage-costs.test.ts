import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import { priceLists } from '@weir/api/storage-costs';
import { GiB, systemClock } from '@weir/core';
import { agentOf } from '@weir/diagnostics/testing';
import { startLeader } from '../../../testing/leading-node.ts';
import { oneBatchFile } from '../../../testing/one-batch-file.ts';
import type { CallContext } from '../call-context.ts';
import type { ClusterServices } from './services.ts';
import { storageCostOperations, toCostsResponse } from './storage-costs.ts';

test('costs come from the reports of agents and from the files of the leader', async (t) => {
  const node = await startLeader(t);
  const [made] = await node.createTopics([{ name: 'orders', partitionCount: 1, configs: {} }], {
    validateOnly: false,
  });
  await node.commitFiles([1, 2, 3].map((number) => oneBatchFile(number, made!.topic!.topicId, 0, 1)));
  const report = {
    startedMs: 1,
    spanMs: 20_000,
    nowMs: systemClock.nowMs(),
    files: { count: 3, bytes: 300 },
    mergedBytes: 600,
    buckets: [
      { name: 's3://records', operationCount: 9, failureCount: 0, requests: [4, 3, 2, 1] },
      { name: 's3://archive', operationCount: 1, failureCount: 0, requests: [0, 1, 0, 0] },
    ],
  };
  await node.heartbeat({ ...agentOf('a'), report: { ...report, number: 1, sinceNumber: 0 } });
  // The agent did not learn that the first was received, and sends its content again.
  await node.heartbeat({ ...agentOf('a'), report: { ...report, number: 2, sinceNumber: 0 } });
  const { describe_storage_costs } = storageCostOperations({
    clusterPort: () => node,
  } as unknown as ClusterServices);
  const input = catalogue.describe_storage_costs.input.parse({
    virtual_cluster_id: 'vci_0197f0ce_0d4f_7000_8000_000000000001',
    prices: { put: 0.1 },
  });
  const answer = await describe_storage_costs(input, { clock: systemClock } as CallContext);
  catalogue.describe_storage_costs.output.parse(answer);
  assert.equal(answer.write_amplification, 2);
  assert.deepEqual(answer.levels, [{ level: 0, files: 3, bytes: 300 }]);
  assert.deepEqual(
    answer.requests.map(({ bucket }) => bucket),
    ['s3://archive', 's3://records'],
  );
  const [archive, records] = answer.requests;
  assert.equal(archive!.put_per_second, 0);
  assert.equal(records!.put_per_second / records!.delete_per_second, 4);
  assert.equal(Math.round(answer.ingested_bytes_per_second * answer.measured_seconds), 300);
  assert.equal(answer.oldest_dead_at, undefined);
  assert.deepEqual([answer.deletion_delay_seconds, answer.is_deletion_enabled], [600, true]);
  assert.deepEqual(answer.prices, { ...priceLists.s3.prices, put: 0.1 });
});

test('a cluster of which nothing was measured has a price for what it stores', () => {
  const answer = toCostsResponse(
    { spanMs: 0, ingestedBytes: 0, mergedBytes: 0, buckets: [] },
    { levels: [{ files: 1, bytes: 10 * GiB }], deadFiles: 1, deadBytes: 10 * GiB, oldestDeadMs: 1 },
    { 'service.file.delete.delay.ms': '90000', 'service.file.delete.enable': 'false' },
    { price_list: 'gcs', prices: {} },
  );
  catalogue.describe_storage_costs.output.parse(answer);
  assert.equal(answer.write_amplification, undefined);
  assert.equal(answer.ingested_bytes_per_second, 0);
  assert.equal(answer.costs.month, 20 * 0.02);
  assert.equal(answer.costs.per_gib, undefined);
  assert.equal(answer.oldest_dead_at, '1970-01-01T00:00:00.001Z');
  assert.equal(answer.deletion_delay_seconds, 90);
  assert.equal(answer.is_deletion_enabled, false);
});
