import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Failure } from '@weir/core';
import { openDataDirectory } from './data-directory.ts';
import { clusterIdentityIn, identityIn } from './identity.ts';

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'weir-data-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const fails = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.match(error.message, pattern);
  assert.doesNotMatch(error.message, /\n/);
  return true;
};

test('a second process in a directory reports the pid of the first', (t) => {
  const path = join(directory(t), 'new', 'data');
  const release = openDataDirectory(path, 'alone');
  for (const use of ['alone', 'shared'] as const)
    assert.throws(
      () => openDataDirectory(path, use),
      fails(new RegExp(`-dataDir ${path}: in use by process ${process.pid}`)),
    );
  release();
  openDataDirectory(path, 'alone')();
});

test('control planes share a directory, and exclude a playground', (t) => {
  const path = directory(t);
  const first = openDataDirectory(path, 'shared');
  const second = openDataDirectory(path, 'shared');
  first();
  assert.throws(() => openDataDirectory(path, 'alone'), fails(/in use by .*; stop it, or use another/));
  second();
  openDataDirectory(path, 'alone')();
});

test('an unusable directory is reported in one line', (t) => {
  const path = directory(t);
  const file = join(path, 'file');
  writeFileSync(file, '');
  assert.throws(() => openDataDirectory(file, 'alone'), fails(/not a directory/));
  assert.throws(() => openDataDirectory(join(file, 'below'), 'alone'), fails(/not a directory/));
  // Nothing can be created there, whatever the user's permissions, and Node's recursive mkdir never returns.
  assert.throws(() => openDataDirectory('/proc/none/data', 'alone'), fails(/-dataDir \/proc\/none\/data: /));
  assert.throws(() => openDataDirectory('/proc/self', 'alone'), fails(/-dataDir \/proc\/self: /));
});

test('an unreadable identity is reported in one line, and is not changed', (t) => {
  const path = directory(t);
  const file = join(path, 'identity.json');
  for (const text of ['{broken', 'null', '[]', '""', '{"clusterId":"vci_1","agentId":7}', '']) {
    writeFileSync(file, text);
    assert.throws(
      () => identityIn(path),
      fails(/identity\.json: not a valid identity file; .* remove it to create a new one/),
    );
    assert.equal(readFileSync(file, 'utf8'), text);
  }
});

test('an identity is stable, and that of an earlier release gets the missing keys', (t) => {
  const path = directory(t);
  const made = identityIn(path);
  assert.deepEqual(identityIn(path), made);
  const { clusterId, agentId, agentKey } = made;
  writeFileSync(join(path, 'identity.json'), JSON.stringify({ clusterId, agentId, agentKey }));
  const completed = identityIn(path);
  assert.match(completed.accountKey, /^aks_/);
  assert.match(completed.applicationKey, /^aks_/);
  assert.equal(completed.isAccountKeyNew, true);
  assert.deepEqual({ ...identityIn(path), isAccountKeyNew: true }, completed);
  assert.equal(completed.agentKey, agentKey);
});

test('an identity has only keys that the API accepts: a control plane makes no application key', (t) => {
  const path = directory(t);
  const stored = () => Object.keys(JSON.parse(readFileSync(join(path, 'identity.json'), 'utf8'))).sort();
  const made = clusterIdentityIn(path);
  assert.deepEqual(stored(), ['accountKey', 'agentId', 'agentKey', 'clusterId']);
  assert.deepEqual(clusterIdentityIn(path), made);
  // A playground in the same directory adds its own.
  assert.deepEqual(
    { ...identityIn(path), applicationKey: undefined },
    { ...made, applicationKey: undefined },
  );
  assert.deepEqual(stored(), ['accountKey', 'agentId', 'agentKey', 'applicationKey', 'clusterId']);
});

test('no file of a data directory can be opened by other users, whatever the umask is', (t) => {
  const before = process.umask(0);
  t.after(() => process.umask(before));
  const path = join(directory(t), 'new');
  const modes = () =>
    Object.fromEntries(
      readdirSync(path).map((name) => [name, (statSync(join(path, name)).mode & 0o777).toString(8)]),
    );
  const release = openDataDirectory(path, 'alone');
  identityIn(path);
  assert.deepEqual(new Set(Object.values(modes())), new Set(['600']));
  assert.deepEqual(Object.keys(modes()).slice(0, 2), ['identity.json', 'process.lock']);
  assert.equal((statSync(path).mode & 0o777).toString(8), '700');
  release();
  // One that an earlier release left.
  chmodSync(join(path, 'process.lock'), 0o644);
  openDataDirectory(path, 'shared')();
  assert.deepEqual(modes(), { 'identity.json': '600', 'process.lock': '600' });
});
