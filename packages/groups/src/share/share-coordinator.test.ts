import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AcknowledgeType,
  type AcquireAnswer,
  acknowledgeTypes,
  ClusterUnavailable,
  type RecordsToAcquire,
  type ShareHeartbeat,
} from '@weir/cluster';
import { fileCommit } from '@weir/cluster/testing';
import type { ClusterNode } from '@weir/metadata';
import { createTopic, GroupWorld } from '@weir/metadata/testing';

/** Longer than the lease, so that the standby takes over. */
const failoverMs = 5_000;
const lockMs = 30_000;
let files = 0;

/**
 * A cluster with a topic `t` of two partitions, whose group `g` starts at the earliest offset and has the member `a`.
 */
async function prepare(world: GroupWorld, configs: Readonly<Record<string, string>> = {}) {
  const { node, process } = await world.start('leader');
  const topicId = await createTopic(node, 't', 2);
  await configure(node, { 'share.auto.offset.reset': 'earliest', ...configs });
  await beat(node, 'a');
  return { node, process, topicId };
}

function configure(node: ClusterNode, configs: Readonly<Record<string, string>>) {
  const changes = Object.entries(configs).map(([name, value]) => ({
    name,
    operation: 'set' as const,
    value,
  }));
  return node.alterConfigs([{ kind: 'group', name: 'g', replacesAll: false, changes }], {
    validateOnly: false,
  });
}

async function beat(node: ClusterNode, memberId: string, overrides: Partial<ShareHeartbeat> = {}) {
  const heartbeat = {
    groupId: 'g',
    memberId,
    memberEpoch: 0,
    rackId: null,
    clientId: 'client',
    clientHost: '/127.0.0.1',
    subscribedTopicNames: ['t'],
    ...overrides,
  };
  return (await node.shareGroupHeartbeats([heartbeat]))[0]!;
}

async function produce(
  node: ClusterNode,
  topicId: string,
  records: number,
  partition = 0,
  timestampMs?: number,
): Promise<void> {
  await node.commitFiles([fileCommit(++files, topicId, [{ partition, recordCount: records, timestampMs }])]);
}

const acquire = (
  node: ClusterNode,
  topicId: string,
  memberId: string,
  overrides: Partial<RecordsToAcquire> = {},
): Promise<AcquireAnswer> =>
  node.acquireRecords({
    groupId: 'g',
    memberId,
    partitions: [{ topicId, partition: 0 }],
    recordsMax: 100,
    bytesMax: 1_000_000,
    bytesMin: 1,
    waitMs: 0,
    ...overrides,
  });

/** As `first-last#delivery`. */
function drawn({ error, partitions }: AcquireAnswer): string[] {
  assert.equal(error, 'NONE');
  return partitions.flatMap(({ error: problem, acquired: { firstOffset, lastOffset, deliveryCount } }) => {
    assert.equal(problem, 'NONE');
    return Array.from(firstOffset, (first, row) => `${first}-${lastOffset[row]}#${deliveryCount[row]}`);
  });
}

async function acknowledge(
  node: ClusterNode,
  topicId: string,
  memberId: string,
  first: number,
  last: number,
  type: AcknowledgeType,
): Promise<string> {
  const row = {
    topicId,
    partition: 0,
    firstOffset: Float64Array.of(first),
    lastOffset: Float64Array.of(last),
    type: Uint8Array.of(acknowledgeTypes.indexOf(type)),
  };
  const [answer] = await node.acknowledgeRecords([
    { groupId: 'g', memberId, partitions: [row], released: [] },
  ]);
  return answer!.error === 'NONE' ? answer!.partitions[0]! : answer!.error;
}

async function offsetOf(node: ClusterNode, topicId: string): Promise<[number, number]> {
  const [answer] = await node.describeShareOffsets([
    { groupId: 'g', partitions: [{ topicId, partition: 0 }] },
  ]);
  const { startOffset, lag } = answer!.offsets[0]!;
  return [startOffset, lag];
}

test('acknowledgements survive a failover, and other records are delivered again', async () => {
  const world = new GroupWorld();
  const { node, process, topicId } = await prepare(world);
  const standby = await world.start('standby');
  await produce(node, topicId, 10);
  assert.deepEqual(drawn(await acquire(node, topicId, 'a')), ['0-9#1']);
  assert.equal(await acknowledge(node, topicId, 'a', 0, 1, 'accept'), 'NONE');
  assert.equal(await acknowledge(node, topicId, 'a', 4, 5, 'reject'), 'NONE');
  assert.equal(await acknowledge(node, topicId, 'a', 7, 7, 'release'), 'NONE');
  process.kill();
  await world.clock.pass(failoverMs);

  const led = standby.node;
  assert.equal(led.role, 'leader');
  assert.deepEqual(await offsetOf(led, topicId), [2, 6]);
  const { error, memberEpoch } = await beat(led, 'a', { memberEpoch: 1, subscribedTopicNames: null });
  assert.deepEqual([error, memberEpoch], ['NONE', 1], 'members retain their epoch');
  assert.equal(
    await acknowledge(led, topicId, 'a', 2, 3, 'accept'),
    'INVALID_RECORD_STATE',
    'locks do not survive',
  );
  assert.deepEqual(drawn(await acquire(led, topicId, 'b')), ['2-3#2', '6-9#2'], 'delivery counts continue');
  assert.equal(await acknowledge(led, topicId, 'b', 2, 3, 'accept'), 'NONE');
  assert.equal(await acknowledge(led, topicId, 'b', 6, 9, 'accept'), 'NONE');
  assert.deepEqual(await offsetOf(led, topicId), [10, 0]);
});

test('an acknowledgement that is not durable fails, and the record is delivered again', async () => {
  const world = new GroupWorld();
  const { node, process, topicId } = await prepare(world);
  const standby = await world.start('standby');
  await produce(node, topicId, 1);
  await acquire(node, topicId, 'a');
  process.faults = { refuse: 1, loseAnswer: 0, delayMsMax: 0 };
  const refused = assert.rejects(acknowledge(node, topicId, 'a', 0, 0, 'accept'), ClusterUnavailable);
  await world.clock.pass(failoverMs);
  await refused;
  assert.equal(standby.node.role, 'leader');
  assert.deepEqual(await offsetOf(standby.node, topicId), [0, 1]);
  assert.match(drawn(await acquire(standby.node, topicId, 'a')).join(), /^0-0#[12]$/);
});

test('delivery counts are durable after a second without acknowledgements', async () => {
  const world = new GroupWorld();
  const { node, process, topicId } = await prepare(world);
  const standby = await world.start('standby');
  await produce(node, topicId, 3);
  await acquire(node, topicId, 'a');
  await world.clock.pass(1_100);
  process.kill();
  await world.clock.pass(failoverMs);
  assert.deepEqual(drawn(await acquire(standby.node, topicId, 'b')), ['0-2#2']);
});

test('a group that starts at the latest offset keeps that start across a failover', async () => {
  const world = new GroupWorld();
  const { node, process, topicId } = await prepare(world, { 'share.auto.offset.reset': 'latest' });
  const standby = await world.start('standby');
  await produce(node, topicId, 5);
  assert.deepEqual(drawn(await acquire(node, topicId, 'a')), []);
  await produce(node, topicId, 2);
  process.kill();
  await world.clock.pass(failoverMs);
  assert.deepEqual(drawn(await acquire(standby.node, topicId, 'a')), ['5-6#1']);
});

test('a group that starts by age begins with the first stored range that has a young record', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world, { 'share.auto.offset.reset': 'by_duration:PT1M' });
  await world.clock.pass(600_000);
  const nowMs = world.clock.nowMs();
  const ages = [300_000, 61_000, 60_000, 1_000];
  for (const ageMs of ages) await produce(node, topicId, 2, 0, nowMs - ageMs);
  assert.deepEqual(drawn(await acquire(node, topicId, 'a')), ['4-7#1']);
  const place = [{ topicId, partition: 1 }];
  await produce(node, topicId, 2, 1, nowMs - 90_000);
  assert.deepEqual(drawn(await acquire(node, topicId, 'a', { partitions: place })), [], 'all too old');
  await produce(node, topicId, 1, 1, nowMs - 90_000);
  assert.deepEqual(drawn(await acquire(node, topicId, 'a', { partitions: place })), ['2-2#1']);
});

test('records without acknowledgement go to other members, and are archived at the delivery limit', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world, { 'share.delivery.count.limit': '2' });
  await produce(node, topicId, 2);
  assert.deepEqual(drawn(await acquire(node, topicId, 'a')), ['0-1#1']);
  assert.deepEqual(drawn(await acquire(node, topicId, 'b')), []);
  await world.clock.pass(lockMs);
  assert.deepEqual(drawn(await acquire(node, topicId, 'b')), ['0-1#2']);
  await world.clock.pass(lockMs);
  assert.deepEqual(drawn(await acquire(node, topicId, 'a')), []);
  assert.deepEqual(await offsetOf(node, topicId), [2, 0]);
});

const occasions: [
  what: string,
  happens: (node: ClusterNode, topicId: string, world: GroupWorld) => Promise<unknown>,
  got: string[],
][] = [
  ['new records', (node, topicId) => produce(node, topicId, 1), ['2-2#1']],
  ['released records', (node, topicId) => acknowledge(node, topicId, 'a', 1, 1, 'release'), ['1-1#2']],
  ['an expired lock', (_node, _topicId, world) => world.clock.pass(lockMs), ['0-1#2']],
  [
    'a member whose session ends',
    (node, topicId) =>
      node.acknowledgeRecords([
        { groupId: 'g', memberId: 'a', partitions: [], released: [{ topicId, partition: 0 }] },
      ]),
    ['0-1#2'],
  ],
];

for (const [what, happens, got] of occasions) {
  test(`a waiting acquire request is woken by ${what}`, async () => {
    const world = new GroupWorld();
    const { node, topicId } = await prepare(world);
    await beat(node, 'b');
    await produce(node, topicId, 2);
    await acquire(node, topicId, 'a');
    const waiting = acquire(node, topicId, 'b', { waitMs: 60_000 });
    await world.clock.pass(1);
    await happens(node, topicId, world);
    assert.deepEqual(drawn(await waiting), got);
  });
}

test('a waiting request is answered at its timeout, with whatever is available', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world);
  const nothing = acquire(node, topicId, 'a', { waitMs: 500 });
  await world.clock.pass(500);
  assert.deepEqual(drawn(await nothing), []);
  const few = acquire(node, topicId, 'a', { waitMs: 500, bytesMin: 1_000_000 });
  await produce(node, topicId, 1);
  await world.clock.pass(500);
  assert.deepEqual(drawn(await few), ['0-0#1']);
});

test('deleting a group answers waiting requests and removes its partitions', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world);
  const waiting = acquire(node, topicId, 'a', { waitMs: 60_000 });
  await beat(node, 'a', { memberEpoch: -1, subscribedTopicNames: null });
  assert.deepEqual(await node.deleteGroups(['g']), ['NONE']);
  assert.equal((await waiting).error, 'GROUP_ID_NOT_FOUND');
  assert.deepEqual(await node.listGroups({ states: [], types: [] }), []);
  assert.deepEqual(await node.describeShareOffsets([{ groupId: 'g', partitions: null }]), [
    { error: 'NONE', offsets: [] },
  ]);
  await beat(node, 'a');
  assert.deepEqual((await node.describeShareOffsets([{ groupId: 'g', partitions: null }]))[0]!.offsets, []);
});

test('concurrent acknowledgements are saved together, and each request gets its own result', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world);
  await produce(node, topicId, 100);
  await acquire(node, topicId, 'a');
  const results = Array.from({ length: 100 }, (_, offset) =>
    acknowledge(node, topicId, 'a', offset, offset, 'accept'),
  );
  const late = acknowledge(node, topicId, 'b', 3, 3, 'accept');
  assert.deepEqual(new Set(await Promise.all(results)), new Set(['NONE']));
  assert.equal(await late, 'NONE', 'the record is finished and before the start offset');
  assert.deepEqual(await offsetOf(node, topicId), [100, 0]);
});

test('the limits of a request apply to all of its partitions together', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world);
  for (const partition of [0, 1]) await produce(node, topicId, 10, partition);
  const partitions = [
    { topicId, partition: 0 },
    { topicId, partition: 1 },
  ];
  assert.deepEqual(drawn(await acquire(node, topicId, 'a', { partitions, recordsMax: 13 })), [
    '0-9#1',
    '0-2#1',
  ]);
  const bytes = await acquire(node, topicId, 'b', { partitions: partitions.toReversed(), bytesMax: 1 });
  assert.deepEqual(drawn(bytes), ['3-3#1'], 'at least one record');
});

test('retention advances a group', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world);
  await produce(node, topicId, 10);
  await acquire(node, topicId, 'a', { recordsMax: 4 });
  await node.deleteRecords([{ topicId, partition: 0, offset: 6 }]);
  assert.deepEqual(drawn(await acquire(node, topicId, 'b')), ['6-9#1']);
  assert.deepEqual(await offsetOf(node, topicId), [6, 4]);
});

test('the share partitions of a deleted topic are removed, also after a failover', async () => {
  const world = new GroupWorld();
  const { node, process, topicId } = await prepare(world);
  const standby = await world.start('standby');
  await produce(node, topicId, 1);
  await acquire(node, topicId, 'a');
  await node.deleteTopics([{ topicId }]);
  assert.equal((await acquire(node, topicId, 'a')).partitions[0]!.error, 'UNKNOWN_TOPIC_ID');
  process.kill();
  await world.clock.pass(failoverMs);
  const [answer] = await standby.node.describeShareOffsets([{ groupId: 'g', partitions: null }]);
  assert.deepEqual(answer!.offsets, []);
});

test('offsets can be altered only for a group without members', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world);
  await produce(node, topicId, 10);
  const move = (startOffset: number) =>
    node.alterShareOffsets({ groupId: 'g', offsets: [{ topicId, partition: 0, startOffset }] });
  assert.equal((await move(3)).error, 'NON_EMPTY_GROUP');
  assert.equal(
    (await node.deleteShareOffsets({ groupId: 'g', topicIds: [topicId] })).error,
    'NON_EMPTY_GROUP',
  );
  await beat(node, 'a', { memberEpoch: -1, subscribedTopicNames: null });
  assert.deepEqual(await move(3), { error: 'NONE', results: ['NONE'] });
  assert.deepEqual(await move(-1), { error: 'NONE', results: ['INVALID_REQUEST'] });
  assert.deepEqual(await offsetOf(node, topicId), [3, 7]);
  assert.deepEqual(await move(1), { error: 'NONE', results: ['NONE'] });
  assert.deepEqual(drawn(await acquire(node, topicId, 'a', { recordsMax: 2 })), ['1-2#1']);
  assert.deepEqual(await node.deleteShareOffsets({ groupId: 'g', topicIds: [topicId] }), {
    error: 'NONE',
    results: ['NONE'],
  });
  assert.deepEqual(await offsetOf(node, topicId), [-1, -1]);
});

test('altering offsets creates a missing group, and a missing group has no offsets', async () => {
  const world = new GroupWorld();
  const { node, process, topicId } = await prepare(world);
  const standby = await world.start('standby');
  const place = { topicId, partition: 0 };
  const alter = (groupId: string, partition: number) =>
    node.alterShareOffsets({ groupId, offsets: [{ topicId, partition, startOffset: 4 }] });
  const describe = async (on: ClusterNode, groupId: string) =>
    (await on.describeShareOffsets([{ groupId, partitions: [place] }]))[0]!;
  const unbegun = { error: 'NONE', offsets: [{ ...place, startOffset: -1, lag: -1, error: 'NONE' }] };
  assert.deepEqual(await describe(node, 'new'), unbegun);
  const elsewhere = { topicId: Buffer.alloc(16, 9).toString('base64url'), partition: 0, startOffset: 4 };
  assert.deepEqual(await node.alterShareOffsets({ groupId: 'new', offsets: [elsewhere] }), {
    error: 'NONE',
    results: ['UNKNOWN_TOPIC_OR_PARTITION'],
  });
  assert.equal((await node.describeShareGroups(['new']))[0]!.error, 'GROUP_ID_NOT_FOUND');
  // As in Apache Kafka, the topic has to be there, and not the partition.
  assert.deepEqual(await alter('empty', 9), { error: 'NONE', results: ['UNKNOWN_TOPIC_OR_PARTITION'] });
  assert.equal((await node.describeShareGroups(['empty']))[0]!.state, 'Empty');
  assert.deepEqual(await alter('new', 0), { error: 'NONE', results: ['NONE'] });
  assert.equal((await node.describeShareGroups(['new']))[0]!.state, 'Empty');
  assert.equal((await alter('', 0)).error, 'INVALID_GROUP_ID');
  assert.equal(
    (await node.deleteShareOffsets({ groupId: 'missing', topicIds: [topicId] })).error,
    'GROUP_ID_NOT_FOUND',
  );
  process.kill();
  await world.clock.pass(failoverMs);
  assert.equal((await standby.node.describeShareGroups(['new']))[0]!.state, 'Empty');
  assert.equal((await describe(standby.node, 'new')).offsets[0]!.startOffset, 4);
});

test('acknowledgements of a member count after it has left, until its session or its locks end', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world);
  await beat(node, 'b');
  await produce(node, topicId, 4);
  assert.deepEqual(drawn(await acquire(node, topicId, 'a')), ['0-3#1']);
  await beat(node, 'a', { memberEpoch: -1, subscribedTopicNames: null });
  assert.deepEqual(drawn(await acquire(node, topicId, 'b')), []);
  assert.equal(await acknowledge(node, topicId, 'a', 0, 1, 'accept'), 'NONE');
  await node.acknowledgeRecords([
    { groupId: 'g', memberId: 'a', partitions: [], released: [{ topicId, partition: 0 }] },
  ]);
  assert.deepEqual(drawn(await acquire(node, topicId, 'b')), ['2-3#2']);
  await beat(node, 'b', { memberEpoch: -1, subscribedTopicNames: null });
  await world.clock.pass(lockMs);
  assert.deepEqual(drawn(await acquire(node, topicId, 'c')), ['2-3#3']);
});

test('a group id has one type', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world);
  assert.deepEqual(await node.listGroups({ states: [], types: ['share'] }), [
    { groupId: 'g', protocolType: 'share', state: 'Stable', type: 'share' },
  ]);
  assert.equal((await node.describeGroups(['g']))[0]!.error, 'GROUP_ID_NOT_FOUND');
  assert.equal((await node.describeShareGroups(['other']))[0]!.error, 'GROUP_ID_NOT_FOUND');
  const [described] = await node.describeShareGroups(['g']);
  assert.deepEqual([described!.state, described!.members.length], ['Stable', 1]);
  const commit = {
    groupId: 'g',
    memberId: '',
    generationIdOrMemberEpoch: -1,
    groupInstanceId: null,
    retentionMs: -1,
  };
  assert.equal((await node.commitOffsets([{ ...commit, offsets: [] }]))[0]!.error, 'GROUP_ID_NOT_FOUND');
  const partitions = [{ topicId, partition: 0 }];
  const query = { groupId: 'g', memberId: null, memberEpoch: -1, requireStable: true, partitions };
  const [fetched] = await node.fetchOffsets([query]);
  // As from a group that does not exist.
  assert.deepEqual([fetched!.error, fetched!.offsets[0]?.offset], ['NONE', -1]);
});

test('a group that only has committed offsets does not become a share group', async () => {
  const world = new GroupWorld();
  const { node, topicId } = await prepare(world);
  const commit = {
    ...{ groupId: 'o', memberId: '', generationIdOrMemberEpoch: -1, groupInstanceId: null, retentionMs: -1 },
    offsets: [{ topicId, partition: 0, offset: 1, leaderEpoch: -1, metadata: '' }],
  };
  assert.equal((await node.commitOffsets([commit]))[0]!.error, 'NONE');
  assert.equal((await beat(node, 'a', { groupId: 'o' })).error, 'GROUP_ID_NOT_FOUND');
  const offsets = [{ topicId, partition: 0, startOffset: 0 }];
  assert.equal((await node.alterShareOffsets({ groupId: 'o', offsets })).error, 'GROUP_ID_NOT_FOUND');
});

test('a share group without members stays until it is deleted explicitly', async () => {
  const world = new GroupWorld();
  const { node } = await prepare(world);
  await beat(node, 'a', { memberEpoch: -1, subscribedTopicNames: null });
  await world.clock.pass(10 * 60_000);
  assert.equal((await node.describeShareGroups(['g']))[0]!.state, 'Empty');
});

test('a change within the assignment interval of the group takes effect after it, or with a new leader', async () => {
  const world = new GroupWorld();
  const { node, process } = await prepare(world, { 'share.assignment.interval.ms': '4000' });
  const standby = await world.start('standby');
  const epochs = async (at: ClusterNode) => {
    const [group] = await at.describeShareGroups(['g']);
    return [group!.epoch, group!.assignmentEpoch];
  };
  assert.deepEqual((await beat(node, 'b')).assignment, []);
  assert.deepEqual(await epochs(node), [2, 1]);
  await world.clock.pass(3_000);
  assert.deepEqual(await epochs(node), [2, 1]);
  await world.clock.pass(1_500);
  assert.deepEqual(await epochs(node), [2, 2]);
  const { memberEpoch, assignment } = await beat(node, 'b', { memberEpoch: 1, subscribedTopicNames: null });
  assert.deepEqual([memberEpoch, assignment?.[0]?.partitions.length], [2, 1]);

  await beat(node, 'c');
  assert.deepEqual(await epochs(node), [3, 2]);
  process.kill();
  await world.clock.pass(failoverMs);
  assert.deepEqual(await epochs(standby.node), [3, 3]);
});
