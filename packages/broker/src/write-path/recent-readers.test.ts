import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAgentUnderTest } from '@weir/agent/testing';
import { HandClock } from '@weir/core/testing';
import { batchOf } from '../../testing/data-path.ts';
import { RecentReaders } from './recent-readers.ts';

test('readers are remembered for a minute', () => {
  const clock = new HandClock();
  const readers = new RecentReaders(clock);
  assert.equal(readers.hasAny, false);
  readers.came();
  clock.advance(59_999);
  assert.equal(readers.hasAny, true);
  clock.advance(1);
  assert.equal(readers.hasAny, false);
});

test('an uploaded file stays in memory only if there are recent readers', async (t) => {
  const { cluster, connect, metric } = await startAgentUnderTest(t);
  await cluster.createTopics([{ name: 'topic', partitionCount: 1, configs: {} }], { validateOnly: false });
  const client = await connect();
  const write = async () => {
    const records = batchOf(['x'.repeat(1000)]);
    const topicData = [{ name: 'topic', partitionData: [{ index: 0, records }] }];
    const { responses } = await client.call('Produce', 9, { acks: -1, timeoutMs: 1000, topicData });
    assert.equal(responses[0]!.partitionResponses[0]!.errorCode, 0);
  };
  await write();
  assert.equal(await metric('agent_file_cache_bytes'), 0);
  await client.call('Fetch', 4, { maxWaitMs: 0, minBytes: 0, topics: [] });
  await write();
  assert.ok((await metric('agent_file_cache_bytes')) > 1000);
});
