import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { EntryChange } from '@weir/machine';
import { GroupSaver, type Submit } from './group-saver.ts';

/** Stores entries, or refuses them while it is full. */
function storage() {
  const stored = new Map<string, string>();
  const found = { stored, isFull: false };
  const submit = async ({ changes }: { changes: readonly EntryChange[] }) => {
    if (found.isFull) return { error: 'POLICY_VIOLATION', message: 'full' };
    for (const { key, value } of changes) {
      if (value === null) stored.delete(key);
      else stored.set(key, String(value));
    }
    return { error: 'NONE', message: null };
  };
  return { ...found, found, submit: submit as unknown as Submit };
}

test('a refused save is retried until it succeeds', async () => {
  const clock = new HandClock();
  const { stored, found, submit } = storage();
  const saver = new GroupSaver(submit, clock, silentLog);
  await saver.save('a', Buffer.from('1'));
  found.isFull = true;
  await assert.rejects(saver.save('a', Buffer.from('2')), ClusterUnavailable);
  await assert.rejects(saver.save('b', Buffer.from('1')), ClusterUnavailable);
  await clock.pass(2_500);
  assert.deepEqual([...stored], [['a', '1']]);
  found.isFull = false;
  await clock.pass(1_000);
  assert.deepEqual(
    [...stored],
    [
      ['a', '2'],
      ['b', '1'],
    ],
  );
});

test('a retry does not undo a later save', async () => {
  const clock = new HandClock();
  const { stored, found, submit } = storage();
  const saver = new GroupSaver(submit, clock, silentLog);
  found.isFull = true;
  const refused = assert.rejects(saver.save('a', Buffer.from('old')), ClusterUnavailable);
  found.isFull = false;
  await saver.save('a', Buffer.from('new'));
  await refused;
  await clock.pass(5_000);
  assert.equal(stored.get('a'), 'new');
});

test('nothing is retried after close', async () => {
  const clock = new HandClock();
  const { stored, found, submit } = storage();
  const saver = new GroupSaver(submit, clock, silentLog);
  found.isFull = true;
  await assert.rejects(saver.save('a', Buffer.from('1')), ClusterUnavailable);
  saver.close();
  found.isFull = false;
  await clock.pass(5_000);
  assert.equal(stored.size, 0);
});

test('refused entries of a group go with its next ones, so that they are consistent', async () => {
  const clock = new HandClock();
  const { stored, found, submit } = storage();
  const saver = new GroupSaver(submit, clock, silentLog);
  const member = (value: string) =>
    ({ namespace: 'groupMember', key: 'm', value: Buffer.from(value) }) as const;
  found.isFull = true;
  await assert.rejects(saver.save('a', Buffer.from('group 1'), [member('member 1')]), ClusterUnavailable);
  found.isFull = false;
  await saver.put('a', [member('member 2')]);
  assert.deepEqual(
    [...stored],
    [
      ['a', 'group 1'],
      ['m', 'member 2'],
    ],
  );
  stored.clear();
  await clock.pass(5_000);
  assert.equal(stored.size, 0, 'no retry is left');
});
