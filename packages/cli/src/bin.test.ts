/** Runs bin/weir as a user would. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandHelp, overview } from './reference/help.ts';

const executable = join(import.meta.dirname, '../../../bin/weir');
const scratch = mkdtempSync(join(tmpdir(), 'weir-bin-'));
after(() => rmSync(scratch, { recursive: true }));

interface Deps {
  readonly file?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

function weir(argv: readonly string[], { file = executable, environment = {} }: Deps = {}) {
  const { status, stdout, stderr } = spawnSync(file, argv, {
    cwd: scratch,
    encoding: 'utf8',
    env: environment,
  });
  return { status, stdout, stderr };
}

test('bin/weir starts from any directory and prints nothing of its own', () => {
  assert.deepEqual(weir(['version']), { status: 0, stdout: 'weir v830\n', stderr: '' });
  assert.deepEqual(weir([]), { status: 0, stdout: overview(), stderr: '' });
  assert.deepEqual(weir(['agent', '--help']), { status: 0, stdout: commandHelp('agent'), stderr: '' });
});

test('bin/weir works through symbolic links', () => {
  const folder = join(scratch, 'a folder');
  mkdirSync(folder);
  symlinkSync(executable, join(folder, 'direct'));
  symlinkSync('a folder/direct', join(scratch, 'relative'));
  for (const file of [join(folder, 'direct'), './relative']) {
    assert.deepEqual(weir(['version'], { file }), { status: 0, stdout: 'weir v830\n', stderr: '' });
  }
});

test('bin/weir fails with status 2 and one line', () => {
  const cases: readonly [argv: readonly string[], environment: Record<string, string>, line: string][] = [
    [['agent', '-batchTimeot=1s'], {}, 'weir agent: -batchTimeot: unknown flag; did you mean -batchTimeout?'],
    [
      ['agent', '-batchMaxSizeBytes', '200MiB'],
      {},
      'weir agent: -batchMaxSizeBytes=200MiB: at most 128MiB is allowed',
    ],
    [['agent', '-enableRipcord'], {}, 'weir agent: -enableRipcord: not available in this release'],
    [
      ['agent'],
      { SERVICE_MULTIREGION: 'true' },
      'weir agent: SERVICE_MULTIREGION: not available in this release',
    ],
    [['demo'], {}, 'weir demo: not available in this release'],
    [
      ['agent'],
      { SERVICE_AGENT_KEY: 'hunter2' },
      'weir agent: -defaultVirtualClusterID: an agent needs its cluster',
    ],
    [
      ['agent', '-agentKey=hunter2'],
      { SERVICE_AGENT_KEY_PATH: '/run/key' },
      'weir agent: -agentKey=(hidden) with SERVICE_AGENT_KEY_PATH=/run/key: an agent proves itself in one way only',
    ],
    [
      ['control-plane', '-databaseURL=postgre://weir:hunter2@db/weir'],
      {},
      'weir control-plane: -databaseURL=postgre://weir:(hidden)@db/weir: postgres:// and a host, or the path of a ' +
        'SQLite file is needed',
    ],
  ];
  for (const [argv, environment, line] of cases) {
    assert.deepEqual(weir(argv, { environment }), { status: 2, stdout: '', stderr: `${line}\n` });
  }
});

test('a reader that closes the pipe early is no failure', () => {
  const { stdout, stderr } = spawnSync('sh', ['-c', '"$0" agent --help | head -n 1', executable], {
    encoding: 'utf8',
  });
  assert.match(stdout, /^weir agent: .*\n$/);
  assert.equal(stderr, '');
});

/**
 * A checkout without installed packages: bin/weir, and an installer that provides a node which prints its arguments.
 */
function freshCheckout(name: string): string {
  const root = join(scratch, name);
  for (const folder of ['bin', 'scripts']) mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(executable, join(root, 'bin/weir'));
  chmodSync(join(root, 'bin/weir'), 0o755);
  const installer = [
    "import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';",
    "mkdirSync('node_modules/node/bin', { recursive: true });",
    "writeFileSync('node_modules/node/bin/node', '#!/bin/sh\\necho \"$@\"\\n');",
    "chmodSync('node_modules/node/bin/node', 0o755);",
    "process.stdout.write('installing\\n');",
  ];
  writeFileSync(join(root, 'scripts/install.mjs'), installer.join('\n'));
  return root;
}

test('without node_modules bin/weir installs once and reports it on standard error', () => {
  const root = freshCheckout('fresh checkout');
  const nodeFolder = join(process.execPath, '..');
  const environment = { PATH: `${nodeFolder}:/usr/bin:/bin` };
  const first = weir(['version'], { file: join(root, 'bin/weir'), environment });
  assert.equal(first.status, 0, first.stderr);
  assert.equal(first.stdout, `--initial-old-space-size=128 ${join(root, 'bin/launch.mjs')} version\n`);
  assert.match(
    first.stderr,
    /^weir: node_modules is missing; installing it, which happens once\ninstalling\n$/,
  );
  assert.equal(weir(['version'], { file: join(root, 'bin/weir'), environment }).stderr, '');
});

test('without node_modules and without a node bin/weir reports what is needed', () => {
  const root = freshCheckout('no node');
  // A PATH with the tools of the script and nothing else.
  const tools = join(root, 'tools');
  mkdirSync(tools);
  symlinkSync('/bin/sh', join(tools, 'sh'));
  const { status, stdout, stderr } = weir(['version'], {
    file: join(root, 'bin/weir'),
    environment: { PATH: tools },
  });
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^weir: node_modules is missing and there is no node to install it; [^\n]*\n$/);
});

test('bin/weir is a plain shell script that starts one process', () => {
  const script = readFileSync(executable, 'utf8');
  assert.match(script, /^#!\/bin\/sh\n/);
  assert.match(script, /\nexec "\$node" [^\n]*\n$/);
});
