import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';
import { columns, consumerGroups } from './consumer-group-tool.ts';
import { Member, type MemberState, type MemberToJoin, untilRead, untilShared } from './members.ts';
import { startThreeAgents } from './three-agents.ts';

/** Apache's consumers, 4.3.1, in classic groups whose members use different agents. */
const skip = missingTool();
const bounded = { skip, timeout: 180_000 };
const lifetime = lastFirst({ after });
const agents = skip ? [] : await startThreeAgents(lifetime);
const java = skip ? undefined! : openApplications(lifetime);
const [first] = agents;

let memberCount = 0;
/** Starts the next member, on the next agent. */
function join(options: Omit<MemberToJoin, 'servers'>): Promise<Member> {
  const number = memberCount++;
  return Member.join(java, `member-${number}`, { servers: agents[number % agents.length]!, ...options });
}

const createTopic = (topic: string, partitions: number) =>
  java.ask('create-topic', { servers: first, topic, partitions });
const produce = (topic: string, partitions: number, from: number, count: number) =>
  java.ask('produce', { servers: first, topic, partitions, first: from, count });

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Asserts that every number was read exactly once. */
function assertReadOnce(states: readonly MemberState[], count: number): void {
  const values = states.flatMap(({ read }) => read.map(([, , , value]) => Number(value)));
  assert.deepEqual(
    values.toSorted((a, b) => a - b),
    numbers(count),
  );
}

const assignors = [
  { name: 'RangeAssignor', keepsWhatItCan: false },
  { name: 'CooperativeStickyAssignor', keepsWhatItCan: true },
];

// In parallel, because most of the time is the 3 s for which a new group waits for more members.
describe('classic groups', { concurrency: true }, () => {
  for (const { name, keepsWhatItCan } of assignors) {
    test(`members of ${name} come and go, and read everything once`, bounded, async () => {
      const topic = `come-and-go-${name}`;
      const options = {
        topic,
        group: `g-${topic}`,
        settings: { 'partition.assignment.strategy': `org.apache.kafka.clients.consumer.${name}` },
      };
      await createTopic(topic, 6);
      let produced = 0;
      const produceMore = async () => {
        await produce(topic, 6, produced, 120);
        produced += 120;
      };
      const ended: MemberState[] = [];
      const untilAllRead = async (members: readonly Member[]) => {
        await untilRead(members, produced - ended.reduce((sum, { read }) => sum + read.length, 0));
      };

      const present = [await join(options)];
      await produceMore();
      await untilShared(present, 6);
      present.push(await join(options));
      await produceMore();
      await untilShared(present, 6);
      // An eager member revokes everything in each rebalance; a cooperative one only what moves to another member.
      const { revoked } = await present[0]!.state();
      assert.deepEqual(
        revoked.map((partitions) => partitions.length),
        [keepsWhatItCan ? 3 : 6],
      );
      present.push(await join(options), await join(options), await join(options));
      await untilShared(present, 6);
      await produceMore();
      await untilAllRead(present);
      for (let leaves = 0; leaves < 3; leaves++) ended.push(await present.shift()!.stop());
      await produceMore();
      await untilShared(present, 6);
      await untilAllRead(present);
      // An empty group resumes at its committed offsets.
      for (const member of present) ended.push(await member.stop());
      await produceMore();
      const late = await join(options);
      await untilAllRead([late]);
      ended.push(await late.stop());
      for (const { failure, lost } of ended) assert.deepEqual([failure, lost], [null, []]);
      assertReadOnce(ended, produced);
    });
  }

  test('a static member that comes back has what it had, and nobody notices', bounded, async () => {
    const topic = 'static';
    const group = 'g-static';
    await createTopic(topic, 4);
    const named = (instance: string) => ({
      topic,
      group,
      settings: { 'group.instance.id': instance, 'session.timeout.ms': '30000' },
    });
    const one = await join(named('one'));
    const two = await join(named('two'));
    await untilShared([one, two], 4);
    await produce(topic, 4, 0, 100);
    await untilRead([one, two], 100);
    const { assignments } = await two.state();
    const before = await one.stop();
    await produce(topic, 4, 100, 100);
    const again = await join(named('one'));
    await untilShared([again, two], 4);
    assert.deepEqual((await again.state()).assigned, before.assigned);
    await untilRead([again, two], 200 - before.read.length);
    const undisturbed = await two.state();
    assert.deepEqual([undisturbed.assignments, undisturbed.revoked], [assignments, []]);
    assertReadOnce([before, await again.stop(), await two.stop()], 200);
  });

  test('a second member under the same instance id puts the first out', bounded, async () => {
    const topic = 'fenced';
    await createTopic(topic, 2);
    const options = { topic, group: 'g-fenced', settings: { 'group.instance.id': 'same' } };
    const former = await join(options);
    await untilShared([former], 2);
    const latter = await join(options);
    await untilShared([latter], 2);
    while ((await former.state()).failure === null);
    assert.match((await former.state()).failure!, /FencedInstanceIdException/);
    assert.equal((await latter.stop()).failure, null);
  });

  for (const commit of ['async', 'auto'] as const) {
    test(`offsets that are committed ${commit} are where the next member begins`, bounded, async () => {
      const topic = `commit-${commit}`;
      const options = { topic, group: `g-${topic}`, commit };
      await createTopic(topic, 3);
      await produce(topic, 3, 0, 90);
      const one = await join(options);
      await untilRead([one], 90);
      const before = await one.stop();
      if (commit === 'async') assert.ok(before.commitsAnswered > 0);
      await produce(topic, 3, 90, 90);
      const two = await join(options);
      await untilRead([two], 90);
      assertReadOnce([before, await two.stop()], 180);
    });
  }

  test('a member that seeks reads again from there, and commits it', bounded, async () => {
    const topic = 'seek';
    const options = { topic, group: 'g-seek' };
    await createTopic(topic, 1);
    await produce(topic, 1, 0, 50);
    const one = await join(options);
    await untilRead([one], 50);
    await one.seek(topic, 0, 30);
    await untilRead([one], 70);
    const { read } = await one.stop();
    assert.deepEqual(
      read.map(([, , offset]) => offset),
      [...numbers(50), ...numbers(20).map((n) => n + 30)],
    );
    await produce(topic, 1, 50, 10);
    const two = await join(options);
    await untilRead([two], 10);
    assert.deepEqual(
      (await two.stop()).read.map(([, , offset]) => offset),
      numbers(10).map((n) => n + 50),
    );
  });

  test('kafka-consumer-groups lists, describes, resets and deletes', bounded, async () => {
    const topic = 'tool';
    const group = 'g-tool';
    const tool = (...args: readonly string[]) => consumerGroups(java, agents[2]!, ...args);
    const describeOffsets = async () =>
      columns(
        await tool('--describe', '--group', group),
        'TOPIC',
        'PARTITION',
        'CURRENT-OFFSET',
        'LOG-END-OFFSET',
        'LAG',
        'HOST',
      );
    const reset = async (...to: readonly string[]) =>
      columns(await tool('--reset-offsets', '--group', group, ...to), 'PARTITION', 'NEW-OFFSET').toSorted();
    await createTopic(topic, 3);
    await produce(topic, 3, 0, 90);
    const member = await join({ topic, group });
    await untilRead([member], 90);

    assert.ok((await tool('--list')).includes(group));
    assert.deepEqual(
      await describeOffsets(),
      ['0', '1', '2'].map((partition) => [topic, partition, '30', '30', '0', '/127.0.0.1']),
    );
    const members = await tool('--describe', '--group', group, '--members', '--verbose');
    assert.deepEqual(columns(members, '#PARTITIONS', 'CURRENT-ASSIGNMENT'), [['3', 'tool:0,1,2']]);
    assert.match((await tool('--describe', '--group', group, '--state')).at(-1)!, /range +Stable +1$/);
    assert.match((await tool('--delete', '--group', group)).join(), /GroupNotEmptyException/);
    assert.match(
      (await tool('--delete-offsets', '--group', group, '--topic', topic)).join(),
      /GroupSubscribedToTopicException|subscribed to/i,
    );

    await member.stop();
    assert.deepEqual(await reset('--topic', topic, '--to-offset', '10', '--execute'), [
      ['0', '10'],
      ['1', '10'],
      ['2', '10'],
    ]);
    assert.deepEqual(await reset('--topic', `${topic}:1`, '--shift-by', '5', '--execute'), [['1', '15']]);
    assert.deepEqual(
      await reset('--topic', `${topic}:2`, '--to-datetime', '2020-01-01T00:00:00.000', '--dry-run'),
      [['2', '0']],
    );
    const again = await join({ topic, group });
    await untilRead([again], 20 + 15 + 20);
    assert.equal((await again.stop()).read.length, 55);

    await tool('--delete-offsets', '--group', group, '--topic', `${topic}:0`);
    assert.deepEqual(
      (await describeOffsets()).map(([, partition]) => partition),
      ['1', '2'],
    );
    await tool('--delete', '--group', group);
    assert.ok(!(await tool('--list')).includes(group));
    assert.match((await tool('--delete', '--group', group)).join(), /GroupIdNotFoundException/);
  });
});
