import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSecretKeeper } from './secret-keeper.ts';

function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-secrets-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const printed: string[] = [];
  const keeper = createSecretKeeper({
    environment: { SET: 'from the environment', EMPTY: '' },
    randomBytes: (count) => new Uint8Array(count).fill(0xab),
    print: (line) => printed.push(line),
  });
  return { keeper, printed, path: join(folder, 'secret'), inFolder: (name: string) => join(folder, name) };
}

const madeUp = `ccp_${'ab'.repeat(32)}`;

test('a generated password is stored in its private file, and is read from there the next time', async (t) => {
  const { keeper, printed, path } = open(t);
  const place = { kind: 'file', path } as const;
  assert.equal(await keeper.passwordFor('credential a', place), madeUp);
  assert.equal(readFileSync(path, 'utf8'), `${madeUp}\n`);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  writeFileSync(path, 'chosen\n');
  assert.equal(await keeper.passwordFor('credential a', place), 'chosen');
  assert.deepEqual(printed, []);
});

test('a password without a file is printed once, and one from the environment is not printed', async (t) => {
  const { keeper, printed } = open(t);
  assert.equal(await keeper.passwordFor('credential a', { kind: 'printed' }), madeUp);
  assert.equal(
    await keeper.passwordFor('credential b', { kind: 'variable', name: 'SET' }),
    'from the environment',
  );
  assert.deepEqual(printed, [`password of credential a, shown only once: ${madeUp}`]);
});

test('missing secrets are reported before anything is done', async (t) => {
  const { keeper, path } = open(t);
  for (const name of ['EMPTY', 'UNSET']) {
    const problem = await keeper.problemOf({ kind: 'variable', name });
    assert.equal(problem, `the environment variable ${name} is not set`);
  }
  assert.equal(await keeper.problemOf({ kind: 'file', path }), undefined);
  writeFileSync(path, 'secret');
  chmodSync(path, 0o644);
  assert.equal(
    await keeper.problemOf({ kind: 'file', path }),
    `${path} has mode 0644 and is readable by other users; run chmod 0600`,
  );
});

test('a secret that is created later has its file first, and leaves no file if it is not created', async (t) => {
  const { keeper, path, inFolder } = open(t);
  const room = await keeper.roomFor('agent key a', { kind: 'file', path });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  await room.keep('aks_1');
  assert.equal(readFileSync(path, 'utf8'), 'aks_1\n');
  await assert.rejects(keeper.roomFor('agent key a', { kind: 'file', path }), /already contains a secret/);
  const other = inFolder('other');
  await (await keeper.roomFor('agent key b', { kind: 'file', path: other })).giveUp();
  assert.equal(existsSync(other), false);
  const nowhere = inFolder('nowhere/at/all');
  await assert.rejects(keeper.roomFor('agent key c', { kind: 'file', path: nowhere }), /ENOENT/);
});
