import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { systemClock } from '@weir/core';
import { javaOnLocal } from './java-client.ts';

/** Apache's consumers, 4.3.1, in KIP-848 groups (`group.protocol=consumer`), and upgrades to the protocol and back. */
const { ask, bounded } = await javaOnLocal({ after });

const pause = () => new Promise<void>((resolve) => systemClock.after(200, resolve));

interface MemberState {
  readonly assigned: readonly string[];
  readonly read: readonly string[];
  readonly failure: string | null;
}

interface GroupView {
  readonly type: string;
  readonly state: string;
  readonly assignor: string;
  readonly members: readonly {
    readonly partitions: readonly string[];
    readonly target: readonly string[];
    readonly instance: string;
  }[];
}

const newProtocol = 'group.protocol=consumer';
const join = (member: string, group: string, topics: string, ...settings: readonly string[]) =>
  ask('join-group', member, group, topics, ...settings);
const stateOf = (member: string) => ask<MemberState>('group-member', member);
const leave = (member: string) => ask<MemberState>('leave-group', member);
const describeGroup = (group: string) => ask<GroupView>('describe-group', group);

/** Waits until the members have these numbers of partitions, in any order, and each partition has one owner. */
async function untilShared(members: readonly string[], counts: readonly number[]): Promise<void> {
  for (;;) {
    const states = await Promise.all(members.map(stateOf));
    for (const { failure } of states) assert.equal(failure, null);
    const all = states.flatMap(({ assigned }) => assigned);
    const isShared =
      states
        .map(({ assigned }) => assigned.length)
        .toSorted()
        .join() === counts.toSorted().join();
    if (isShared && new Set(all).size === all.length) return;
    await pause();
  }
}

async function untilRead(members: readonly string[], count: number): Promise<readonly string[]> {
  for (;;) {
    const read = (await Promise.all(members.map(stateOf))).flatMap((state) => state.read);
    if (read.length >= count) return read;
    await pause();
  }
}

const produce = (topic: string, partitions: number, count: number) =>
  ask('produce', topic, partitions, count, 1_700_000_000_000);

// Members mostly wait for their next heartbeats, so the groups run beside each other.
describe('groups of the new protocol', { concurrency: true }, () => {
  test('two consumers share a topic, commit, and one takes over from the other', bounded, async () => {
    await ask('create-topic', 'shared', 4);
    await produce('shared', 4, 400);
    await join('a', 'g-shared', 'shared', newProtocol);
    await untilShared(['a'], [4]);
    await untilRead(['a'], 400);
    await join('b', 'g-shared', 'shared', newProtocol);
    await untilShared(['a', 'b'], [2, 2]);
    await produce('shared', 4, 400);
    const read = await untilRead(['a', 'b'], 800);
    // Committed records are not read again by the new owner of a partition.
    assert.equal(new Set(read).size, 800);
    assert.equal(read.length, 800);
    const { members, ...group } = await describeGroup('g-shared');
    assert.deepEqual(group, { type: 'Consumer', state: 'Stable', assignor: 'uniform' });
    for (const { partitions, target } of members) assert.deepEqual(partitions, target);
    assert.ok((await ask<readonly string[]>('list-groups')).includes('g-shared Consumer'));
    await assert.rejects(ask('delete-group', 'g-shared'), /GroupNotEmptyException/);
    await leave('a');
    await untilShared(['b'], [4]);
    await leave('b');
    assert.deepEqual(await ask('group-offsets', 'g-shared'), {
      'shared-0': '200',
      'shared-1': '200',
      'shared-2': '200',
      'shared-3': '200',
    });
    assert.equal((await describeGroup('g-shared')).state, 'Empty');
    await ask('delete-group', 'g-shared');
    assert.ok(!(await ask<readonly string[]>('list-groups')).includes('g-shared Consumer'));
  });

  test('a consumer that subscribes by a pattern follows the topics', bounded, async () => {
    await ask('create-topic', 'log-one', 2);
    await join('p', 'g-pattern', 'pattern:log-.*', newProtocol);
    await untilShared(['p'], [2]);
    await ask('create-topic', 'log-two', 1);
    await untilShared(['p'], [3]);
    await ask('create-partitions', 'log-two', 3);
    await untilShared(['p'], [5]);
    await leave('p');
  });

  test('a static consumer that comes back has what it had', bounded, async () => {
    await ask('create-topic', 'static', 2);
    const one = [newProtocol, 'group.instance.id=one', 'group.remote.assignor=range'];
    const two = [newProtocol, 'group.instance.id=two', 'group.remote.assignor=range'];
    await join('one', 'g-static', 'static', ...one);
    await join('two', 'g-static', 'static', ...two);
    await untilShared(['one', 'two'], [1, 1]);
    const { assigned } = await stateOf('one');
    await leave('one');
    await join('again', 'g-static', 'static', ...one);
    await untilShared(['again', 'two'], [1, 1]);
    assert.deepEqual((await stateOf('again')).assigned, assigned);
    assert.equal((await describeGroup('g-static')).assignor, 'range');
    await leave('again');
    await leave('two');
  });

  for (const assignor of ['RangeAssignor', 'CooperativeStickyAssignor']) {
    test(`a group of ${assignor} moves to the new protocol while it runs, and back`, bounded, async () => {
      const topic = `moved-${assignor}`;
      const group = `g-${topic}`;
      const strategy = `partition.assignment.strategy=org.apache.kafka.clients.consumer.${assignor}`;
      await ask('create-topic', topic, 4);
      const [old, upgraded] = [`old-${assignor}`, `new-${assignor}`] as const;
      await join(old, group, topic, strategy);
      await untilShared([old], [4]);
      assert.equal((await describeGroup(group)).type, 'Classic');
      await join(upgraded, group, topic, newProtocol);
      await untilShared([old, upgraded], [2, 2]);
      assert.equal((await describeGroup(group)).type, 'Consumer');
      await produce(topic, 4, 100);
      assert.equal(new Set(await untilRead([old, upgraded], 100)).size, 100);
      await leave(upgraded);
      await untilShared([old], [4]);
      assert.equal((await describeGroup(group)).type, 'Classic');
      await leave(old);
    });
  }
});
