import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BoundaryAnswer, BoundaryQuery, FileCommit } from '@weir/cluster';
import { youngFileId } from '@weir/core/testing';
import { agentOf } from '@weir/diagnostics/testing';
import { openTestClusterApi, type TestClusterApi } from '../../../testing/test-cluster-api.ts';

/** A file with batches of one partition, one after the other, 100 bytes each. */
function fileOf(
  number: number,
  topicId: string,
  partition: number,
  batches: [records: number, ms: number][],
): FileCommit {
  const rows = batches.length;
  return {
    fileId: youngFileId(number),
    fileBytes: 100 * rows,
    topicIds: [topicId],
    topic: new Uint32Array(rows),
    partition: new Uint32Array(rows).fill(partition),
    byteStart: Uint32Array.from(batches, (_, index) => index * 100),
    byteLength: new Uint32Array(rows).fill(100),
    recordCount: Uint32Array.from(batches, ([records]) => records),
    maxTimestampMs: Float64Array.from(batches, ([, ms]) => ms),
    producerId: new Float64Array(rows).fill(-1),
    producerEpoch: new Int16Array(rows).fill(-1),
    baseSequence: new Int32Array(rows).fill(-1),
  };
}

type Answers = (query: BoundaryQuery) => BoundaryAnswer;

/** Plays an agent that finds batch boundaries. */
async function serve({ node }: TestClusterApi, answer: Answers): Promise<BoundaryQuery[]> {
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf('a');
  await node.heartbeat(agent);
  const queries: BoundaryQuery[] = [];
  const serveNext = async (): Promise<void> => {
    const taken = await node.takeQuery({ agentId: 'a', waitMs: 20_000 }).catch(() => null);
    if (taken === null) return;
    const query = JSON.parse(String(Buffer.from(taken.request))) as BoundaryQuery;
    queries.push(query);
    const text = Buffer.from(JSON.stringify(answer(query)));
    await node.reportQuery({
      agentId: 'a',
      queryId: taken.queryId,
      state: 'done',
      answer: text,
      message: '',
    });
    return serveNext();
  };
  void serveNext();
  return queries;
}

const names = { source_topic_name: 'orders', topic_name: 'copy' };
const partitionsOf = (answer: { partitions: readonly { start_offset: number; end_offset: number }[] }) =>
  answer.partitions.map(({ start_offset, end_offset }) => [start_offset, end_offset]);

test('a topic is cloned without an agent, with its configs, and both go on alone', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.call('create_topic', {
    topic_name: 'orders',
    partition_count: 2,
    configs: { 'retention.ms': '1000', 'max.message.bytes': '5000' },
  });
  const { topic_id: source } = await testApi.call('describe_topic', { topic_name: 'orders' });
  await testApi.write(source, 1, 5);
  const cloned = await testApi.call('create_topic_clone', {
    ...names,
    configs: { 'retention.ms': '-1', 'max.message.bytes': null },
  });
  assert.deepEqual(partitionsOf(cloned), [
    [0, 0],
    [0, 5],
  ]);
  const { topic_id, partition_count, configs } = await testApi.call('describe_topic', { topic_name: 'copy' });
  assert.deepEqual([topic_id, partition_count, configs['retention.ms']], [cloned.topic_id, 2, '-1']);
  assert.notEqual(configs['max.message.bytes'], '5000');
  await testApi.write(source, 1, 2);
  await testApi.call('delete_topic', { topic_name: 'orders', soft_delete: false });
  const again = await testApi.call('create_topic_clone', { source_topic_name: 'copy', topic_name: 'orders' });
  assert.deepEqual(partitionsOf(again), [
    [0, 0],
    [0, 5],
  ]);
});

test('offsets and times are moved to the batch that they lie in, which an agent finds', async (t) => {
  const testApi = await openTestClusterApi(t);
  const topicId = await testApi.addTopic('orders', 2);
  const batches: [number, number][] = [
    [3, 1_000],
    [3, 2_000],
    [3, 3_000],
  ];
  await testApi.node.commitFiles([fileOf(1, topicId, 0, batches), fileOf(2, topicId, 1, [[4, 500]])]);
  const queries = await serve(testApi, ({ ranges }) =>
    ranges.map(() => ({ offset: 3, byteLength: 100, maxTimestampMs: 1_000 })),
  );
  const byOffset = await testApi.call('create_topic_clone', {
    ...names,
    at_offsets: [{ partition: 0, offset: 5 }],
  });
  assert.deepEqual(byOffset.partitions, [
    { partition: 0, start_offset: 0, end_offset: 3, requested_offset: 5 },
    { partition: 1, start_offset: 0, end_offset: 4, requested_offset: null },
  ]);
  const range = { fileId: youngFileId(1), byteStart: 0, byteLength: 300, baseOffset: 0, nextOffset: 9 };
  assert.deepEqual(queries, [{ kind: 'batchBoundaries', ranges: [{ ...range, offset: 5 }] }]);

  const at = new Date(1_500).toISOString();
  const byTime = await testApi.call('create_topic_clone', {
    ...names,
    topic_name: 'by-time',
    at_timestamp: at,
  });
  assert.deepEqual(partitionsOf(byTime), [
    [0, 3],
    [0, 4],
  ]);
  assert.deepEqual(queries[1]!.ranges, [{ ...range, offset: 9, timestampMs: 1_500 }]);

  // At the ends of ranges no agent is asked.
  const whole = [0, 9].map((offset) =>
    testApi.call('create_topic_clone', {
      ...names,
      topic_name: `at-${offset}`,
      at_offsets: [{ partition: 0, offset }],
    }),
  );
  assert.deepEqual((await Promise.all(whole)).map(partitionsOf), [
    [
      [0, 0],
      [0, 4],
    ],
    [
      [0, 9],
      [0, 4],
    ],
  ]);
  const late = await testApi.call('create_topic_clone', {
    ...names,
    topic_name: 'late',
    at_timestamp: '2100-01-01T00:00:00Z',
  });
  assert.deepEqual(partitionsOf(late), [
    [0, 9],
    [0, 4],
  ]);
  assert.equal(queries.length, 2);
});

test('a clone is tried again while files are merged, and then refused', async (t) => {
  const testApi = await openTestClusterApi(t);
  const topicId = await testApi.addTopic('orders');
  await testApi.node.commitFiles([
    fileOf(1, topicId, 0, [
      [3, 1],
      [3, 2],
    ]),
  ]);
  const right = { offset: 3, byteLength: 100, maxTimestampMs: 1 };
  // The file is gone, and then the boundary is not where the agent found it.
  const answers = [null, { ...right, byteLength: 200 }, right];
  const queries = await serve(testApi, () => [answers.shift() ?? null]);
  const at = { at_offsets: [{ partition: 0, offset: 4 }] };
  assert.deepEqual(partitionsOf(await testApi.call('create_topic_clone', { ...names, ...at })), [[0, 3]]);
  assert.equal(queries.length, 3);
  const [code, message] = await testApi.refusal('create_topic_clone', {
    ...names,
    topic_name: 'other',
    ...at,
  });
  assert.deepEqual(
    [code, message],
    ['unavailable', 'The files of the topic orders are being compacted; try again.'],
  );
});

test('refusals are one line, and say what is wrong', async (t) => {
  const testApi = await openTestClusterApi(t);
  const topicId = await testApi.addTopic('orders');
  await testApi.addTopic('taken');
  await testApi.node.commitFiles([
    fileOf(1, topicId, 0, [
      [3, 1],
      [3, 2],
    ]),
  ]);
  const cases: [
    body: Parameters<typeof testApi.refusal<'create_topic_clone'>>[1],
    code: string,
    message: RegExp,
  ][] = [
    [{ ...names, source_topic_name: 'none' }, 'not_found', /^Topic none not found\.$/],
    [{ ...names, topic_name: 'taken' }, 'topic_already_exists', /^Topic taken already exists\.$/],
    [{ ...names, source_topic_name: '__service_x' }, 'invalid_request', /__service_x belongs to the service/],
    [{ ...names, topic_name: '__service_x' }, 'invalid_request', /__service_x belongs to the service/],
    [{ ...names, topic_name: 'no good' }, 'invalid_request', /topic_name/],
    [{ ...names, at_timestamp: 'yesterday' }, 'invalid_request', /is not a time such as/],
    [{ ...names, at_offsets: [{ partition: 0, offset: 7 }] }, 'invalid_request', /from 0 to 6; 7 is outside/],
    [
      { ...names, at_offsets: [{ partition: 1, offset: 0 }] },
      'invalid_request',
      /has 1 partitions; partition 1 does not exist/,
    ],
    [
      { ...names, at_offsets: [{ partition: 0, offset: 0 }], at_timestamp: '2026-01-01T00:00:00Z' },
      'invalid_request',
      /only one of/,
    ],
    [{ ...names, configs: { 'cleanup.policy': 'compact' } }, 'invalid_topic_config', /cannot be compacted/],
    [{ ...names, configs: { 'retention.ms': 'soon' } }, 'invalid_topic_config', /retention\.ms/],
  ];
  for (const [body, expected, message] of cases) {
    const [code, text] = await testApi.refusal('create_topic_clone', body);
    assert.equal(code, expected, text);
    assert.match(text, message);
    assert.ok(!text.includes('\n'));
  }
  assert.deepEqual(
    (await testApi.call('list_topics', {})).topics.map(({ name }) => name),
    ['orders', 'taken'],
  );
});
