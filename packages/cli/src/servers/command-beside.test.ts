import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { runArguments } from '../../testing/command-run.ts';

const executable = join(import.meta.dirname, '../../../../bin/weir');
const freePorts = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];

function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'weir-command-beside-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

function besideLocal(...command: readonly string[]) {
  return runArguments(['local', ...freePorts, '-logLevel', 'error', '--', ...command]);
}

test('a command runs beside a cluster that it can reach, and its status is that of weir', async (t) => {
  const path = join(temporaryDirectory(t), 'variables.json');
  const program = `
    require('node:fs').writeFileSync(${JSON.stringify(path)}, JSON.stringify(process.env));
    const [host, port] = process.env.KAFKA_BOOTSTRAP_SERVERS.split(':');
    require('node:net').connect(Number(port), host, () => process.exit(7));
  `;
  const { status, out } = await besideLocal(process.execPath, '-e', program);
  assert.equal(status, 7);
  assert.equal(out, '', 'standard output belongs to the command');
  const variables = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  assert.match(variables.KAFKA_BOOTSTRAP_SERVERS!, /^localhost:[1-9]\d*$/);
  assert.equal(variables.SERVICE_BOOTSTRAP_HOST, variables.KAFKA_BOOTSTRAP_SERVERS);
  assert.match(variables.SCHEMA_REGISTRY_URL!, /^http:\/\/localhost:[1-9]\d*$/);
  assert.match(variables.SERVICE_API_URL!, /^http:\/\/localhost:[1-9]\d*$/);
  assert.match(variables.SERVICE_API_KEY!, /^aks_/);
});

test('a signal that ends the command counts as in a shell', async () => {
  const { status } = await besideLocal(process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")');
  assert.equal(status, 128 + 9);
});

test('a command that is not found is one line', async () => {
  const { status, err } = await besideLocal('weir-no-such-command');
  assert.deepEqual([status, err], [1, 'weir local: failed to run weir-no-such-command: command not found\n']);
});

test('dashes without a command, and before a command of another server, are refused', async () => {
  for (const argv of [
    ['local', '--'],
    ['playground', '--', 'true'],
  ]) {
    const { status, err } = await runArguments(argv);
    assert.deepEqual([status, err], [2, `weir ${argv[0]}: unexpected argument: --\n`]);
  }
});

test('stopping weir stops the command', async (t) => {
  const program = `
    process.on('SIGTERM', () => process.exit(3));
    process.stdout.write('started');
    process.stdin.resume();
  `;
  const argv = ['local', ...freePorts, '-logLevel', 'error', '--', process.execPath, '-e', program];
  const child = spawn(executable, argv, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: systemEnvironment.PATH },
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  // A server that cannot start prints nothing.
  const first = await Promise.race([once(child.stdout, 'data'), ended]);
  assert.equal(String(first[0]), 'started');
  child.kill('SIGTERM');
  const [code] = await ended;
  assert.equal(code, 3);
});
