import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { accountsDeps } from '../../../testing/accounts-deps.ts';
import { Accounts } from '../accounts.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Database } from '../database/schema.ts';
import { KeyVerifier } from './key-verifier.ts';
import { type ApiKey, Keys } from './keys.ts';

/** Keys whose lookups a test can delay. */
class HeldKeys extends Keys {
  lookups = 0;
  /** Waits after the database has answered. */
  hold: Promise<void> | undefined;
  onLookup: () => void = () => {};

  override async findByHash(hash: string): Promise<ApiKey | undefined> {
    this.lookups++;
    const key = await super.findByHash(hash);
    this.onLookup();
    await this.hold;
    return key;
  }
}

async function scene(t: TestContext) {
  const deps = accountsDeps();
  const { database } = await openDatabase(`memory://${randomUUID()}`, deps);
  const { account, workspaceId } = await new Accounts(database, deps).create('Example');
  const keys = new HeldKeys(database, deps);
  const verifier = new KeyVerifier(database, keys, deps);
  t.after(() => verifier.close());
  const grants = [{ principalKind: 'app', resourceKind: '*', resourceId: '*', workspaceId } as const];
  const make = (name: string) => keys.create(account.id, { name, grants, createdBy: '' });
  return { verifier, keys, make, deps, database, accountId: account.id };
}

test('key verifier: a busy key costs one query', async (t) => {
  const { verifier, keys, make, deps } = await scene(t);
  const { secret } = await make('busy');
  await Promise.all(Array.from({ length: 50 }, () => verifier.verify(secret)));
  for (let n = 0; n < 50; n++) {
    deps.clock.advance(100);
    assert.notEqual(await verifier.verify(secret), undefined);
  }
  assert.equal(keys.lookups, 1);
});

test('key verifier: creating a key evicts nothing, revoking one evicts all', async (t) => {
  const { verifier, keys, make, deps, accountId } = await scene(t);
  const [one, two] = [await make('one'), await make('two')];
  await verifier.verify(one.secret);
  await make('three');
  deps.clock.advance(2_000);
  await verifier.verify(one.secret);
  assert.equal(keys.lookups, 1);
  await keys.revoke(accountId, two.key.id);
  deps.clock.advance(2_000);
  await verifier.verify(one.secret);
  assert.equal(keys.lookups, 2);
});

test('key verifier: a read that began before a revocation and ends after it is not cached', async (t) => {
  const { verifier, keys, make, deps, accountId } = await scene(t);
  const [slow, other] = [await make('slow'), await make('other')];
  await verifier.verify(other.secret);

  const held = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  keys.hold = held.promise;
  keys.onLookup = read.resolve;
  const verifying = verifier.verify(slow.secret);
  await read.promise;
  await keys.revoke(accountId, slow.key.id);
  deps.clock.advance(1_001);
  // Another call notices the revocation meanwhile.
  const noticing = verifier.verify(other.secret);
  keys.hold = undefined;
  await noticing;
  held.resolve();
  // The lookup began before the revocation, so either result is right; afterwards only one is.
  await verifying;
  assert.equal(await verifier.verify(slow.secret), undefined);
});

test('key verifier: cached keys expire after a second while the database does not answer', async (t) => {
  const { make, deps, database } = await scene(t);
  const { secret } = await make('key');
  let isDown = false;
  const failing = new Proxy(database, {
    get(target, name: keyof Database) {
      if (isDown && name === 'selectFrom') throw new Error('down');
      const value = target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const verifier = new KeyVerifier(failing, new Keys(failing, deps), deps);
  assert.notEqual(await verifier.verify(secret), undefined);
  isDown = true;
  deps.clock.advance(1_000);
  assert.notEqual(await verifier.verify(secret), undefined);
  deps.clock.advance(1);
  await assert.rejects(verifier.verify(secret), /down/);
  isDown = false;
  assert.notEqual(await verifier.verify(secret), undefined);
  await verifier.close();
});
