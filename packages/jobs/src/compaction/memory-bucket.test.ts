import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf } from '@weir/broker/testing';
import { fileIdLevel, silentLog } from '@weir/core';
import { CompactionStage } from '../../testing/compaction-stage.ts';
import { jobService, usualJobSettings } from '../job-service.ts';
import { MergePace } from './merge-pace.ts';

test('an agent of a bucket that no thread can open merges its files between requests', async (t) => {
  const stage = new CompactionStage(t);
  const { cluster, path, store } = stage;
  const { topicId } = cluster.addTopic('orders', 1, { 'retention.ms': '-1' });
  await path.ready();
  for (let file = 0; file < 40; file++) {
    path.clock.advance(100);
    await stage.append(topicId, 0, batchOf([`value ${file}`]));
  }
  const before = await stage.read('orders', 0);
  let storedBytes = 0;
  const service = jobService({
    clusterId: cluster.clusterId,
    agentId: 'a',
    roles: ['jobs'],
    settings: usualJobSettings,
    cluster,
    view: {
      topicById: () => ({}) as never,
      records: () => ({ byKey: new Map(), version: 0 }) as never,
    },
    store,
    cpuCount: 1,
    storedBytes: () => storedBytes,
    mergePace: new MergePace(cluster.clock),
    random: path.random,
    clock: cluster.clock,
    log: silentLog,
    metrics: path.metrics,
  });
  t.after(() => service.stop());
  service.start();
  const takers = async () =>
    (await cluster.listJobs()).takers.find(({ kind }) => kind === 'file_compaction')!;
  // Clients that write much have the thread to themselves.
  for (let step = 0; step < 30; step++) {
    storedBytes += 50_000_000;
    await stage.pass(5_000);
  }
  assert.deepEqual(await takers(), { kind: 'file_compaction', agentCount: 0, pausedCount: 1 });
  assert.equal(stage.fileIds().length, 40);
  await stage.pass(30 * 60_000);
  assert.deepEqual(await takers(), { kind: 'file_compaction', agentCount: 1, pausedCount: 0 });
  assert.deepEqual(stage.fileIds().map(fileIdLevel), [1, 1]);
  assert.deepEqual(await stage.read('orders', 0), before);
});
