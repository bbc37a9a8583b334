import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { root } from './repository.ts';

const scratch = mkdtempSync(join(tmpdir(), 'weir-installation-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const ofCommand = /^ci --omit=dev .*--workspace=packages\/cli --include-workspace-root --ignore-scripts\b/;
const addition = /^install --no-save --omit=dev (?!.*--workspace)/;

/** A clone whose npm brings a Node, and writes down how it was called. `fails` is a pattern of the calls that fail. */
function clone(name: string, fails = '-') {
  const folder = join(scratch, name);
  for (const path of ['scripts/installation.mjs', 'scripts/install.mjs', 'package.json', 'package-lock.json'])
    cpSync(join(root, path), join(folder, path));
  writeFileSync(join(folder, 'scripts/bundle.mjs'), 'export const bundleIfStale = async () => {};\n');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const npm = [
    '#!/bin/sh',
    'echo "$*" >>calls',
    `case "$*" in ${fails}) exit 1 ;; esac`,
    `runtime=node_modules/node-${process.platform}-${process.arch}/bin`,
    'mkdir -p $runtime && echo >$runtime/node',
  ];
  writeFileSync(join(bin, 'npm'), npm.join('\n'));
  chmodSync(join(bin, 'npm'), 0o755);
  return {
    folder,
    marker: join(folder, 'node_modules/.weir-adding'),
    /** How npm was called, and how the script ended. */
    install(...args: string[]): { calls: string[]; status: number | null; stderr: string } {
      const calls = join(folder, 'calls');
      rmSync(calls, { force: true });
      const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/install.mjs'), ...args], {
        env: { PATH: `${bin}${delimiter}${systemEnvironment.PATH}` },
        encoding: 'utf8',
        timeout: 60_000,
      });
      const called = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
      return { calls: called, status, stderr };
    },
  };
}

test('a start installs what the command needs, and the rest is added to it', () => {
  const { install, folder } = clone('a fresh clone');
  const first = install('--command');
  assert.equal(first.calls.length, 1, first.stderr);
  assert.match(first.calls[0]!, ofCommand);
  assert.deepEqual(install('--command').calls, []);
  const [rest, ...none] = install().calls;
  assert.match(rest!, addition);
  assert.deepEqual(none, []);
  assert.deepEqual([install().calls, install('--command').calls], [[], []]);
  writeFileSync(
    join(folder, 'package-lock.json'),
    `${readFileSync(join(folder, 'package-lock.json'), 'utf8')}\n`,
  );
  assert.match(install('--command').calls[0]!, ofCommand);
});

test('what was interrupted is installed anew, and what failed is tried again', () => {
  const { install, marker } = clone('an interrupted installation');
  install('--command');
  // A process that has ended.
  writeFileSync(marker, `${spawnSync('true').pid}`);
  assert.match(install('--command').calls[0]!, ofCommand);
  const failing = clone('a registry that is down', '*no-save*');
  failing.install('--command');
  const { calls, status, stderr } = failing.install();
  assert.equal(calls.length, 2, 'with what is cached, and then without');
  assert.deepEqual(
    calls.map((call) => call.includes('--prefer-offline')),
    [true, false],
  );
  assert.equal(status, 1);
  assert.match(stderr, /\nThe installation failed: npm install ended with 1\. Run 'npm ci' in /);
  assert.ok(!existsSync(failing.marker));
  assert.deepEqual(failing.install('--command').calls, [], 'the command is still there');
});

test('a cached list that lacks a version is no failure', () => {
  const { install } = clone('an old cache', '*--prefer-offline*');
  const { calls, status } = install('--command');
  assert.deepEqual([calls.length, status], [2, 0]);
});
