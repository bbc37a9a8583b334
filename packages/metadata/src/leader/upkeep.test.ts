import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { fileCommit } from '@weir/cluster/testing';
import { Metrics, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { openJournals } from '@weir/journal';
import { ClusterNode } from './cluster-node.ts';

const minuteMs = 60_000;

/** Starts a leader over a journal in memory. */
function leader(clusterId: string, clock: HandClock): ClusterNode {
  const hub = openJournals(`memory://${randomUUID()}`, { clock, log: silentLog });
  const node = new ClusterNode({
    clusterId,
    journal: hub.journal(clusterId),
    self: { id: 'a', url: '' },
    clock,
    log: silentLog,
    metrics: new Metrics(),
  });
  node.start();
  return node;
}

/** A leader, and a topic. */
async function leading(t: TestContext, configs: Record<string, string>) {
  const clock = new HandClock();
  const node = leader('vci_test', clock);
  t.after(() => node.stop());
  await clock.pass(100);
  const topics = [{ name: 't', partitionCount: 1, configs }];
  const [created] = await node.createTopics(topics, { validateOnly: false });
  const { topicId } = created!.topic!;
  let fileNumber = 0;
  return {
    clock,
    node,
    topicId,
    /** Writes one record of a hundred bytes compressed. */
    async write(uncompressedBytes?: number) {
      const file = fileCommit(++fileNumber, topicId, [{ partition: 0, recordCount: 1 }]);
      const column =
        uncompressedBytes === undefined ? {} : { uncompressedBytes: Float64Array.of(uncompressedBytes) };
      await node.commitFiles([{ ...file, ...column, maxTimestampMs: Float64Array.of(clock.nowMs()) }]);
    },
    async partitionCount() {
      const { partitionCount } = await node.logSizes([topicId]);
      return partitionCount[0];
    },
    async logStartOffset() {
      const [answer] = await node.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]);
      return answer!.logStartOffset;
    },
  };
}

test('records are deleted after the retention time of the topic', async (t) => {
  const { clock, write, logStartOffset } = await leading(t, { 'retention.ms': String(10 * minuteMs) });
  await write();
  await clock.pass(6 * minuteMs);
  await write();
  assert.equal(await logStartOffset(), 0);
  await clock.pass(10 * minuteMs);
  assert.equal(await logStartOffset(), 1);
  await clock.pass(10 * minuteMs);
  assert.equal(await logStartOffset(), 2);
});

const scaled = (bytesPerSecond: number) => ({
  'service.partitions_auto_scaler.enabled': 'true',
  'service.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second':
    String(bytesPerSecond),
});

test('a topic above its target for a quarter of an hour gets more partitions', async (t) => {
  const { clock, write, partitionCount } = await leading(t, scaled(10));
  await clock.pass(minuteMs);
  for (let minute = 0; minute < 15; minute++) {
    assert.equal(await partitionCount(), 1);
    await write(10 * 60 * 3);
    await clock.pass(minuteMs);
  }
  assert.equal(await partitionCount(), 3);
});

test('without an uncompressed size, the size of the file counts', async (t) => {
  const { clock, write, partitionCount } = await leading(t, scaled(1));
  await clock.pass(minuteMs);
  for (let minute = 0; minute < 15; minute++) {
    await write();
    await write();
    await clock.pass(minuteMs);
  }
  assert.equal(await partitionCount(), 4, '200 bytes in 60 seconds');
});

test('a topic without an auto-scaler is not changed', async (t) => {
  const { clock, write, partitionCount } = await leading(t, {});
  for (let minute = 0; minute < 20; minute++) {
    await write(1e9);
    await clock.pass(minuteMs);
  }
  assert.equal(await partitionCount(), 1);
});

test('a schema registry has no jobs on files, which its agents do not take', async (t) => {
  // cluster, kinds of jobs
  const ofKafka = [
    'sequence_replay',
    'file_deletion',
    'key_compaction',
    'file_compaction',
    'dead_file_scan',
    'schema_export',
  ];
  const cases = [
    ['vci_test', ofKafka],
    ['vci_sr_test', ['schema_export']],
  ] as const;
  for (const [clusterId, kinds] of cases) {
    const clock = new HandClock();
    const node = leader(clusterId, clock);
    t.after(() => node.stop());
    await clock.pass(100);
    const { takers } = await node.listJobs();
    assert.deepEqual(
      takers.map(({ kind }) => kind),
      kinds,
      clusterId,
    );
  }
});
