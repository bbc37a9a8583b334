import type { Pair } from '../pair.ts';
import type { Body, SideName } from '../side.ts';
import { batchOf, type Dialogue, produce } from './dialogue.ts';

/** Ids of members as clients of these groups choose them. */
const [first, second] = ['Aa1Aa1Aa1Aa1Aa1Aa1Aa1A', 'Bb2Bb2Bb2Bb2Bb2Bb2Bb2A'] as const;

const heartbeatsUntilStable = 4;

/** Groups that the coordinator assigns: consumer, share and streams groups. */
export const modernGroupDialogues: readonly Dialogue[] = [
  ...(['ConsumerGroupHeartbeat', 'ConsumerGroupDescribe', 'OffsetCommit', 'OffsetFetch'] as const).map(
    (api) => ({ name: 'the life of a consumer group', api, run: lifeOfConsumerGroup }),
  ),
  {
    name: 'what is no heartbeat of a consumer group',
    api: 'ConsumerGroupHeartbeat',
    async run(pair) {
      const topic = await pair.topic('consumed', 1);
      const groupId = `${pair.prefix}-group`;
      const joins = {
        groupId,
        memberId: first,
        memberEpoch: 0,
        rebalanceTimeoutMs: 10_000,
        subscribedTopicNames: [topic],
        topicPartitions: [],
      };
      const heartbeat = (more: Partial<Body<'ConsumerGroupHeartbeat'>>) =>
        pair.ask('ConsumerGroupHeartbeat', { ...joins, ...more });
      for (const more of [
        { groupId: '' },
        { groupId: ' ' },
        { memberId: '' },
        { memberEpoch: -3 },
        { memberEpoch: -1 },
        { memberEpoch: -2 },
        { memberEpoch: 5 },
        { memberEpoch: -2, instanceId: 'one' },
        { rebalanceTimeoutMs: -1 },
        { rebalanceTimeoutMs: 0 },
        { subscribedTopicNames: null },
        { subscribedTopicNames: null, subscribedTopicRegex: '(' },
        { subscribedTopicNames: null, subscribedTopicRegex: '' },
        { topicPartitions: null },
        { topicPartitions: [{ topicId: Buffer.alloc(16, 9).toString('base64url'), partitions: [0] }] },
        { serverAssignor: 'sticky' },
        { serverAssignor: '' },
        { instanceId: '' },
        { rackId: '' },
        { subscribedTopicNames: [] },
      ]) {
        await pair.during(JSON.stringify(more), () => heartbeat(more));
      }
    },
  },
  {
    name: 'a consumer group subscribes by pattern',
    api: 'ConsumerGroupHeartbeat',
    async run(pair) {
      await pair.topic('pattern-a', 2);
      const groupId = `${pair.prefix}-group`;
      if (pair.versionOf('ConsumerGroupHeartbeat') < 1) return;
      await pair.ask('ConsumerGroupHeartbeat', {
        groupId,
        memberId: first,
        memberEpoch: 0,
        rebalanceTimeoutMs: 10_000,
        subscribedTopicRegex: `${pair.prefix}-pattern-.*`,
        topicPartitions: [],
      });
      await pair.ask('ConsumerGroupHeartbeat', { groupId, memberId: first, memberEpoch: -1 });
    },
  },
  {
    name: 'static members of a consumer group',
    api: 'ConsumerGroupHeartbeat',
    async run(pair) {
      const topic = await pair.topic('consumed', 2);
      const groupId = `${pair.prefix}-group`;
      const join = (memberId: string) =>
        pair.ask('ConsumerGroupHeartbeat', {
          groupId,
          memberId,
          instanceId: 'one',
          memberEpoch: 0,
          rebalanceTimeoutMs: 10_000,
          subscribedTopicNames: [topic],
          topicPartitions: [],
        });
      const say = (memberId: string, memberEpoch: number) =>
        pair.ask('ConsumerGroupHeartbeat', { groupId, memberId, instanceId: 'one', memberEpoch });
      await join(first);
      await join(second);
      await say(first, -2);
      await join(second);
      await say(first, 1);
      await say(second, -1);
    },
  },
  ...(
    [
      'ShareGroupHeartbeat',
      'ShareGroupDescribe',
      'ShareFetch',
      'ShareAcknowledge',
      'DescribeShareGroupOffsets',
      'AlterShareGroupOffsets',
      'DeleteShareGroupOffsets',
    ] as const
  ).map((api) => ({ name: 'the life of a share group', api, run: lifeOfShareGroup })),
  ...(['StreamsGroupHeartbeat', 'StreamsGroupDescribe'] as const).map((api) => ({
    name: 'the life of a streams group',
    api,
    run: lifeOfStreamsGroup,
  })),
];

async function lifeOfConsumerGroup(pair: Pair): Promise<void> {
  const topic = await pair.topic('consumed', 2);
  const groupId = `${pair.prefix}-group`;
  const describe = () =>
    pair.ask('ConsumerGroupDescribe', {
      groupIds: [groupId, `${groupId}-absent`],
      includeAuthorizedOperations: true,
    });
  await describe();
  const heartbeat = (memberId: string, more: Partial<Body<'ConsumerGroupHeartbeat'>>) =>
    pair.ask('ConsumerGroupHeartbeat', { groupId, memberId, memberEpoch: 0, ...more });
  const joins = { rebalanceTimeoutMs: 10_000, subscribedTopicNames: [topic], topicPartitions: [] };
  const joined = await heartbeat(first, joins);
  if (joined === undefined) return;
  await describe();
  await pair.ask('ConsumerGroupHeartbeat', (side) => ({
    groupId,
    memberId: first,
    memberEpoch: joined[side.name].memberEpoch,
    topicPartitions: [{ topicId: side.topicId(topic), partitions: [0, 1] }],
  }));
  await heartbeat(first, { memberEpoch: 99 });
  await heartbeat('stranger', { memberEpoch: 1 });
  const epochOf = (side: SideName) => joined[side].memberEpoch;
  await commitOf(pair, topic, groupId, first, epochOf);
  await commitOf(pair, topic, groupId, first, () => 99);
  await commitOf(pair, topic, groupId, 'stranger', () => 1);
  await commitOf(pair, topic, groupId, '', () => -1);
  for (const [memberId, memberEpoch] of [
    [null, () => -1],
    [first, epochOf],
    [first, () => 99],
    ['stranger', () => 1],
  ] as const) {
    await pair.ask('OffsetFetch', (side, version) => {
      const topics = [
        {
          ...(version < 10 ? { name: topic } : { topicId: side.topicId(topic) }),
          partitionIndexes: [0, 1, 9],
        },
      ];
      if (version < 8) return { groupId, topics: [{ name: topic, partitionIndexes: [0, 1, 9] }] };
      return { groups: [{ groupId, memberId, memberEpoch: memberEpoch(side.name), topics }] };
    });
  }
  await pair.ask('DescribeGroups', { groups: [groupId] });
  await pair.ask('DeleteGroups', { groupsNames: [groupId] });
  await pair.ask('ListGroups', { typesFilter: ['consumer'] });
  await heartbeat(first, { memberEpoch: -1 });
  await heartbeat(first, { memberEpoch: -1 });
  await describe();
  await pair.ask('DeleteGroups', { groupsNames: [groupId] });
  await describe();
}

function commitOf(
  pair: Pair,
  topic: string,
  groupId: string,
  memberId: string,
  epochOf: (side: SideName) => number,
) {
  return pair.ask('OffsetCommit', (side, version) => ({
    ...{ groupId, memberId, generationIdOrMemberEpoch: epochOf(side.name) },
    topics: [
      {
        ...(version < 10 ? { name: topic } : { topicId: side.topicId(topic) }),
        partitions: [{ partitionIndex: 0, committedOffset: 3n, committedMetadata: 'a note' }],
      },
    ],
  }));
}

async function lifeOfShareGroup(pair: Pair): Promise<void> {
  const topic = await pair.topic('shared', 1);
  const groupId = `${pair.prefix}-group`;
  await pair.ask('IncrementalAlterConfigs', {
    resources: [
      {
        resourceType: 32,
        resourceName: groupId,
        configs: [{ name: 'share.auto.offset.reset', configOperation: 0, value: 'earliest' }],
      },
    ],
    validateOnly: false,
  });
  await produce(pair, { topic, records: batchOf(pair, ['a', 'b', 'c', 'd']) });
  const offsets = () =>
    pair.ask('DescribeShareGroupOffsets', {
      groups: [{ groupId, topics: [{ topicName: topic, partitions: [0] }] }],
    });
  const allOffsets = (id: string) =>
    pair.ask('DescribeShareGroupOffsets', { groups: [{ groupId: id, topics: null }] });
  const describe = () =>
    pair.ask('ShareGroupDescribe', {
      groupIds: [groupId, `${groupId}-absent`],
      includeAuthorizedOperations: true,
    });
  await describe();
  await allOffsets(`${groupId}-absent`);
  const heartbeat = (more: Partial<Body<'ShareGroupHeartbeat'>>) =>
    pair.ask('ShareGroupHeartbeat', { groupId, memberId: first, memberEpoch: 0, ...more });
  for (const more of [
    { groupId: '' },
    { memberId: '' },
    { memberEpoch: -2 },
    { memberEpoch: 5, memberId: 'stranger' },
    { subscribedTopicNames: null },
    { rackId: '' },
  ]) {
    await pair.during(JSON.stringify(more), () => heartbeat(more));
  }
  const joined = await heartbeat({ subscribedTopicNames: [topic] });
  if (joined === undefined) return;
  for (let beats = 0; beats < heartbeatsUntilStable; beats++) {
    await pair.ask('ShareGroupHeartbeat', (side) => ({
      groupId,
      memberId: first,
      memberEpoch: joined[side.name].memberEpoch,
    }));
  }
  await describe();
  const share = (
    shareSessionEpoch: number,
    batches: readonly [from: bigint, to: bigint, type: number][] = [],
    isRenewAck = false,
  ) =>
    pair.ask('ShareFetch', (side, version) => ({
      groupId,
      memberId: first,
      shareSessionEpoch,
      maxWaitMs: 2_000,
      minBytes: 1,
      maxBytes: 1_000_000,
      maxRecords: 2,
      batchSize: 2,
      ...(version >= 2 && { isRenewAck }),
      topics: [
        {
          topicId: side.topicId(topic),
          partitions: [
            {
              partitionIndex: 0,
              acknowledgementBatches: batches.map(([firstOffset, lastOffset, type]) => ({
                firstOffset,
                lastOffset,
                acknowledgeTypes: [type],
              })),
            },
          ],
        },
      ],
      forgottenTopicsData: [],
    }));
  const acknowledge = (
    shareSessionEpoch: number,
    batches: readonly [from: bigint, to: bigint, types: readonly number[]][],
    more: object = {},
  ) =>
    pair.ask('ShareAcknowledge', (side) => ({
      groupId,
      memberId: first,
      shareSessionEpoch,
      topics: [
        {
          topicId: side.topicId(topic),
          partitions: [
            {
              partitionIndex: 0,
              acknowledgementBatches: batches.map(([firstOffset, lastOffset, acknowledgeTypes]) => ({
                firstOffset,
                lastOffset,
                acknowledgeTypes,
              })),
            },
          ],
        },
      ],
      ...more,
    }));
  await share(7);
  await share(0);
  await acknowledge(0, [[0n, 0n, [1]]]);
  await acknowledge(1, [[0n, 0n, [1]]]);
  await acknowledge(2, [[0n, 0n, [1]]]);
  await acknowledge(3, [[1n, 1n, [9]]]);
  await acknowledge(3, [[1n, 1n, [4]]], { isRenewAck: true });
  await acknowledge(3, [[1n, 0n, [1]]]);
  await acknowledge(3, [[1n, 1n, [2]]]);
  await share(4);
  await acknowledge(5, [[1n, 2n, [1, 2, 3]]]);
  await acknowledge(5, [[1n, 1n, [3]]]);
  await offsets();
  await allOffsets(groupId);
  const alter = (topicName: string, startOffset: bigint, partitionIndex = 0, id = groupId) =>
    pair.ask('AlterShareGroupOffsets', {
      groupId: id,
      topics: [{ topicName, partitions: [{ partitionIndex, startOffset }] }],
    });
  await alter(topic, 1n);
  await pair.ask('DeleteShareGroupOffsets', { groupId, topics: [{ topicName: topic }] });
  await pair.ask('DeleteGroups', { groupsNames: [groupId] });
  await share(-1);
  await heartbeat({ memberEpoch: 77 });
  await heartbeat({ memberEpoch: -1 });
  await heartbeat({ memberEpoch: -1 });
  await describe();
  await alter(topic, 1n);
  await alter(topic, 1n, 4);
  await alter(`${pair.prefix}-absent`, 1n);
  await alter(topic, 1n, 0, '');
  await offsets();
  await pair.ask('DeleteShareGroupOffsets', { groupId: `${groupId}-absent`, topics: [{ topicName: topic }] });
  await pair.ask('DeleteShareGroupOffsets', {
    groupId,
    topics: [{ topicName: topic }, { topicName: `${pair.prefix}-absent` }],
  });
  await allOffsets(groupId);
  await pair.ask('DeleteGroups', { groupsNames: [groupId] });
  await describe();
}

async function lifeOfStreamsGroup(pair: Pair): Promise<void> {
  const topic = await pair.topic('input', 2);
  const groupId = `${pair.prefix}-group`;
  const describe = () =>
    pair.ask('StreamsGroupDescribe', {
      groupIds: [groupId, `${groupId}-absent`],
      includeAuthorizedOperations: true,
    });
  await describe();
  const topology = (epoch: number, sourceTopics: readonly string[] = [topic]) => ({
    epoch,
    subtopologies: [
      {
        subtopologyId: '0',
        sourceTopics,
        sourceTopicRegex: [],
        stateChangelogTopics: [
          {
            name: `${groupId}-store-changelog`,
            partitions: 0,
            replicationFactor: 1,
            topicConfigs: [{ key: 'cleanup.policy', value: 'compact' }],
          },
        ],
        repartitionSinkTopics: [],
        repartitionSourceTopics: [],
        copartitionGroups: [],
      },
    ],
  });
  const joins = {
    groupId,
    memberId: first,
    memberEpoch: 0,
    endpointInformationEpoch: 0,
    rebalanceTimeoutMs: 10_000,
    activeTasks: [],
    standbyTasks: [],
    warmupTasks: [],
    processId: 'process',
    clientTags: [],
    topology: topology(0),
  };
  const heartbeat = (more: Partial<Body<'StreamsGroupHeartbeat'>>) =>
    pair.ask('StreamsGroupHeartbeat', { ...joins, ...more });
  for (const more of [
    { groupId: '' },
    { memberId: '' },
    { memberEpoch: -3 },
    { memberEpoch: -1 },
    { memberEpoch: 4 },
    { rebalanceTimeoutMs: -1 },
    { rebalanceTimeoutMs: 0 },
    { topology: null },
    { activeTasks: null },
    { standbyTasks: null },
    { warmupTasks: null },
    { processId: null },
    { processId: '' },
    { rackId: '' },
    { activeTasks: [{ subtopologyId: '0', partitions: [0] }] },
  ]) {
    await pair.during(JSON.stringify(more), () => heartbeat(more));
  }
  const joined = await heartbeat({});
  if (joined === undefined) return;
  const stay = (more: Partial<Body<'StreamsGroupHeartbeat'>>) =>
    pair.ask('StreamsGroupHeartbeat', (side) => ({
      groupId,
      memberId: first,
      memberEpoch: joined[side.name].memberEpoch,
      endpointInformationEpoch: -1,
      ...more,
    }));
  await stay({});
  await describe();
  await stay({ memberEpoch: 99 });
  await stay({ memberId: 'stranger' });
  await pair.ask('DescribeGroups', { groups: [groupId] });
  await pair.ask('ConsumerGroupDescribe', { groupIds: [groupId], includeAuthorizedOperations: false });
  await pair.ask('ListGroups', { typesFilter: ['streams'] });
  await pair.ask('DeleteGroups', { groupsNames: [groupId] });
  await commitOf(pair, topic, groupId, first, (side) => joined[side].memberEpoch);
  await stay({ memberEpoch: -1 });
  await stay({ memberEpoch: -1 });
  await describe();
  await pair.ask('OffsetFetch', (side) => ({
    groups: [{ groupId, topics: [{ topicId: side.topicId(topic), partitionIndexes: [0, 1] }] }],
  }));
  await heartbeat({ memberId: second, topology: topology(0, [`${pair.prefix}-absent`]) });
  await heartbeat({ groupId: `${groupId}-2`, topology: topology(0, [`${pair.prefix}-absent`]) });
  await pair.ask('DeleteGroups', { groupsNames: [groupId] });
}
