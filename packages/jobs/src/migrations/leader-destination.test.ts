import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCopyPath } from '@weir/broker';
import { DataPath } from '@weir/broker/testing';
import { silentLog } from '@weir/core';
import { settle } from '@weir/core/testing';
import { buildRecordBatch, RecordBatchView } from '@weir/wire';
import { LeaderDestination } from './leader-destination.ts';

/** A leader, an agent's view of it, and the copies of a pipeline. */
async function open() {
  const path = new DataPath({});
  await path.ready();
  const { clock, random, store, view, cluster, readPath } = path;
  const copyPath = createCopyPath({
    ...{ clusterId: cluster.clusterId, store, cluster: view, clock, random, log: silentLog },
  });
  const of = (pipelineId: string) =>
    new LeaderDestination({
      ...{ pipelineId, agentId: 'a', port: view.port, view, copyPath, readPath },
      onUnreported: (error) => assert.fail(String(error)),
    });
  const own = of('p');
  const manage = async (name: string, configs: Record<string, string> = {}, logStarts = [0]) => {
    const topic = { name, sourceTopic: name, sourceTopicId: '', configs };
    const [result] = await own.manage([{ ...topic, logStarts: Float64Array.from(logStarts) }]);
    assert.deepEqual([result!.error, result!.message], ['NONE', null]);
    await settle();
    return own.managedTopics().find((one) => one.name === name)!.topicId;
  };
  /** Copies batches of so many records. */
  const copy = async (topicId: string, expectedOffset: number, ...counts: readonly number[]) => {
    let nextOffset = expectedOffset;
    const slices = counts.map((count) => {
      const records = Array.from({ length: count }, (_, at) => ({
        ...{ offset: BigInt(nextOffset + at), timestamp: 1_000n, key: null },
        value: Buffer.from(`value ${nextOffset + at}`),
      }));
      const bytes = buildRecordBatch(records, { baseOffset: BigInt(nextOffset), partitionLeaderEpoch: 0 });
      nextOffset += count;
      return bytes;
    });
    let byteStart = 0;
    const batches = slices.map((bytes) => {
      const { baseOffset, lastOffset, maxTimestamp, recordCount } = new RecordBatchView(bytes);
      const place = { byteStart, byteLength: bytes.length };
      byteStart += bytes.length;
      return {
        ...{ baseOffset: Number(baseOffset), nextOffset: Number(lastOffset) + 1, ...place },
        ...{ maxTimestampMs: Number(maxTimestamp), producerId: -1, producerEpoch: -1, baseSequence: -1 },
        ...{ recordCount, kind: 'plain' as const },
      };
    });
    const part = { pipelineId: 'p', topicId, partition: 0, expectedOffset, batches, slices, nextOffset };
    const appended = own.append({ ...part, byteLength: byteStart });
    await settle();
    clock.advance(1_000);
    await settle();
    const outcome = await appended;
    assert.equal(outcome.error, 'NONE');
    return { nextOffset, crc: new RecordBatchView(slices.at(-1)!).crc };
  };
  return { of, own, manage, copy };
}

test('a migration sees its own topics', async () => {
  const { of, own, manage } = await open();
  await manage('orders');
  assert.deepEqual(
    own.managedTopics().map(({ name, state, epoch, partitionCount }) => [name, state, epoch, partitionCount]),
    [['orders', 'REPLICATING', 1, 1]],
  );
  assert.deepEqual(of('other').managedTopics(), []);
  const [refused] = await of('other').manage([
    { name: 'orders', sourceTopic: 'orders', sourceTopicId: '', configs: {}, logStarts: Float64Array.of(0) },
  ]);
  assert.equal(refused!.error, 'TOPIC_ALREADY_EXISTS');
});

test('the last batches of copies are read from the store', async () => {
  const { own, manage, copy } = await open();
  const [orders, keys, empty] = [
    await manage('orders', {}, [7]),
    await manage('keys', { 'cleanup.policy': 'compact' }),
    await manage('empty', {}, [5]),
  ];
  await copy(orders, 7, 2, 1);
  const last = await copy(orders, 10, 4, 3);
  const compacted = await copy(keys, 0, 1);
  const found = await own.lastBatches([
    { topicId: empty, partition: 0, nextOffset: 5 },
    { topicId: orders, partition: 0, nextOffset: 17 },
    { topicId: keys, partition: 0, nextOffset: 1 },
    // As of an earlier round: the copy has gone on since.
    { topicId: orders, partition: 0, nextOffset: 10 },
  ]);
  assert.deepEqual(
    found.map((one) => one && [one.batch.baseOffset, one.batch.nextOffset, one.isCompacted]),
    [undefined, [14, 17, false], [0, 1, true], [9, 10, false]],
  );
  assert.deepEqual([found[1]!.batch.crc, found[2]!.batch.crc], [last.crc, compacted.crc]);
});

test('a copy is appended where it ends, once', async () => {
  const { own, manage, copy } = await open();
  const orders = await manage('orders');
  const { nextOffset } = await copy(orders, 0, 3);
  assert.equal(own.endOffset(orders, 0), nextOffset);
  assert.equal(own.endOffset('unknown', 0), undefined);
  const [state] = await own.list();
  assert.deepEqual([...state!.nextOffset], [3]);
});

test('configs of the cluster are set, or the reason is returned', async () => {
  const { own } = await open();
  assert.deepEqual(await own.setClusterConfigs({ 'log.retention.ms': '3600000' }), []);
  await settle();
  assert.equal(own.clusterConfigs()['log.retention.ms'], '3600000');
  const [problem] = await own.setClusterConfigs({ 'log.retention.ms': 'soon' });
  assert.match(problem!, /log\.retention\.ms/);
});
