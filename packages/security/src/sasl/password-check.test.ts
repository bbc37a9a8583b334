import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scramKeys } from '@weir/broker/testing';
import type { ScramCredential } from '@weir/cluster';
import { decoysFrom } from './decoys.ts';
import { LoginQueue } from './login-queue.ts';
import { PasswordCheck } from './password-check.ts';

/** A queue that counts checks. */
class CountingLoginQueue extends LoginQueue {
  taken = 0;

  constructor() {
    super({ runningMax: 1 });
  }

  override run<Result>(address: string, user: string, work: () => Promise<Result>) {
    this.taken++;
    return super.run(address, user, work);
  }
}

function stage() {
  const users = new Map<string, ScramCredential>();
  const oldPasswords = new Map<string, ScramCredential>();
  const decoyOf = decoysFrom(() => Buffer.from('secret'));
  const turns = new CountingLoginQueue();
  const passwords = new PasswordCheck({
    credentialOf: (user) => {
      const credential = users.get(user);
      const old = oldPasswords.get(user);
      return { credential: credential ?? decoyOf(user), old, isReal: credential !== undefined };
    },
    turns,
  });
  return {
    turns,
    setPassword(user: string, password: string): void {
      const salt = Buffer.from(`salt of ${user}`);
      users.set(user, { salt, iterations: 4096, ...scramKeys(password, salt, 4096) });
    },
    rotatePassword(user: string, password: string): void {
      oldPasswords.set(user, users.get(user)!);
      this.setPassword(user, password);
    },
    endOldPassword: (user: string) => oldPasswords.delete(user),
    forget: (user: string) => users.delete(user),
    check: (user: string, password: string) => passwords.check({ user, password, remoteAddress: '10.0.0.7' }),
  };
}

test('the result of a password check is cached for as long as the credential is unchanged', async () => {
  const { turns, setPassword, forget, check } = stage();
  setPassword('alice', 'secret');
  const steps: readonly [user: string, password: string, answer: string, taken: number][] = [
    ['alice', 'secret', 'right', 1],
    ['alice', 'secret', 'right', 1],
    ['alice', 'guess', 'wrong', 2],
    ['alice', 'guess', 'wrong', 2],
    ['nobody', 'secret', 'wrong', 3],
    ['nobody', 'secret', 'wrong', 3],
    // User and password are separate parts of the cache key.
    ['alicesecret', '', 'wrong', 4],
  ];
  for (const [user, password, answer, taken] of steps) {
    assert.deepEqual([await check(user, password), turns.taken], [answer, taken], `${user} ${password}`);
  }
  setPassword('alice', 'guess');
  assert.deepEqual([await check('alice', 'secret'), await check('alice', 'guess')], ['wrong', 'right']);
  forget('alice');
  assert.equal(await check('alice', 'guess'), 'wrong');
  setPassword('nobody', 'secret');
  assert.equal(await check('nobody', 'secret'), 'right');
});

test('during a rotation both passwords are right, and the end of the old one is not hidden by the cache', async () => {
  const stagePasswords = stage();
  const { setPassword, endOldPassword, check } = stagePasswords;
  const answers = async () => {
    const all = [];
    for (const password of ['first', 'second', 'guess', 'first']) all.push(await check('alice', password));
    return all.join(' ');
  };
  setPassword('alice', 'first');
  assert.equal(await answers(), 'right wrong wrong right');
  stagePasswords.rotatePassword('alice', 'second');
  assert.equal(await answers(), 'old right wrong old');
  endOldPassword('alice');
  assert.equal(await answers(), 'wrong right wrong wrong');
});

test('concurrent clients with the same password share one check', async () => {
  const { turns, setPassword, check } = stage();
  setPassword('alice', 'secret');
  const answers = await Promise.all(Array.from({ length: 50 }, () => check('alice', 'secret')));
  assert.deepEqual([...new Set(answers)], ['right']);
  assert.equal(turns.taken, 1);
});
