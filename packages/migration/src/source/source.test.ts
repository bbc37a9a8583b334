import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FakeKafka, FakeKafkaOptions } from '@weir/client/testing';
import { buildRecordBatch, errors, rewritePosition } from '@weir/wire';
import { startSource } from '../../testing/open-source.ts';
import { batchStarts } from './batch-starts.ts';
import { epochEnds } from './epoch-ends.ts';
import { logEnds } from './log-ends.ts';
import { fetchRaw } from './raw-fetch.ts';
import { sourceAcls } from './source-acls.ts';
import { topicConfigs } from './source-configs.ts';
import { sourceCommits, sourceGroups } from './source-groups.ts';
import { probeSource } from './source-probe.ts';
import { sourceTopics } from './source-topics.ts';

/** The versions that Kafka 2.0 offers of what is asked. */
const kafka20: NonNullable<FakeKafkaOptions['versions']> = {
  ApiVersions: [0, 2],
  Metadata: [0, 6],
  Fetch: [4, 8],
  ListOffsets: [1, 3],
  OffsetForLeaderEpoch: [0, 1],
  ListGroups: [0, 2],
  DescribeGroups: [0, 2],
  OffsetFetch: [1, 4],
};

const limits = { answerBytesMax: 1_000_000, partitionBytesMax: 100_000, waitMs: 0 };

function append(kafka: FakeKafka, partition: number, texts: readonly string[], base?: number): Buffer {
  const log = kafka.topics.get('orders')!.partitions[partition]!;
  const bytes = buildRecordBatch(
    texts.map((value) => ({ timestamp: 7n, key: null, value: Buffer.from(value) })),
    { codec: 'gzip' },
  );
  rewritePosition(bytes, BigInt(base ?? log.end), 3);
  log.batches.push(bytes);
  log.end = BigInt(base ?? log.end) + BigInt(texts.length);
  return bytes;
}

test('topics have ids, leaders and epochs; those that cannot be copied have a reason', async (t) => {
  const { source, kafka } = await startSource(t, {
    brokers: 2,
    topics: { orders: 2, 'bad name': 1 },
  });
  assert.deepEqual(await sourceTopics(source), {
    clusterId: 'fake',
    topics: [
      {
        name: 'orders',
        topicId: kafka.topics.get('orders')!.id,
        isInternal: false,
        partitions: [
          { partition: 0, leaderId: 1, leaderEpoch: 4 },
          { partition: 1, leaderId: 2, leaderEpoch: 4 },
        ],
      },
    ],
    refused: [{ name: 'bad name', reason: 'the name is not that of a topic' }],
  });
  const { refused } = await sourceTopics(source, ['gone']);
  assert.deepEqual(refused, [{ name: 'gone', reason: 'the topic does not exist' }]);
});

test('a source of Kafka 2.0 has no ids, no epochs, and is fetched in its version', async (t) => {
  const { source, kafka } = await startSource(t, {
    versions: kafka20,
    script: { OffsetForLeaderEpoch: () => 'hang up' },
  });
  const { topics } = await sourceTopics(source);
  assert.equal(topics[0]!.topicId, null);
  append(kafka, 0, ['a']);
  const position = { topic: 'orders', partition: 0, topicId: null, offset: 0, lastEpoch: 3 };
  const { fetched } = await fetchRaw(source, 1, [position], limits);
  assert.equal(fetched.length, 1);
  const { version } = kafka.requests.find(({ api }) => api === 'Fetch')!;
  assert.equal(version, 8);
  const place = { topic: 'orders', partition: 0, leaderId: 1 };
  assert.deepEqual(await epochEnds(source, [{ ...place, epoch: 3 }]), []);
  const { hasTopicIds, knowsEpochs, fetchVersion } = await probeSource(source);
  assert.deepEqual(
    { hasTopicIds, knowsEpochs, fetchVersion },
    { hasTopicIds: false, knowsEpochs: false, fetchVersion: 8 },
  );
});

test('a probe names the brokers that cannot be copied from', async (t) => {
  const { source } = await startSource(t, {
    ghosts: [{ nodeId: 9, host: '127.0.0.1', port: 1 }],
    versions: { Fetch: [0, 3] },
  });
  const { brokers } = await probeSource(source);
  assert.deepEqual(
    brokers.map(({ nodeId, problem }) => `${nodeId}: ${problem}`),
    [
      '1: has no version of Fetch in common with Weir; Kafka 2.0 and later have',
      '9: 127.0.0.1:1: connection refused; nothing listens on that port; check the broker and the port of its Kafka listener',
    ],
  );
});

test('batches are fetched as the source has them', async (t) => {
  const { source, kafka } = await startSource(t);
  const bytes = append(kafka, 0, ['a', 'b']);
  const { topics } = await sourceTopics(source);
  const { topicId } = topics[0]!;
  const { fetched, refused, throttleMs } = await fetchRaw(
    source,
    1,
    [
      { topic: 'orders', partition: 0, topicId, offset: 0 },
      { topic: 'orders', partition: 1, topicId, offset: 0 },
    ],
    limits,
  );
  assert.deepEqual(
    fetched.map(({ partition, records, highWatermark }) => [partition, records, highWatermark]),
    [
      [0, bytes, 2],
      [1, Buffer.alloc(0), 0],
    ],
  );
  assert.deepEqual([refused, throttleMs], [[], 0]);
});

test('an answer says how long to wait, where the log begins, and where logs diverge', async (t) => {
  const { source } = await startSource(t, {
    script: {
      Fetch: ({ topics }) => {
        assert.equal(topics[0]!.partitions[0]!.lastFetchedEpoch, 6);
        const partition = {
          partitionIndex: 0,
          errorCode: 0,
          highWatermark: 50n,
          logStartOffset: 20n,
          divergingEpoch: { epoch: 5, endOffset: 30n },
          abortedTransactions: null,
          records: null,
        };
        const stranger = { ...partition, partitionIndex: 77 };
        const { topic, topicId } = topics[0]!;
        return {
          throttleTimeMs: 900,
          responses: [{ topic, topicId, partitions: [partition, partition, stranger] }],
        };
      },
    },
  });
  const { topicId } = (await sourceTopics(source)).topics[0]!;
  const position = { topic: 'orders', partition: 0, topicId, offset: 40, lastEpoch: 6 };
  assert.deepEqual(await fetchRaw(source, 1, [position], limits), {
    fetched: [
      {
        topic: 'orders',
        partition: 0,
        records: Buffer.alloc(0),
        highWatermark: 50,
        logStart: 20,
        diverging: { epoch: 5, endOffset: 30 },
      },
    ],
    refused: [],
    throttleMs: 900,
  });
});

// biome-ignore format: a table
const failures = [
  ['NOT_LEADER_OR_FOLLOWER',     'moved'],
  ['FENCED_LEADER_EPOCH',        'moved'],
  ['OFFSET_OUT_OF_RANGE',        'out-of-range'],
  ['UNKNOWN_TOPIC_OR_PARTITION', 'gone'],
  ['INCONSISTENT_TOPIC_ID',      'gone'],
  ['TOPIC_AUTHORIZATION_FAILED', 'denied'],
  ['UNKNOWN_SERVER_ERROR',       'other'],
] as const;

for (const [name, failure] of failures)
  test(`a partition that is refused with ${name} is ${failure}`, async (t) => {
    const { source } = await startSource(t, {
      script: {
        Fetch: ({ topics }) => {
          const { topic, topicId } = topics[0]!;
          const partition = {
            partitionIndex: 0,
            errorCode: errors[name].code,
            highWatermark: -1n,
            abortedTransactions: null,
            records: null,
          };
          return { throttleTimeMs: 0, responses: [{ topic, topicId, partitions: [partition] }] };
        },
      },
    });
    const { topicId } = (await sourceTopics(source)).topics[0]!;
    const { refused } = await fetchRaw(
      source,
      1,
      [{ topic: 'orders', partition: 0, topicId, offset: 0 }],
      limits,
    );
    assert.equal(refused[0]!.failure, failure);
    assert.match(refused[0]!.message, new RegExp(`^topic orders, partition 0: ${name}: `));
  });

test('logs begin and end where their leaders say, and a partition without a leader fails alone', async (t) => {
  const { source, kafka } = await startSource(t, { brokers: 2 });
  append(kafka, 0, ['a', 'b', 'c']);
  await sourceTopics(source);
  const ends = await logEnds(source, [
    { topic: 'orders', partition: 0, leaderId: 1 },
    { topic: 'orders', partition: 1, leaderId: 1 },
    { topic: 'orders', partition: 1, leaderId: -1 },
  ]);
  assert.deepEqual(ends[0], { topic: 'orders', partition: 0, logStart: 0, endOffset: 3, endEpoch: -1 });
  assert.ok('failure' in ends[1]! && 'failure' in ends[2]!);
  assert.equal(ends[1].failure, 'moved');
  assert.equal(ends[2].message, 'the source has no broker -1 at the moment');
});

test('a batch that a log starts within is found', async (t) => {
  const { source, kafka } = await startSource(t, { topics: { orders: 3 } });
  append(kafka, 0, ['a', 'b', 'c', 'd', 'e'], 100);
  const { topicId } = (await sourceTopics(source)).topics[0]!;
  const at = (partition: number, offset: number) => ({
    topic: 'orders',
    partition,
    topicId,
    offset,
    leaderId: 1,
  });
  const starts = await batchStarts(source, [at(0, 103), at(2, 0)]);
  assert.deepEqual(starts, [
    { topic: 'orders', partition: 0, baseOffset: 100 },
    { topic: 'orders', partition: 2, baseOffset: 0 },
  ]);
});

const groupAnswers: FakeKafkaOptions['script'] = {
  ListGroups: (_, { version }) => ({
    errorCode: 0,
    groups: ['b', 'a'].map((groupId) => ({
      groupId,
      protocolType: 'consumer',
      ...(version >= 4 && { groupState: 'Empty' }),
      ...(version >= 5 && { groupType: 'Consumer' }),
    })),
  }),
  DescribeGroups: ({ groups }) => ({
    groups: groups.map((groupId) => ({
      errorCode: 0,
      groupId,
      groupState: 'Stable',
      protocolType: 'consumer',
      protocolData: '',
      members: [],
    })),
  }),
  OffsetFetch: ({ groups, groupId }, { version }) => {
    const topicsOf = (group: string) => [
      {
        name: 'orders',
        partitions: [
          { partitionIndex: 0, committedOffset: group === 'a' ? 5n : 6n, metadata: 'note', errorCode: 0 },
          { partitionIndex: 1, committedOffset: -1n, metadata: '', errorCode: 0 },
        ],
      },
    ];
    return version >= 8
      ? { groups: groups.map(({ groupId: id }) => ({ groupId: id, topics: topicsOf(id), errorCode: 0 })) }
      : { topics: topicsOf(groupId), errorCode: 0 };
  },
};

for (const [what, versions, state, type, requests] of [
  ['a new source', {}, 'Empty', 'consumer', 1],
  ['a source of Kafka 2.0', kafka20, 'Stable', 'classic', 2],
] as const)
  test(`groups of ${what}, and what they committed`, async (t) => {
    const { source, kafka } = await startSource(t, { versions, script: groupAnswers });
    const { groups, problems } = await sourceGroups(source);
    assert.deepEqual(
      groups,
      ['a', 'b'].map((groupId) => ({ groupId, coordinatorId: 1, protocolType: 'consumer', state, type })),
    );
    assert.deepEqual(problems, []);
    const { commits } = await sourceCommits(source, groups);
    assert.deepEqual(
      commits,
      [5, 6].map((offset, index) => ({
        groupId: 'ab'[index]!,
        topic: 'orders',
        partition: 0,
        offset,
        metadata: 'note',
      })),
    );
    assert.equal(kafka.count('OffsetFetch'), requests);
  });

test('topics have the configs that were set for them, and no defaults or secrets', async (t) => {
  const config = (name: string, value: string | null, configSource: number, isSensitive = false) => ({
    name,
    value,
    readOnly: false,
    configSource,
    isSensitive,
    synonyms: [],
  });
  const { source } = await startSource(t, {
    script: {
      DescribeConfigs: ({ resources }) => ({
        throttleTimeMs: 0,
        results: resources.map(({ resourceType, resourceName }) => ({
          errorCode: resourceName === 'secret' ? errors.TOPIC_AUTHORIZATION_FAILED.code : 0,
          errorMessage: null,
          resourceType,
          resourceName,
          configs:
            resourceName === 'secret'
              ? []
              : [
                  config('retention.ms', '1000', 1),
                  config('cleanup.policy', 'compact', 1),
                  config('segment.bytes', '1', 5),
                  config('min.insync.replicas', '2', 4),
                  config('vendor.password', null, 1, true),
                ],
        })),
      }),
    },
  });
  assert.deepEqual(await topicConfigs(source, ['orders', 'secret']), [
    {
      topic: 'orders',
      configs: [
        { name: 'cleanup.policy', value: 'compact' },
        { name: 'retention.ms', value: '1000' },
      ],
      problem: undefined,
    },
    {
      topic: 'secret',
      configs: [],
      problem: 'topic secret: TOPIC_AUTHORIZATION_FAILED: No permission to do this with the topic.',
    },
  ]);
});

// biome-ignore format: a table
const withoutAcls = [
  ['SECURITY_DISABLED',            'the source has no ACLs: no authorizer is configured'],
  ['CLUSTER_AUTHORIZATION_FAILED', 'the login of the source may not describe ACLs: it needs DESCRIBE on the cluster'],
] as const;

for (const [name, problem] of withoutAcls)
  test(`ACLs of a source that answers ${name} are none, with the reason`, async (t) => {
    const { source } = await startSource(t, {
      script: {
        DescribeAcls: () => ({
          throttleTimeMs: 0,
          errorCode: errors[name].code,
          errorMessage: null,
          resources: [],
        }),
      },
    });
    assert.deepEqual(await sourceAcls(source), { acls: [], problem });
  });
