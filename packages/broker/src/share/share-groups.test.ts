import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weir/core/testing';
import { batchOf, produceRequest } from '../../testing/data-path.ts';
import { type LeaderAgent, type ServedAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered } from '../../testing/test-agent-server.ts';
import { errorName } from '../../testing/transactional-client.ts';

const groupId = 'g';

/** Creates a topic `t` with a share group that starts at its beginning. */
async function prepare(agent: LeaderAgent, configs: Readonly<Record<string, string>> = {}) {
  const { topicId } = await agent.addTopic('t', 1);
  const changes = Object.entries({ 'share.auto.offset.reset': 'earliest', ...configs }).map(
    ([name, value]) => ({ name, operation: 'set', value }) as const,
  );
  await agent.node.alterConfigs([{ kind: 'group', name: groupId, replacesAll: false, changes }], {
    validateOnly: false,
  });
  return topicId;
}

async function produce(agent: ServedAgent, ...values: string[]): Promise<void> {
  const { responses } = answered(await agent.call('Produce', 9, produceRequest('t', [batchOf(values)])));
  assert.equal(errorName(responses[0]!.partitionResponses[0]!.errorCode), 'NONE');
}

const join = async (agent: ServedAgent, memberId: string, memberEpoch = 0) =>
  answered(
    await agent.call('ShareGroupHeartbeat', 1, {
      groupId,
      memberId,
      memberEpoch,
      subscribedTopicNames: memberEpoch === 0 ? ['t'] : null,
    }),
  );

type AcknowledgedRange = readonly [first: number, last: number, ...codes: number[]];

interface FetchOptions {
  readonly acknowledgements?: readonly AcknowledgedRange[];
  readonly maxRecords?: number;
  readonly maxWaitMs?: number;
  readonly maxBytes?: number;
  readonly batchSize?: number;
  readonly isRenewAck?: boolean;
  readonly closed?: AbortSignal;
}

const batchesOf = (acknowledgements: readonly AcknowledgedRange[]) =>
  acknowledgements.map(([first, last, ...acknowledgeTypes]) => ({
    firstOffset: BigInt(first),
    lastOffset: BigInt(last),
    acknowledgeTypes,
  }));

/** Runs one ShareFetch: records as `first-last#delivery`, and the errors other than NONE. */
async function fetch(
  agent: ServedAgent,
  topicId: string,
  memberId: string,
  epoch: number,
  options: FetchOptions = {},
) {
  const limit = options.isRenewAck === true ? 0 : undefined;
  const answer = answered(
    await agent.call(
      'ShareFetch',
      2,
      {
        groupId,
        memberId,
        shareSessionEpoch: epoch,
        maxWaitMs: limit ?? options.maxWaitMs ?? 0,
        minBytes: limit ?? 1,
        maxBytes: limit ?? options.maxBytes ?? 1_000_000,
        maxRecords: limit ?? options.maxRecords ?? 500,
        batchSize: options.batchSize ?? 500,
        isRenewAck: options.isRenewAck ?? false,
        topics: [
          {
            topicId,
            partitions: [
              { partitionIndex: 0, acknowledgementBatches: batchesOf(options.acknowledgements ?? []) },
            ],
          },
        ],
        forgottenTopicsData: [],
      },
      'test',
      options.closed,
    ),
  );
  const partition = answer.responses[0]?.partitions[0];
  return {
    error: errorName(answer.errorCode),
    partitionError: errorName(partition?.errorCode ?? 0),
    acknowledgeError: errorName(partition?.acknowledgeErrorCode ?? 0),
    lockMs: answer.acquisitionLockTimeoutMs,
    bytes: partition?.records.length ?? 0,
    got: (partition?.acquiredRecords ?? []).map(
      ({ firstOffset, lastOffset, deliveryCount }) => `${firstOffset}-${lastOffset}#${deliveryCount}`,
    ),
  };
}

async function acknowledge(
  agent: ServedAgent,
  topicId: string,
  memberId: string,
  epoch: number,
  ...acknowledgements: AcknowledgedRange[]
) {
  const topics = [
    { topicId, partitions: [{ partitionIndex: 0, acknowledgementBatches: batchesOf(acknowledgements) }] },
  ];
  const answer = answered(
    await agent.call('ShareAcknowledge', 2, {
      groupId,
      memberId,
      shareSessionEpoch: epoch,
      isRenewAck: false,
      topics,
    }),
  );
  const partition = answer.responses[0]?.partitions[0];
  return [errorName(answer.errorCode), errorName(partition?.errorCode ?? 0)];
}

test('records before a damaged file are delivered, then the partition is an error until the file is restored', async () => {
  await using agent = await startLeaderAgent();
  const topicId = await prepare(agent);
  for (const value of ['a', 'b', 'c']) await produce(agent, value);
  const key = [...agent.store.objects.keys()][1]!;
  const content = agent.store.objects.get(key)!;
  agent.store.objects.set(key, Buffer.from(content).fill(0x5a, 120, 130));
  // An agent without cached pages.
  const reader = await agent.another();
  await join(reader, 'm');
  await fetch(reader, topicId, 'm', 0, { maxRecords: 0 });
  const first = await fetch(reader, topicId, 'm', 1);
  assert.deepEqual([first.partitionError, first.got], ['NONE', ['0-0#1']]);
  const second = await fetch(reader, topicId, 'm', 2, { acknowledgements: [[0, 0, 1]] });
  assert.deepEqual([second.partitionError, second.got, second.bytes], ['KAFKA_STORAGE_ERROR', [], 0]);

  agent.store.objects.set(key, content);
  const other = await agent.another();
  await join(other, 'n');
  await fetch(other, topicId, 'n', 0, { maxRecords: 0 });
  const restored = await fetch(other, topicId, 'n', 1);
  assert.deepEqual(restored.got, ['1-2#1']);
});

test('a member receives records, acknowledges them, and closes its session', async () => {
  await using agent = await startLeaderAgent();
  const topicId = await prepare(agent);
  await produce(agent, 'a', 'b', 'c', 'd');
  const joined = await join(agent, 'm');
  assert.deepEqual(joined.assignment?.topicPartitions, [{ topicId, partitions: [0] }]);
  const first = await fetch(agent, topicId, 'm', 0);
  assert.deepEqual([first.error, first.got, first.lockMs], ['NONE', ['0-3#1'], 30_000]);
  assert.ok(first.bytes > 0);
  const second = await fetch(agent, topicId, 'm', 1, { acknowledgements: [[0, 3, 1, 2, 1, 1]] });
  assert.deepEqual([second.acknowledgeError, second.got], ['NONE', ['1-1#2']]);
  assert.deepEqual(await acknowledge(agent, topicId, 'm', 2, [1, 1, 2]), ['NONE', 'NONE']);
  assert.deepEqual(await acknowledge(agent, topicId, 'm', 3, [1, 1, 1]), ['NONE', 'INVALID_RECORD_STATE']);
  assert.deepEqual((await fetch(agent, topicId, 'm', 4)).got, ['1-1#3']);
  const closed = await fetch(agent, topicId, 'm', -1);
  assert.deepEqual([closed.error, closed.got], ['NONE', []]);
  await join(agent, 'n');
  assert.deepEqual(
    (await fetch(agent, topicId, 'n', 0)).got,
    ['1-1#4'],
    'the records of the member were released',
  );
});

test('two members on two agents share a partition', async () => {
  await using agent = await startLeaderAgent();
  const other = await agent.another();
  const topicId = await prepare(agent);
  await produce(agent, 'a', 'b', 'c', 'd', 'e');
  await join(agent, 'm');
  await join(other, 'n');
  await until(() => other.view.topicByName('t') !== undefined);
  assert.deepEqual((await fetch(agent, topicId, 'm', 0, { maxRecords: 2 })).got, ['0-1#1']);
  assert.deepEqual((await fetch(other, topicId, 'n', 0, { maxRecords: 2 })).got, ['2-3#1']);
  assert.deepEqual(
    (await fetch(agent, topicId, 'm', 1, { batchSize: 1, acknowledgements: [[0, 1, 2]] })).got,
    ['0-0#2', '1-1#2', '4-4#1'],
  );
});

test('a waiting fetch returns when records arrive', async () => {
  await using agent = await startLeaderAgent();
  const topicId = await prepare(agent);
  await join(agent, 'm');
  const waiting = fetch(agent, topicId, 'm', 0, { maxWaitMs: 60_000 });
  await produce(agent, 'a');
  assert.deepEqual((await waiting).got, ['0-0#1']);
});

test('records of a lost connection are delivered to others, including those in flight', async () => {
  await using agent = await startLeaderAgent();
  const topicId = await prepare(agent);
  await produce(agent, 'a');
  for (const memberId of ['m', 'n', 'o']) await join(agent, memberId);
  const connection = new AbortController();
  assert.deepEqual((await fetch(agent, topicId, 'm', 0, { closed: connection.signal })).got, ['0-0#1']);
  const late = new AbortController();
  const waiting = fetch(agent, topicId, 'n', 0, { maxWaitMs: 60_000, closed: late.signal });
  late.abort();
  assert.deepEqual((await waiting).got, []);
  const taken = fetch(agent, topicId, 'o', 0, { maxWaitMs: 60_000 });
  connection.abort();
  const { got } = await taken;
  assert.equal(got.length, 1);
  assert.match(got[0]!, /^0-0#[23]$/);
});

test('locks are renewed without fetching', async () => {
  await using agent = await startLeaderAgent();
  const topicId = await prepare(agent);
  await produce(agent, 'a', 'b');
  await join(agent, 'm');
  await fetch(agent, topicId, 'm', 0, { maxRecords: 1 });
  const renewed = await fetch(agent, topicId, 'm', 1, { isRenewAck: true, acknowledgements: [[0, 0, 4]] });
  assert.deepEqual([renewed.acknowledgeError, renewed.got, renewed.lockMs], ['NONE', [], 30_000]);
  const unannounced = await fetch(agent, topicId, 'm', 2, { acknowledgements: [[0, 0, 4]], maxRecords: 1 });
  assert.deepEqual([unannounced.acknowledgeError, unannounced.got], ['INVALID_REQUEST', ['1-1#1']]);
});

const refusals: [what: string, memberId: string, epoch: number, options: FetchOptions, error: string][] = [
  ['no session', 'm', 3, {}, 'SHARE_SESSION_NOT_FOUND'],
  ['an empty member id', '', 0, {}, 'INVALID_REQUEST'],
  [
    'a session that is opened with acknowledgements',
    'm',
    0,
    { acknowledgements: [[0, 0, 1]] },
    'INVALID_REQUEST',
  ],
  ['an unknown group', 'm', 0, {}, 'GROUP_ID_NOT_FOUND'],
];

for (const [what, memberId, epoch, options, error] of refusals) {
  test(`a share fetch is refused: ${what}`, async () => {
    await using agent = await startLeaderAgent();
    const { topicId } = await agent.addTopic('t', 1);
    assert.equal((await fetch(agent, topicId, memberId, epoch, options)).error, error);
  });
}

test('an unknown topic is an error of its partition', async () => {
  await using agent = await startLeaderAgent();
  await prepare(agent);
  await join(agent, 'm');
  const { partitionError } = await fetch(agent, 'AAAAAAAAAAAAAAAAAAAAAQ', 'm', 0, { maxWaitMs: 60_000 });
  assert.equal(partitionError, 'UNKNOWN_TOPIC_ID');
});

test('offsets of share groups are described, altered and deleted', async () => {
  await using agent = await startLeaderAgent();
  const topicId = await prepare(agent);
  await produce(agent, 'a', 'b', 'c');
  await join(agent, 'm');
  await fetch(agent, topicId, 'm', 0, { maxRecords: 1 });
  await acknowledge(agent, topicId, 'm', -1, [0, 0, 1]);
  const describe = async (topics: { topicName: string; partitions: number[] }[] | null, id = groupId) => {
    const { groups } = answered(
      await agent.call('DescribeShareGroupOffsets', 1, { groups: [{ groupId: id, topics }] }),
    );
    const { errorCode, topics: reported } = groups[0]!;
    return [
      errorName(errorCode),
      ...reported.flatMap(({ topicName, partitions }) =>
        partitions.map(
          ({ partitionIndex, startOffset, lag, errorCode: code }) =>
            `${topicName}-${partitionIndex} at ${startOffset} lag ${lag} ${errorName(code)}`,
        ),
      ),
    ];
  };
  assert.deepEqual(await describe(null), ['NONE', 't-0 at 1 lag 2 NONE']);
  assert.deepEqual(await describe(null, 'other'), ['NONE']);
  const requested = [
    { topicName: 't', partitions: [0, 7] },
    { topicName: 'u', partitions: [0] },
  ];
  assert.deepEqual(await describe(requested), [
    'NONE',
    't-0 at 1 lag 2 NONE',
    't-7 at -1 lag -1 NONE',
    'u-0 at -1 lag -1 NONE',
  ]);
  assert.deepEqual(await describe([{ topicName: 't', partitions: [0] }], 'other'), [
    'NONE',
    't-0 at -1 lag -1 NONE',
  ]);

  const alter = async () => {
    const partitions = [{ partitionIndex: 0, startOffset: 3n }];
    const topics = ['t', 'u'].map((topicName) => ({ topicName, partitions }));
    const answer = answered(await agent.call('AlterShareGroupOffsets', 0, { groupId, topics }));
    const reported = answer.responses.flatMap((topic) =>
      topic.partitions.map(({ errorCode }) => errorName(errorCode)),
    );
    return [errorName(answer.errorCode), ...reported];
  };
  const forget = async () => {
    const topics = ['t', 'u'].map((topicName) => ({ topicName }));
    const answer = answered(await agent.call('DeleteShareGroupOffsets', 0, { groupId, topics }));
    return [errorName(answer.errorCode), ...answer.responses.map(({ errorCode }) => errorName(errorCode))];
  };
  assert.deepEqual(await alter(), ['NON_EMPTY_GROUP']);
  assert.deepEqual(await forget(), ['NON_EMPTY_GROUP']);
  assert.equal(errorName((await join(agent, 'm', -1)).errorCode), 'NONE');
  assert.deepEqual(await alter(), ['NONE', 'NONE', 'UNKNOWN_TOPIC_OR_PARTITION']);
  assert.deepEqual(await describe(null), ['NONE', 't-0 at 3 lag 0 NONE']);
  assert.deepEqual(await forget(), ['NONE', 'NONE', 'UNKNOWN_TOPIC_OR_PARTITION']);
  assert.deepEqual(await describe(null), ['NONE']);
});

test('a fetch with zero max bytes gets no records, and the next one gets them', async () => {
  await using agent = await startLeaderAgent();
  const topicId = await prepare(agent);
  await join(agent, 'm');
  await produce(agent, 'x', 'y');
  const none = await fetch(agent, topicId, 'm', 0, { maxBytes: 0 });
  assert.deepEqual([none.error, none.got], ['NONE', []]);
  assert.deepEqual((await fetch(agent, topicId, 'm', 1)).got, ['0-1#1']);
});

test('an answer has at most the wanted bytes, or one batch if that alone is larger', async () => {
  await using agent = await startLeaderAgent();
  const { topicId } = await agent.addTopic('wide', 4);
  await prepare(agent);
  // Batches of one file, so that the control plane can only estimate what each of them has.
  const sizes = [40_000, 30_000, 20_000, 5_000];
  const { responses } = answered(
    await agent.call(
      'Produce',
      9,
      produceRequest(
        'wide',
        sizes.map((size) => batchOf(['x'.repeat(size)])),
      ),
    ),
  );
  assert.ok(responses[0]!.partitionResponses.every(({ errorCode }) => errorCode === 0));
  await join(agent, 'm');
  const places = sizes.map((_, partitionIndex) => ({ partitionIndex, acknowledgementBatches: [] }));
  const counts = new Map<number, number[]>();
  // Records that did not fit are back in the group a moment later.
  for (let epoch = 0; counts.size < sizes.length && epoch < 50; epoch++) {
    const maxBytes = [0, 1_000][epoch] ?? 36_000;
    const answer = answered(
      await agent.call('ShareFetch', 2, {
        ...{ groupId, memberId: 'm', shareSessionEpoch: epoch, maxWaitMs: 0, minBytes: 1, maxBytes },
        ...{ maxRecords: 500, batchSize: 500, isRenewAck: false, forgottenTopicsData: [] },
        topics: epoch === 0 ? [{ topicId, partitions: places }] : [],
      }),
    );
    const partitions = answer.responses.flatMap((topic) => topic.partitions);
    const bytes = partitions.reduce((sum, { records }) => sum + records.length, 0);
    const batches = partitions.filter(({ records }) => records.length > 0).length;
    assert.ok(bytes <= maxBytes || batches === 1, `${bytes} bytes in ${batches} batches for ${maxBytes}`);
    for (const { partitionIndex, acquiredRecords } of partitions) {
      const found = counts.get(partitionIndex) ?? [];
      counts.set(partitionIndex, [...found, ...acquiredRecords.map(({ deliveryCount }) => deliveryCount)]);
    }
  }
  assert.deepEqual(
    [...counts].sort(([a], [b]) => a - b),
    sizes.map((_, partition) => [partition, [1]]),
    'each record once, as its first delivery',
  );
});

test('share groups are described and listed with their type', async () => {
  await using agent = await startLeaderAgent();
  const topicId = await prepare(agent);
  await join(agent, 'm');
  const { groups } = answered(
    await agent.call('ShareGroupDescribe', 1, {
      groupIds: [groupId, 'other'],
      includeAuthorizedOperations: false,
    }),
  );
  const [own, other] = groups;
  assert.deepEqual([own!.groupState, own!.assignorName, own!.groupEpoch], ['Stable', 'simple', 1]);
  assert.deepEqual(own!.members[0]!.assignment.topicPartitions, [
    { topicId, topicName: 't', partitions: [0] },
  ]);
  assert.equal(errorName(other!.errorCode), 'GROUP_ID_NOT_FOUND');
  const listed = answered(
    await agent.call('ListGroups', 5, { statesFilter: [], typesFilter: ['Share'] }),
  ).groups;
  assert.deepEqual(
    listed.map(({ groupId: id, groupType }) => [id, groupType]),
    [[groupId, 'share']],
  );
});

test('a member has an id of at most 36 characters', async () => {
  await using agent = await startLeaderAgent();
  const topicId = await prepare(agent);
  for (const memberId of ['', 'm'.repeat(37)]) {
    assert.deepEqual(await acknowledge(agent, topicId, memberId, 1), ['INVALID_REQUEST', 'NONE']);
    const fetched = await fetch(agent, topicId, memberId, 0, {});
    assert.equal(fetched.error, 'INVALID_REQUEST');
  }
  assert.deepEqual(await acknowledge(agent, topicId, 'm'.repeat(36), 1), ['SHARE_SESSION_NOT_FOUND', 'NONE']);
});
