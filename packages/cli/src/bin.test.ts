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
    [
      ['agent', '-enableRipcord', '-defaultVirtualClusterID=vci_sr_1'],
      {},
      'weir agent: -enableRipcord=true with -defaultVirtualClusterID=vci_sr_1: not supported with a schema registry cluster',
    ],
    [
      ['agent'],
      { SERVICE_ENABLE_CONTROL_PLANE_PROMETHEUS_ENDPOINT: 'true' },
      'weir agent: SERVICE_ENABLE_CONTROL_PLANE_PROMETHEUS_ENDPOINT: not available in this release',
    ],
    [['agent'], { SERVICE_AGENT_KEY: 'hunter2' }, 'weir agent: -defaultVirtualClusterID is required'],
    [
      ['agent', '-agentKey=hunter2'],
      { SERVICE_AGENT_KEY_PATH: '/run/key' },
      'weir agent: -agentKey=(hidden) with SERVICE_AGENT_KEY_PATH=/run/key: set only one of them',
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
 * A checkout without installed packages: bin/weir, and an installer that provides a node which prints its arguments or
 * another text of the shell.
 */
function freshCheckout(name: string, printed = '$@'): string {
  const root = join(scratch, name);
  for (const folder of ['bin', 'scripts']) mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(executable, join(root, 'bin/weir'));
  copyFileSync(join(executable, '../heap-limit.sh'), join(root, 'bin/heap-limit.sh'));
  chmodSync(join(root, 'bin/weir'), 0o755);
  const installer = [
    "import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';",
    "mkdirSync('node_modules/node-here/bin', { recursive: true });",
    `writeFileSync('node_modules/node-here/bin/node', '#!/bin/sh\\necho "${printed}"\\n');`,
    "chmodSync('node_modules/node-here/bin/node', 0o755);",
    "process.stdout.write('installing\\n');",
  ];
  writeFileSync(join(root, 'scripts/install.mjs'), installer.join('\n'));
  return root;
}

test('without node_modules bin/weir installs once and reports it on standard error', () => {
  const root = freshCheckout('fresh checkout');
  const nodeFolder = join(process.execPath, '..');
  const environment = { PATH: `${nodeFolder}:/usr/bin:/bin`, SERVICE_MEMORY_LIMIT_MIB: '700' };
  const first = weir(['version'], { file: join(root, 'bin/weir'), environment });
  assert.equal(first.status, 0, first.stderr);
  const launched = `${join(root, 'bin/launch.mjs')} version\n`;
  assert.equal(first.stdout, `--initial-old-space-size=64 --max-old-space-size=700 ${launched}`);
  assert.match(
    first.stderr,
    /^weir: node_modules is missing; installing it, which happens once\ninstalling\n$/,
  );
  assert.equal(weir(['version'], { file: join(root, 'bin/weir'), environment }).stderr, '');
});

test('a control plane gives large buffers back to the system, unless the operator wants otherwise', () => {
  const root = freshCheckout('threshold of buffers', '$MALLOC_MMAP_THRESHOLD_');
  const PATH = `${join(process.execPath, '..')}:/usr/bin:/bin`;
  const cases: [argv: string[], environment: Record<string, string>, threshold: string][] = [
    [['control-plane'], {}, '131072'],
    [['control-plane', '-databaseURL=weir.db'], { MALLOC_MMAP_THRESHOLD_: '65536' }, '65536'],
    [['agent'], {}, ''],
    [['cli', 'control-plane'], {}, ''],
    [[], {}, ''],
  ];
  for (const [argv, environment, threshold] of cases) {
    const { stdout } = weir(argv, { file: join(root, 'bin/weir'), environment: { PATH, ...environment } });
    assert.equal(stdout, `${threshold}\n`, argv.join(' '));
  }
});

test('an agent has a small young generation, unless the operator wants otherwise', () => {
  const root = freshCheckout('young generation');
  const file = join(root, 'bin/weir');
  const PATH = `${join(process.execPath, '..')}:/usr/bin:/bin`;
  weir(['version'], { file, environment: { PATH } });
  const cases: [argv: string[], environment: Record<string, string>, limits: string[]][] = [
    [['agent'], {}, ['16']],
    [['local', '-kafkaPort=0'], {}, ['16']],
    [['playground'], {}, ['16']],
    [['demo'], {}, ['16']],
    [['agent'], { NODE_OPTIONS: '--max-semi-space-size=64' }, []],
    [['agent'], { NODE_OPTIONS: '--max_semi_space_size=64' }, []],
    [['control-plane'], {}, []],
    [['cli', 'agent'], {}, []],
    [[], {}, []],
  ];
  for (const [argv, environment, limits] of cases) {
    const { stdout } = weir(argv, { file, environment: { PATH, ...environment } });
    const found = [...stdout.matchAll(/--max-semi-space-size=(\d+)/g)].map(([, mib]) => mib);
    assert.deepEqual(found, limits, `${argv.join(' ')} ${JSON.stringify(environment)}`);
  }
});

test('the heap may have 3 GiB per processor, and three quarters of the memory', () => {
  const cases: [what: string, processors: number, files: Record<string, string>, heapMiB: number][] = [
    ['a machine', 4, { meminfo: `MemFree: 1 kB\nMemTotal: ${32 << 20} kB\n` }, 12_288],
    ['little memory', 4, { meminfo: `MemTotal: ${2 << 20} kB\nMemFree: 1 kB\n` }, 1536],
    ['nothing known of the memory', 2, {}, 6144],
    ['a container', 8, { meminfo: `MemTotal: ${64 << 20} kB`, 'memory.max': '4294967296\n' }, 3072],
    ['a container without a limit', 2, { 'memory.max': 'max\n', 'cpu.max': 'max 100000\n' }, 6144],
    ['a share of the processors', 8, { 'cpu.max': '250000 100000\n' }, 6144],
    ['a part of a processor', 8, { 'cpu.max': '50000 100000\n' }, 3072],
    ['a larger share than there is', 2, { 'cpu.max': '800000 100000\n' }, 6144],
    ['a tiny container', 1, { 'memory.max': '33554432\n' }, 64],
    ['files without a line', 1, { meminfo: '', 'memory.max': '', 'cpu.max': '' }, 3072],
  ];
  for (const [index, [what, processors, files, heapMiB]] of cases.entries()) {
    const folder = join(scratch, `machine ${index}`);
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const script = '. "$0"; heap_limit_mib "$1" "$2" "$2/meminfo"; echo "$heap_mib"';
    const functions = join(executable, '../heap-limit.sh');
    const { stdout, stderr } = spawnSync('sh', ['-euc', script, functions, String(processors), folder], {
      encoding: 'utf8',
    });
    assert.deepEqual([stdout, stderr], [`${heapMiB}\n`, ''], what);
  }
});

test('a limit of the heap that the operator set counts, and an invalid one is one line', () => {
  const root = freshCheckout('own limit');
  const file = join(root, 'bin/weir');
  const PATH = `${join(process.execPath, '..')}:/usr/bin:/bin`;
  weir(['version'], { file, environment: { PATH } });
  const heapOf = (environment: Record<string, string>) =>
    /--max-old-space-size=(\d+)/.exec(
      weir(['version'], { file, environment: { PATH, ...environment } }).stdout,
    )?.[1];
  assert.equal(heapOf({ NODE_OPTIONS: '--max-old-space-size=99' }), undefined);
  assert.equal(heapOf({ SERVICE_MEMORY_LIMIT_MIB: '1234' }), '1234');
  assert.ok(Number(heapOf({})) >= 64);
  assert.ok(Number(heapOf({ SERVICE_MEMORY_LIMIT_MIB: 'much' })) >= 64);
  const { status, stderr } = weir(['agent'], { environment: { SERVICE_MEMORY_LIMIT_MIB: 'much' } });
  assert.equal(status, 2);
  assert.match(stderr, /^weir agent: SERVICE_MEMORY_LIMIT_MIB=much: .*\n$/);
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
