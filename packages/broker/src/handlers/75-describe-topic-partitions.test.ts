import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, startTestAgent, type TestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

interface Cursor {
  readonly topicName: string;
  readonly partitionIndex: number;
}

async function page(agent: TestAgent, limit: number, cursor: Cursor | null, names: string[] = []) {
  const topics = names.map((name) => ({ name }));
  const request = { topics, responsePartitionLimit: limit, cursor };
  const answer = answered(await agent.call('DescribeTopicPartitions', 0, request));
  const partitions = answer.topics.map(
    (topic) => `${topic.name}:${topic.partitions.map(({ partitionIndex }) => partitionIndex).join('')}`,
  );
  return { answer, partitions, next: answer.nextCursor };
}

test('all pages together list everything, in the order of names', async () => {
  const agent = await startTestAgent();
  for (const [name, count] of [
    ['c', 1],
    ['a', 5],
    ['b', 2],
  ] as const)
    agent.cluster.addTopic(name, count);
  for (const [limit, expected] of [
    [100, [['a:01234', 'b:01', 'c:0']]],
    [5, [['a:01234'], ['b:01', 'c:0']]],
    [3, [['a:012'], ['a:34', 'b:0'], ['b:1', 'c:0']]],
    [1, [['a:0'], ['a:1'], ['a:2'], ['a:3'], ['a:4'], ['b:0'], ['b:1'], ['c:0']]],
  ] as const) {
    const pages: string[][] = [];
    let cursor: Cursor | null = null;
    do {
      const { partitions, next } = await page(agent, limit, cursor);
      pages.push(partitions);
      cursor = next;
    } while (cursor !== null);
    assert.deepEqual(pages, expected);
  }
});

test('named topics, topics that do not exist, and a cursor to a missing topic or partition', async () => {
  const agent = await startTestAgent();
  for (const name of ['a', 'b', 'c']) agent.cluster.addTopic(name, 2);
  const named = await page(agent, 10, null, ['c', 'x', 'a', 'a', 'b d']);
  assert.deepEqual(named.partitions, ['a:01', 'b d:', 'c:01', 'x:']);
  assert.deepEqual(
    named.answer.topics.map(({ errorCode }) => errorCode),
    [0, codeOf('INVALID_TOPIC_EXCEPTION'), 0, codeOf('UNKNOWN_TOPIC_OR_PARTITION')],
  );
  assert.deepEqual((await page(agent, 10, { topicName: 'bb', partitionIndex: 1 })).partitions, ['c:01']);
  const below = await page(agent, 10, { topicName: 'c', partitionIndex: -5 }, ['c', 'x']);
  assert.deepEqual(
    below.answer.topics.map(({ errorCode }) => errorCode),
    [codeOf('INVALID_REQUEST'), codeOf('INVALID_REQUEST')],
  );
  assert.deepEqual((await page(agent, 10, { topicName: 'c', partitionIndex: 9 })).partitions, ['c:']);
  assert.deepEqual((await page(agent, -1, null)).partitions, ['a:0']);
});
