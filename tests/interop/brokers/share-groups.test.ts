import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { javaOnLocal } from './java-client.ts';

/** Apache's share consumers, 4.3.1, with one command at a time each. */
const { ask, bounded } = await javaOnLocal({ after });

interface GroupView {
  readonly state: string;
  readonly assigned: readonly (readonly string[])[];
}

const explicit = 'share.acknowledgement.mode=explicit';
const pollMs = 500;

const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

/** Creates a topic with records, and a group that starts at its beginning. */
async function prepare(name: string, records: number, ...settings: readonly string[]): Promise<void> {
  await ask('create-topic', name, 1);
  if (records > 0) await produce(name, records);
  await ask('share-config', `${name}-group`, 'share.auto.offset.reset=earliest', ...settings);
}

const produce = (topic: string, records: number, ...settings: readonly string[]) =>
  ask('produce', topic, 1, records, 1_700_000_000_000, ...settings);
const join = (member: string, topic: string, ...settings: readonly string[]) =>
  ask('share-join', member, `${topic}-group`, topic, ...settings);
/** Polls once and returns the records as `partition@offset#delivery`. */
const poll = (member: string, acknowledgement = 'accept') =>
  ask<readonly string[]>('share-poll', member, pollMs, acknowledgement);
const commit = (member: string) => ask<Readonly<Record<string, string>>>('share-commit', member);
const close = (member: string) => ask('share-close', member);
const offsets = (topic: string) => ask<Readonly<Record<string, string>>>('share-offsets', `${topic}-group`);

/** Polls the members in turn until they together have read the given number of records; returns the records of each. */
async function untilRead(
  members: readonly string[],
  count: number,
  acknowledgement?: string,
): Promise<string[][]> {
  const read = members.map((): string[] => []);
  while (read.flat().length < count) {
    for (const [index, member] of members.entries())
      read[index]!.push(...(await poll(member, acknowledgement)));
  }
  return read;
}

const firstDeliveries = (count: number) => Array.from({ length: count }, (_, offset) => `0@${offset}#1`);

const byOffset = (a: string, b: string) =>
  Number(a.slice(2).split('#')[0]) - Number(b.slice(2).split('#')[0]);

test('two consumers share one partition, and each record goes to one of them', bounded, async () => {
  await prepare('shared', 1000);
  for (const member of ['shared-a', 'shared-b']) await join(member, 'shared', 'max.poll.records=50');
  const read = await untilRead(['shared-a', 'shared-b'], 1000);
  assert.deepEqual(read.flat().toSorted(byOffset), firstDeliveries(1000));
  for (const own of read) assert.ok(own.length >= 50, 'both of them worked');
  for (const member of ['shared-a', 'shared-b']) await commit(member);
  assert.deepEqual(await offsets('shared'), { 'shared-0': '1000 lag 0' });
  const { state, assigned } = await ask<GroupView>('share-describe', 'shared-group');
  assert.deepEqual([state, assigned], ['Stable', [['shared-0'], ['shared-0']]]);
  for (const member of ['shared-a', 'shared-b']) await close(member);
});

test('what is released comes again, and what is rejected does not', bounded, async () => {
  await prepare('said', 10);
  await join('said-a', 'said', explicit);
  const [read] = await untilRead(['said-a'], 10, '2=release,3=release,5=reject,*=accept');
  assert.deepEqual(read, firstDeliveries(10));
  assert.deepEqual(await commit('said-a'), { 'said-0': 'OK' });
  assert.deepEqual(await offsets('said'), { 'said-0': '2 lag 2' });
  const [again] = await untilRead(['said-a'], 2);
  assert.deepEqual(again, ['0@2#2', '0@3#2']);
  assert.deepEqual(await commit('said-a'), { 'said-0': 'OK' });
  assert.deepEqual(await offsets('said'), { 'said-0': '10 lag 0' });
  assert.deepEqual(await poll('said-a'), []);
  await close('said-a');
});

test(
  'a record without an acknowledgement goes to another member when its lock expires',
  bounded,
  async () => {
    await prepare('locked', 5, 'share.record.lock.duration.ms=3000', 'share.delivery.count.limit=2');
    await join('locked-a', 'locked', explicit);
    await join('locked-b', 'locked', explicit);
    const [first] = await untilRead(['locked-a'], 5);
    assert.deepEqual(first, firstDeliveries(5));
    const [second] = await untilRead(['locked-b'], 5);
    assert.deepEqual(second, ['0@0#2', '0@1#2', '0@2#2', '0@3#2', '0@4#2']);
    assert.deepEqual(await commit('locked-b'), { 'locked-0': 'OK' });
    assert.deepEqual(Object.keys(await commit('locked-a')), ['locked-0']);
    assert.deepEqual(await offsets('locked'), { 'locked-0': '5 lag 0' });
    for (const member of ['locked-a', 'locked-b']) await close(member);
  },
);

test('what a consumer holds when it leaves goes to others at once', bounded, async () => {
  await prepare('left', 3);
  await join('left-a', 'left', explicit);
  assert.deepEqual(await untilRead(['left-a'], 3, 'release'), [firstDeliveries(3)]);
  await close('left-a');
  await join('left-b', 'left');
  assert.deepEqual(await untilRead(['left-b'], 3), [['0@0#2', '0@1#2', '0@2#2']]);
  assert.deepEqual(await commit('left-b'), { 'left-0': 'OK' });
  await close('left-b');
  assert.deepEqual(await offsets('left'), { 'left-0': '3 lag 0' });
});

test('a consumer may ask for more time', bounded, async () => {
  await prepare('renewed', 1, 'share.record.lock.duration.ms=5000', 'share.delivery.count.limit=2');
  await join('renewed-a', 'renewed', explicit);
  assert.deepEqual(await untilRead(['renewed-a'], 1, 'renew'), [['0@0#1']]);
  assert.deepEqual(await commit('renewed-a'), { 'renewed-0': 'OK' });
  for (let times = 0; times < 3; times++) {
    await pause(2_000);
    assert.deepEqual(await untilRead(['renewed-a'], 1, 'renew'), [['0@0#1']], 'it is still its own');
    assert.deepEqual(await commit('renewed-a'), { 'renewed-0': 'OK' });
  }
  assert.deepEqual(await untilRead(['renewed-a'], 1, 'accept'), [['0@0#1']]);
  assert.deepEqual(await commit('renewed-a'), { 'renewed-0': 'OK' });
  assert.deepEqual(await offsets('renewed'), { 'renewed-0': '1 lag 0' });
  await close('renewed-a');
});

test('records that come while a consumer waits reach it', bounded, async () => {
  await prepare('waited', 0);
  await join('waited-a', 'waited', 'fetch.max.wait.ms=5000');
  assert.deepEqual(await poll('waited-a'), []);
  await produce('waited', 7);
  assert.deepEqual(await untilRead(['waited-a'], 7), [firstDeliveries(7)]);
  await close('waited-a');
});

test('a group that reads committed records is given no others', bounded, async () => {
  await prepare('committed', 0, 'share.isolation.level=read_committed');
  await ask('tx-open', 'committed-p', 'committed-p');
  const transaction = async (end: 'tx-commit' | 'tx-abort', ...values: readonly string[]) => {
    await ask('tx-begin', 'committed-p');
    await ask('tx-send', 'committed-p', 'committed', 0, ...values);
    await ask(end, 'committed-p');
  };
  // Every transaction ends with a marker, which occupies an offset.
  await transaction('tx-commit', 'a', 'b');
  await transaction('tx-abort', 'c', 'd', 'e');
  await transaction('tx-commit', 'f');
  await join('committed-a', 'committed', explicit);
  const [read] = await untilRead(['committed-a'], 3);
  assert.deepEqual(read, ['0@0#1', '0@1#1', '0@7#1']);
  await commit('committed-a');
  assert.deepEqual(await offsets('committed'), { 'committed-0': '9 lag 0' });
  await ask('tx-begin', 'committed-p');
  await ask('tx-send', 'committed-p', 'committed', 0, 'g');
  assert.deepEqual(await poll('committed-a'), [], 'an open transaction is not read');
  await ask('tx-commit', 'committed-p');
  assert.deepEqual(await untilRead(['committed-a'], 1), [['0@9#1']]);
  await commit('committed-a');
  await close('committed-a');
});

test('an administrator moves a group without members, and deletes it', bounded, async () => {
  await prepare('moved', 20);
  await join('moved-a', 'moved');
  await untilRead(['moved-a'], 20);
  await commit('moved-a');
  await assert.rejects(ask('share-alter-offset', 'moved-group', 'moved', 0, 5), /GroupNotEmpty/);
  await close('moved-a');
  assert.deepEqual(await offsets('moved'), { 'moved-0': '20 lag 0' });
  await ask('share-alter-offset', 'moved-group', 'moved', 0, 18);
  assert.deepEqual(await offsets('moved'), { 'moved-0': '18 lag 2' });
  await join('moved-b', 'moved');
  assert.deepEqual(await untilRead(['moved-b'], 2), [['0@18#1', '0@19#1']]);
  await close('moved-b');
  await ask('share-delete-offsets', 'moved-group', 'moved');
  assert.deepEqual(await offsets('moved'), {});
  assert.ok((await ask<readonly string[]>('list-groups')).includes('moved-group Share'));
  await ask('share-delete', 'moved-group');
  await assert.rejects(ask('share-describe', 'moved-group'), /GroupIdNotFound/);
  assert.ok(!(await ask<readonly string[]>('list-groups')).includes('moved-group Share'));
});
