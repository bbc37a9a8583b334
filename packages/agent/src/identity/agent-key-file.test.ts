import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { jsonLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { AgentKeyFile } from './agent-key-file.ts';

function world(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-key-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'key');
  const clock = new HandClock();
  const lines: string[] = [];
  const log = jsonLog({ level: 'debug', nowMs: () => 0, write: (line) => lines.push(line) });
  return { folder, path, clock, lines, file: new AgentKeyFile({ path, clock, log }) };
}

/** As Kubernetes does: a new folder, and a symbolic link that is moved over the old one. */
function mountVersion(folder: string, version: string, key: string): void {
  mkdirSync(join(folder, version));
  writeFileSync(join(folder, version, 'key'), key);
  symlinkSync(version, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
}

const replacements: [how: string, first: (folder: string) => void, then: (folder: string) => void][] = [
  [
    'overwritten',
    (folder) => writeFileSync(join(folder, 'key'), 'aks_old\n'),
    (folder) => writeFileSync(join(folder, 'key'), 'aks_new\n'),
  ],
  [
    'renamed over the old file',
    (folder) => writeFileSync(join(folder, 'key'), ' aks_old'),
    (folder) => {
      writeFileSync(join(folder, 'next'), 'aks_new\r\n');
      renameSync(join(folder, 'next'), join(folder, 'key'));
    },
  ],
  [
    'through a symbolic link to a new version',
    (folder) => {
      mountVersion(folder, '..1', 'aks_old');
      symlinkSync(join('..data', 'key'), join(folder, 'key'));
    },
    (folder) => mountVersion(folder, '..2', 'aks_new'),
  ],
];

for (const [how, first, then] of replacements) {
  test(`a key is replaced: ${how}`, (t) => {
    const { folder, file, clock, lines } = world(t);
    first(folder);
    assert.equal(file.current(), 'aks_old');
    then(folder);
    clock.advance(1_000);
    assert.equal(file.current(), 'aks_new');
    assert.match(lines.join(), /loaded new agent key/);
    assert.doesNotMatch(lines.join(), /aks_/);
  });
}

test('the file is not read for every use', (t) => {
  const { path, file, clock } = world(t);
  writeFileSync(path, 'aks_old');
  file.current();
  writeFileSync(path, 'aks_new');
  assert.equal(file.current(), 'aks_old');
  clock.advance(999);
  assert.equal(file.current(), 'aks_old');
});

test('while the file is missing or incomplete, the previous key is used', (t) => {
  const { path, file, clock } = world(t);
  writeFileSync(path, 'aks_old');
  assert.equal(file.current(), 'aks_old');
  for (const spoil of [() => writeFileSync(path, ''), () => unlinkSync(path)]) {
    spoil();
    clock.advance(1_000);
    assert.equal(file.current(), 'aks_old');
  }
  writeFileSync(path, 'aks_new');
  clock.advance(1_000);
  assert.equal(file.current(), 'aks_new');
});

const unusable: [what: string, text: string][] = [
  ['nothing', ''],
  ['only blanks', ' \n'],
  ['two keys', 'aks_secret1\naks_secret2'],
  ['a sentence', 'the key is aks_secret'],
  ['something binary', 'aks_secret\u0000'],
];

for (const [what, text] of unusable) {
  test(`a file with ${what} is not a key, and its content is not in the error`, (t) => {
    const { path, file } = world(t);
    writeFileSync(path, text);
    assert.throws(
      () => file.current(),
      (error: Error) => {
        assert.equal(error.message, `${path} does not hold one agent key and nothing else`);
        return true;
      },
    );
  });
}

test('a missing file', (t) => {
  assert.throws(() => world(t).file.current(), /ENOENT/);
});
