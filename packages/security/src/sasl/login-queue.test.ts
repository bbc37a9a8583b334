import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '@weir/core/testing';
import { securityLimits } from '../limits.ts';
import { LoginQueue } from './login-queue.ts';

/** Work that the test completes by hand, in the order in which it began. */
function stage(runningMax = 1) {
  const begun: string[] = [];
  const running: (() => void)[] = [];
  const turns = new LoginQueue({ runningMax });
  return {
    turns,
    begun,
    ask: (address: string, user: string) =>
      turns.run(address, user, () => {
        begun.push(`${address} ${user}`);
        return new Promise<'done'>((resolve) => running.push(() => resolve('done')));
      }),
    async end(count = 1) {
      await settle();
      for (let ended = 0; ended < count; ended++) {
        running.shift()?.();
        await settle();
      }
    },
  };
}

test('an address with many checks delays only itself, and other addresses wait only for each other', async () => {
  const { begun, ask, end } = stage();
  for (let count = 0; count < 6; count++) void ask('bad', 'root');
  await end(3);
  void ask('bad', 'admin');
  void ask('good', 'alice');
  void ask('better', 'bob');
  void ask('best', 'carol');
  await end(7);
  assert.deepEqual(begun, [
    // The first, one more in the newcomer slot, and then one at a time, as there is no other address.
    ...['bad root', 'bad root', 'bad root', 'bad root'],
    // A newcomer starts at once, and later ones wait only for a newcomer or one of the others.
    ...['good alice', 'better bob', 'best carol', 'bad admin', 'bad root', 'bad root'],
  ]);
});

test('a new address does not wait for regulars, however many there are', async () => {
  const { begun, ask, end } = stage();
  for (let host = 0; host < 50; host++) {
    for (let count = 0; count < 10; count++) void ask(`host ${host}`, 'root');
  }
  // By now all of them have had a turn and have more waiting checks.
  await end(120);
  void ask('good', 'alice');
  await settle();
  assert.equal(begun.at(-1), 'good alice');
});

test('guessing from one or many addresses does not lock the same user out at another', async () => {
  const { begun, ask, end } = stage();
  const guesses = Array.from({ length: securityLimits.waitingLoginsPerAddressMax + 10 }, () =>
    ask('bad', 'alice'),
  );
  assert.equal(await Promise.race(guesses.slice(-1)), 'busy', 'the address itself has to wait');
  void ask('good', 'alice');
  await end(2);
  assert.ok(begun.includes('good alice'), 'no login waits for another address');

  for (let host = 0; host < 50; host++) {
    for (let count = 0; count < 10; count++) void ask(`bad ${host}`, 'alice');
  }
  await end(120);
  void ask('better', 'alice');
  await settle();
  assert.equal(begun.at(-1), 'better alice');
});

test('regulars do not starve, however many new addresses come', async () => {
  const { begun, ask, end } = stage();
  for (let count = 0; count < 10; count++) void ask('regular', 'user');
  for (let host = 0; host < 100; host++) void ask(`host ${host}`, 'user');
  await end(40);
  assert.ok(begun.filter((one) => one.startsWith('regular')).length >= 8, begun.join());
});

test('the number of concurrent checks is limited', async () => {
  const { turns, begun, ask, end } = stage(2);
  for (const user of ['a', 'b', 'c', 'd', 'e']) void ask('host', user);
  await settle();
  assert.deepEqual([begun.length, turns.waiting], [3, 2]);
  await end();
  assert.deepEqual([begun.length, turns.waiting], [4, 1]);
  await end(4);
  assert.deepEqual([begun.length, turns.waiting], [5, 0]);
});

test('the number of waiting checks is limited, per address and in total', async () => {
  const { turns, ask, end } = stage();
  const first = ask('first', 'user');
  void ask('second', 'user');
  for (let count = 0; count < securityLimits.waitingLoginsPerAddressMax; count++)
    void ask('bad', `user ${count}`);
  assert.equal(await ask('bad', 'one more'), 'busy');
  for (let count = 0; turns.waiting < securityLimits.waitingLoginsMax; count++)
    void ask(`host ${count}`, 'user');
  assert.equal(await ask('another', 'user'), 'busy');
  await end();
  assert.equal(await first, 'done');
  void ask('another', 'user');
  assert.equal(turns.waiting, securityLimits.waitingLoginsMax);
});

test('work that fails frees its slot', async () => {
  const turns = new LoginQueue({ runningMax: 1 });
  await assert.rejects(turns.run('host', 'user', () => Promise.reject(new Error('no'))));
  assert.equal(await turns.run('host', 'user', () => Promise.resolve('done')), 'done');
});
