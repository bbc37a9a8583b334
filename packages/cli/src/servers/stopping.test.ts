import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { systemClock } from '@weir/core';

const executable = join(import.meta.dirname, '../../../../bin/weir');
/** Only Linux lets a test see which processes another has started. */
const skip = process.platform === 'linux' ? false : 'needs /proc';

/** Makes the command report when it starts to handle signals, and when it starts to load its modules. */
const reportingHooks = `
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
if (process.argv[1].endsWith('bin/launch.mjs')) {
  const on = process.on;
  process.on = (event, ...rest) => {
    const result = on.call(process, event, ...rest);
    if (event === 'SIGTERM') writeSync(1, '[hears]');
    return result;
  };
  registerHooks({
    load(url, context, next) {
      if (/\\/run(-[A-Z0-9]+[.]mjs|[.]ts)$/.test(url)) writeSync(1, '[loads]');
      return next(url, context);
    },
  });
}`;

const ports = ['-kafkaPort', '0', '-httpPort', '0'];
// The discard port: a connection to it is refused.
const nowhere = 'http://127.0.0.1:9';
const loopback = ['-bindAddress', '127.0.0.1'];
const member = ['-metadataURL', nowhere, '-agentKey', 'aks_test', '-defaultVirtualClusterID', 'vci_test'];
const asAgent = (folder: string) => [
  'agent',
  ...ports,
  ...member,
  ...loopback,
  '-availabilityZone',
  'a',
  '-bucketURL',
  pathToFileURL(folder).href,
];

/** Every server command, with arguments that let it start as far as it can without other processes. */
const servers: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  local: () => ['local', ...ports, '-consolePort', '0', '-schemaRegistryPort', '0'],
  playground: (folder) => [
    'playground',
    ...ports,
    '-consolePort',
    '0',
    '-schemaRegistryPort',
    '0',
    '-dataDir',
    folder,
  ],
  demo: () => ['demo', ...ports, '-consolePort', '0', '-schemaRegistryPort', '0'],
  agent: asAgent,
  'agent with processes': (folder) => [...asAgent(folder), '-processes', '2'],
  'control-plane': (folder) => ['control-plane', ...loopback, '-consolePort', '0', '-dataDir', folder],
  'control-plane without its database': (folder) => [
    'control-plane',
    ...loopback,
    '-consolePort',
    '0',
    '-dataDir',
    folder,
    '-databaseURL',
    'postgres://user@127.0.0.1:9/weir',
  ],
  metrics: () => ['metrics', ...loopback, '-httpPort', '0', ...member],
};

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  output(): string;
  readonly ended: Promise<[code: number | null, signal: string | null]>;
}

function start(t: TestContext, argv: readonly string[]): Started {
  const child = spawn(executable, argv, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      HOME: tmpdir(),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(reportingHooks)}`,
    },
  });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  return { child, pid: child.pid!, output: () => output, ended };
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-stopping-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => systemClock.after(5, resolve));
}

/** Waits for something that only a running process does. */
async function untilSeen({ child, output }: Started, isSo: () => boolean): Promise<void> {
  await until(() => isSo() || child.exitCode !== null || child.signalCode !== null);
  assert.ok(isSo(), `it ended with ${child.exitCode ?? child.signalCode}: ${output()}`);
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

for (const [name, argv] of Object.entries(servers)) {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${name} exits cleanly when ${signal} arrives during the start`, async (t) => {
      const started = start(t, argv(temporaryFolder(t)));
      const { child, ended, output } = started;
      // The signal is sent early or late, so that it arrives before or after the rest was loaded.
      await untilSeen(started, () => output().includes(signal === 'SIGTERM' ? '[hears]' : '[loads]'));
      child.kill(signal);
      assert.deepEqual(await ended, [0, null], output());
      assert.ok(output().startsWith('[hears]'), output());
    });
  }
}

for (const name of ['agent', 'agent with processes', 'metrics', 'control-plane without its database']) {
  test(`${name} exits cleanly while it waits`, async (t) => {
    const started = start(t, servers[name]!(temporaryFolder(t)));
    const { child, ended, output } = started;
    // It reports that the control plane is unreachable, and continues to retry.
    await untilSeen(started, () => /"level":"warn"/.test(output()));
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null], output());
  });
}

test('a playground continues and exits cleanly after a second one was refused its data directory', {
  skip,
}, async (t) => {
  const folder = temporaryFolder(t);
  const first = start(t, servers.playground!(folder));
  await untilSeen(first, () => first.output().includes('Ctrl-C stops it.'));
  const second = start(t, servers.playground!(folder));
  assert.deepEqual(await second.ended, [1, null], second.output());
  first.child.kill('SIGTERM');
  assert.deepEqual(await first.ended, [0, null], first.output());
});

for (const flag of ['-kafkaPort', '-httpPort', '-consolePort', '-schemaRegistryPort']) {
  test(`a playground whose ${flag} is taken says so and exits`, async (t) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    t.after(() => taken.close());
    const { port } = taken.address() as AddressInfo;
    const argv = [...servers.playground!(temporaryFolder(t))];
    argv[argv.indexOf(flag) + 1] = String(port);
    const { ended, output } = start(t, argv);
    assert.deepEqual(await ended, [1, null], output());
    assert.ok(
      output().includes(`weir playground: port ${port} is in use; set another with ${flag}\n`),
      output(),
    );
  });
}

test('a second signal ends the process at once, and the child processes of a supervisor with it', {
  skip,
}, async (t) => {
  const started = start(t, servers['agent with processes']!(temporaryFolder(t)));
  const { child, pid, ended, output } = started;
  await untilSeen(started, () => /"level":"warn"/.test(output()));
  const children = childrenOf(pid);
  assert.equal(children.length, 2);
  // Stopped processes cannot end by themselves.
  for (const one of children) process.kill(one, 'SIGSTOP');
  t.after(() => {
    for (const one of children) if (isAlive(one)) process.kill(one, 'SIGKILL');
  });
  child.kill('SIGTERM');
  // The first signal must be handled before the second is sent; only time can show that.
  await new Promise<void>((resolve) => systemClock.after(500, resolve));
  assert.equal(child.exitCode, null);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [143, null]);
  await until(() => children.every((one) => !isAlive(one)));
});
