import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consumerStage } from '@weir/agent/testing';
import { addUser, codeOf, type TestClient } from '@weir/broker/testing';
import { aclKey, readSubscription, writeAssignment, writeSubscription } from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { HandClock } from '@weir/core/testing';
import { pause } from '@weir/core/testing';

const earliest = { format: 'json', 'auto.offset.reset': 'earliest', 'fetch.min.bytes': 0 };
const spread = (count: number) =>
  Array.from({ length: count }, (_, value) => ({ value, partition: value % 2 }));
const sorted = (records: readonly { readonly value: unknown }[]) =>
  records.map(({ value }) => value as number).toSorted((a, b) => a - b);
const basic = (user: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:secret`).toString('base64')}`,
});

async function describe(client: TestClient, group: string) {
  const { groups } = await client.call('DescribeGroups', 5, {
    groups: [group],
    includeAuthorizedOperations: false,
  });
  const { groupState, protocolData, members } = groups[0]!;
  return {
    groupState,
    protocolData,
    clientIds: members.map(({ clientId }) => clientId),
    topics: members.map(({ memberMetadata }) => readSubscription(memberMetadata)?.topics),
  };
}

/**
 * Time passes in steps, between which heartbeats are sent and answered. In one step of 27 s the agent itself would be
 * lost after 9 s without a heartbeat, and its members after another third of their session.
 */
async function pass(clock: HandClock, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
    clock.advance(1_000);
    await pause(0);
  }
}

test('a subscribed consumer is a member of its group, and goes on where it stopped', async (t) => {
  const { create, done, write, read, call, connect, clock } = await consumerStage(t);
  await write('orders', spread(6));
  const path = await create(earliest);
  await done('POST', `${path}/subscription`, { topics: ['orders'] });
  assert.deepEqual((await call('GET', `${path}/subscription`)).json, { topics: ['orders'] });
  assert.deepEqual(sorted(await read(path, 6)), [0, 1, 2, 3, 4, 5]);
  const { json } = await call('GET', `${path}/assignments`);
  assert.deepEqual(json.partitions, [
    { topic: 'orders', partition: 0 },
    { topic: 'orders', partition: 1 },
  ]);
  const kafka = await connect();
  const member = { clientIds: ['http-consumer-client'], topics: [['orders']] };
  assert.deepEqual(await describe(kafka, 'g'), { groupState: 'Stable', protocolData: 'range', ...member });
  // Longer than its session without heartbeats would last.
  await pass(clock, 120_000);
  assert.equal((await describe(kafka, 'g')).groupState, 'Stable');
  await done('DELETE', path);
  assert.equal((await describe(kafka, 'g')).groupState, 'Empty');
  await write('orders', [{ value: 6, partition: 0 }]);
  const next = await create(earliest);
  await done('POST', `${next}/subscription`, { topics: ['orders'] });
  assert.deepEqual(sorted(await read(next, 1)), [6]);
  await done('DELETE', `${next}/subscription`);
  assert.equal((await describe(kafka, 'g')).groupState, 'Empty');
  assert.deepEqual((await call('GET', `${next}/subscription`)).json, { topics: [] });
  assert.deepEqual((await call('GET', `${next}/assignments`)).json, { partitions: [] });
});

test('a pattern subscribes to the topics that it matches as a whole, also to later ones', async (t) => {
  const { create, done, write, read, call, cluster, clock } = await consumerStage(t, {
    topics: { 'order-a': 1, 'order-b': 1, 'my-order-c': 1 },
  });
  for (const topic of ['order-a', 'order-b', 'my-order-c']) await write(topic, [{ value: 1 }]);
  const path = await create(earliest);
  await done('POST', `${path}/subscription`, { topic_pattern: 'order-.*' });
  assert.deepEqual((await call('GET', `${path}/subscription`)).json, { topics: ['order-a', 'order-b'] });
  assert.deepEqual((await read(path, 2)).map(({ topic }) => topic).toSorted(), ['order-a', 'order-b']);
  cluster.addTopic('order-c', 1);
  await write('order-c', [{ value: 2 }]);
  await pass(clock, 30_000);
  assert.deepEqual(
    (await read(path, 1)).map(({ topic }) => topic),
    ['order-c'],
  );
});

test('members share the partitions, and get those of one that ends', async (t) => {
  const { create, done, write, read, call } = await consumerStage(t);
  const [a, b] = [await create(earliest), await create(earliest)];
  for (const path of [a, b]) await done('POST', `${path}/subscription`, { topics: ['orders'] });
  const assigned = async (path: string) =>
    (await call('GET', `${path}/assignments`)).json.partitions.map(
      ({ partition }: { readonly partition: number }) => partition,
    );
  const readBoth = () => Promise.all([read(a, 0), read(b, 0)]);
  while ((await assigned(a)).length !== 1 || (await assigned(b)).length !== 1) await readBoth();
  assert.deepEqual([...(await assigned(a)), ...(await assigned(b))].toSorted(), [0, 1]);
  await write('orders', spread(8));
  const found: number[] = [];
  while (found.length < 8) found.push(...sorted((await readBoth()).flat()));
  assert.deepEqual(
    found.toSorted((x, y) => x - y),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
  await done('DELETE', a);
  await write('orders', spread(2));
  assert.deepEqual(sorted(await read(b, 2)), [0, 1]);
  assert.deepEqual(await assigned(b), [0, 1]);
});

test('a consumer instance and a Kafka client are members of one group, and either can lead it', async (t) => {
  const { create, done, write, read, call, connect, clock } = await consumerStage(t);
  const kafka = await connect();
  const metadata = writeSubscription(['orders']);
  const answered = async <Value>(answer: Promise<Value>) => {
    let value: { readonly is: Value } | undefined;
    void answer.then((is) => {
      value = { is };
    });
    while (value === undefined) {
      clock.advance(10);
      await pause(0);
    }
    return value.is;
  };
  const join = (memberId: string) =>
    kafka.call('JoinGroup', 9, {
      groupId: 'g',
      sessionTimeoutMs: 30_000,
      rebalanceTimeoutMs: 30_000,
      memberId,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata }],
    });
  const path = await create(earliest);
  await done('POST', `${path}/subscription`, { topics: ['orders'] });
  await read(path, 0);
  // The instance leads: it is the first member.
  const { memberId } = await answered(join(''));
  const joining = join(memberId);
  let joined: Awaited<typeof joining> | undefined;
  void joining.then((is) => {
    joined = is;
  });
  while (joined === undefined) await read(path, 0);
  assert.equal(joined.errorCode, 0);
  const sync = (assignments: { memberId: string; assignment: Buffer }[]) =>
    kafka.call('SyncGroup', 5, {
      groupId: 'g',
      generationId: joined!.generationId!,
      memberId,
      protocolType: 'consumer',
      protocolName: 'range',
      assignments,
    });
  assert.notEqual(joined.leader, memberId);
  const { errorCode, assignment } = await answered(sync([]));
  assert.equal(errorCode, 0);
  const { json } = await call('GET', `${path}/assignments`);
  assert.equal(json.partitions.length, 1);
  const [{ partition: ofInstance }] = json.partitions;
  assert.ok(assignment.includes(Buffer.from([0, 0, 0, 1, 0, 0, 0, 1 - ofInstance])), 'the other partition');
  // The Kafka client leads when the instance has left and joins again, and gives it both partitions.
  await done('DELETE', `${path}/subscription`);
  await done('POST', `${path}/subscription`, { topics: ['orders'] });
  joined = await answered(join(memberId));
  assert.equal(joined.leader, memberId);
  await answered(sync([{ memberId, assignment: writeAssignment(0, []) }]));
  const reading = read(path, 2);
  const beat = () =>
    kafka.call('Heartbeat', 4, { groupId: 'g', generationId: joined!.generationId!, memberId });
  while ((await answered(beat())).errorCode !== codeOf('REBALANCE_IN_PROGRESS'));
  const again = await answered(join(memberId));
  joined = again;
  const assignments = again.members.map((member) => ({
    memberId: member.memberId,
    assignment: writeAssignment(
      1,
      member.memberId === memberId ? [] : [{ topic: 'orders', partitions: [0, 1] }],
    ),
  }));
  assert.equal(assignments.length, 2);
  await answered(sync(assignments));
  await write('orders', spread(2));
  assert.deepEqual(sorted(await reading), [0, 1]);
});

test('a consumer that stops reading while it joins its group can be assigned partitions and commit', async (t) => {
  const { create, done, read, call, connect } = await consumerStage(t, {
    // Longer than a read, so that each of them ends while the group waits for members.
    configs: { 'group.initial.rebalance.delay.ms': '60000' },
  });
  const kafka = await connect();
  const path = await create(earliest);
  const place = { topic: 'orders', partition: 0 };
  for (const [offset, stop] of [
    () => done('DELETE', `${path}/subscription`),
    () => done('POST', `${path}/subscription`, { topics: [] }),
  ].entries()) {
    await done('POST', `${path}/subscription`, { topics: ['orders'] });
    assert.deepEqual(await read(path, 0), []);
    assert.equal((await describe(kafka, 'g')).groupState, 'PreparingRebalance');
    await stop();
    assert.equal((await describe(kafka, 'g')).groupState, 'Empty');
    await done('POST', `${path}/assignments`, { partitions: [place] });
    const { status, json } = await call('POST', `${path}/offsets`, { offsets: [{ ...place, offset }] });
    assert.deepEqual([status, json], [200, []], JSON.stringify(json));
    await done('POST', `${path}/assignments`, { partitions: [] });
  }
});

test('an instance is of the principal that made it, and has its rights', async (t) => {
  const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;
  const stage = await consumerStage(t, { sasl, configs: { 'service.acls.enabled': 'true' } });
  const { create, done, code, call, cluster } = stage;
  for (const user of ['alice', 'bob']) addUser(cluster, user, 'secret');
  const allow = (operation: Acl['operation'], resourceType: Acl['resourceType'], resourceName: string) =>
    cluster.putRecord(
      'acl',
      aclKey({
        permission: 'ALLOW',
        operation,
        resourceType,
        resourceName,
        patternType: 'LITERAL',
        principal: 'User:alice',
        host: '*',
      }),
      {},
    );
  assert.equal(await code('POST', '/consumers/g', {}), 40101);
  const path = await create({ ...earliest, name: 'c' }, 'g', basic('alice'));
  assert.equal(await code('GET', `${path}/records`, undefined, basic('bob')), 40403);
  assert.equal(await code('DELETE', path, undefined, basic('bob')), 40403);
  // The names of others are free.
  await create({ name: 'c' }, 'g', basic('bob'));
  await done('POST', `${path}/subscription`, { topics: ['orders'] }, basic('alice'));
  const read = () => call('GET', `${path}/records`, undefined, basic('alice'));
  const denied = async (what: RegExp) => {
    const { status, json } = await read();
    assert.deepEqual([status, json.error_code], [403, 40301], JSON.stringify(json));
    assert.match(json.message, what);
  };
  await denied(/topic orders/);
  allow('DESCRIBE', 'TOPIC', 'orders');
  await denied(/group g/);
  allow('READ', 'GROUP', 'g');
  await denied(/topic orders/);
  allow('READ', 'TOPIC', 'orders');
  const { status, json } = await read();
  assert.deepEqual([status, json], [200, []]);
});

test('instances end when they are idle, and there are not too many', async (t) => {
  const { create, done, call, code, read, connect, clock } = await consumerStage(t);
  const kafka = await connect();
  const idle = await create(earliest);
  await done('POST', `${idle}/subscription`, { topics: ['orders'] });
  await read(idle, 0);
  assert.equal((await describe(kafka, 'g')).groupState, 'Stable');
  await pass(clock, 290_000);
  // It has left the group if it is used but not read from.
  assert.equal((await call('GET', `${idle}/subscription`)).status, 200);
  await pass(clock, 20_000);
  assert.equal((await describe(kafka, 'g')).groupState, 'Empty');
  assert.equal((await call('GET', `${idle}/subscription`)).status, 200);
  await pass(clock, 310_000);
  assert.equal(await code('GET', `${idle}/subscription`), 40403);
  const paths: string[] = [];
  for (let n = 0; n < 100; n++) paths.push(await create({}, `g${n}`));
  const { status, json } = await call('POST', '/consumers/g', {});
  assert.deepEqual([status, json.error_code], [429, 429]);
  await done('DELETE', paths[0]!);
  await create({}, 'g');
});

test('instances commit and leave their groups when the agent stops', async (t) => {
  const { create, done, write, read, agent, cluster, clock } = await consumerStage(t);
  await write('orders', spread(2));
  const path = await create(earliest);
  await done('POST', `${path}/subscription`, { topics: ['orders'] });
  await read(path, 2);
  const { leaveGroup, commitOffsets } = cluster.calls;
  let isStopped = false;
  void agent.stop({ deadlineMs: 10_000 }).then(() => {
    isStopped = true;
  });
  while (!isStopped) await pass(clock, 1_000);
  assert.equal(cluster.calls.leaveGroup, leaveGroup + 1);
  assert.equal(cluster.calls.commitOffsets, commitOffsets + 1);
});

test('a read that names a topic subscribes the instance to it alone', async (t) => {
  const { create, done, write, read, call, code } = await consumerStage(t, {
    topics: { orders: 2, bills: 1 },
  });
  await write('orders', spread(4));
  const path = await create({ ...earliest, 'auto.offset.reset': 'smallest' });
  assert.equal(await code('GET', `${path}/topics/none`), 40401);
  assert.deepEqual((await call('GET', `${path}/subscription`)).json, { topics: [] });
  const found: { value: unknown }[] = [];
  while (found.length < 4) found.push(...(await call('GET', `${path}/topics/orders`)).json);
  assert.deepEqual(sorted(found), [0, 1, 2, 3]);
  assert.deepEqual((await call('GET', `${path}/subscription`)).json, { topics: ['orders'] });
  assert.equal(await code('GET', `${path}/topics/bills`), 40901);
  await write('orders', [{ value: 4, partition: 0 }]);
  assert.deepEqual(sorted(await read(path, 1)), [4], 'the other path goes on where this one stopped');
  await done('DELETE', `${path}/subscription`);
  await done('POST', `${path}/assignments`, { partitions: [{ topic: 'orders', partition: 0 }] });
  assert.equal(await code('GET', `${path}/topics/orders`), 40901);
});
