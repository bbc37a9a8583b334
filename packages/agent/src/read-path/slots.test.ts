import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from '../../testing/data-path.ts';
import { Slots, TooManyWaiting } from './slots.ts';

test('so many run at a time, and the others in the order in which they came', async () => {
  const slots = new Slots({ runningMax: 2, waitingMax: 2 });
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const task = (name: string) => () =>
    new Promise<string>((resolve) => {
      log.push(name);
      ends.push(() => resolve(name));
    });
  const runs = ['a', 'b', 'c', 'd'].map((name) => slots.run(task(name)));
  await assert.rejects(slots.run(task('e')), TooManyWaiting);
  assert.equal(slots.tryEnter(), false);
  assert.deepEqual(log, ['a', 'b']);
  ends[1]!();
  await settled();
  assert.deepEqual(log, ['a', 'b', 'c']);
  assert.equal(slots.running, 2);
  for (let at = 0; at < 4; at++) {
    ends[at]?.();
    await settled();
  }
  assert.deepEqual(await Promise.all(runs), ['a', 'b', 'c', 'd']);
  assert.equal(slots.running, 0);
});

test('a task that fails leaves its slot', async () => {
  const slots = new Slots({ runningMax: 1 });
  await assert.rejects(
    slots.run(() => Promise.reject(new Error('on purpose'))),
    /on purpose/,
  );
  assert.equal(slots.tryEnter(), true);
  slots.leave();
  assert.equal(slots.running, 0);
});
