/**
 * The compose file: loaded by the library of Docker Compose, which checks it by its schema and its rules; and its two
 * parts of Weir started as processes with the variables that they have there, over a PostgreSQL.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemEnvironment } from '@weir/core';
import { WeirCommand } from '../../agent/weir-command.ts';
import { lastFirst, temporaryFolder } from '../../brokers/weir-process.ts';
import { buildGoModule } from '../../go/programs.ts';
import { postgresFor } from '../../postgres/server.ts';
import { freePort } from '../../s3/server.ts';

const root = join(import.meta.dirname, '../../../..');
const file = join(root, 'deploy/compose/compose.yaml');
const loader = buildGoModule('load-compose', '.', join(import.meta.dirname, '../compose'));
const skip = loader.missing;

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly {
    readonly host_ip?: string;
    readonly target: number;
    readonly published: string;
  }[];
  readonly read_only?: boolean;
}

function load(path: string, input?: string) {
  const { status, stdout, stderr } = spawnSync(loader.program, [path], { encoding: 'utf8', env: {}, input });
  return { status, stderr, stdout };
}

function services(): Record<'database' | 's3' | 'control-plane' | 'agent', Service> {
  const { status, stdout, stderr } = load(file);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout).services;
}

test('Docker Compose takes the file, and every variable is one of its command', { skip }, () => {
  const all = services();
  const page = readFileSync(join(root, 'docs/reference/flags.md'), 'utf8').split('\n');
  for (const name of ['control-plane', 'agent'] as const) {
    const { command, environment, read_only } = all[name];
    assert.deepEqual(command, [name]);
    assert.equal(read_only, true);
    const variables = Object.keys(environment).filter((variable) => variable.startsWith('SERVICE_'));
    assert.ok(variables.length >= 5);
    for (const variable of variables) {
      const row = page.find((line) => line.includes(`\`${variable}\``));
      assert.ok(row !== undefined, variable);
      assert.match(
        row.split('|').at(-3)!,
        new RegExp(`(?:^|[ ,])${name}(?:,|$| )`),
        `${variable} of ${name}`,
      );
    }
  }
  // Passwords in the file are known to everyone.
  for (const [name, { ports = [] }] of Object.entries(all))
    for (const { host_ip, published } of ports) assert.equal(host_ip, '127.0.0.1', `${name}:${published}`);
});

test('what Docker Compose does not know is found', { skip }, () => {
  const planted = readFileSync(file, 'utf8').replace('stop_grace_period', 'stop_grace');
  const { status, stderr } = load('-', planted);
  assert.notEqual(status, 0);
  assert.match(stderr, /stop_grace/);
});

test('the two parts of Weir become a cluster by the variables of the file', { skip }, async (t) => {
  const lifetime = lastFirst(t);
  const server = await postgresFor(lifetime);
  if ('missing' in server) return t.skip(server.missing);
  const folder = temporaryFolder(lifetime);
  const { 'control-plane': controlPlane, agent } = services();
  const [consolePort, kafkaPort] = [await freePort(), await freePort()];
  // Here are no names of containers, no S3 server and no ports of their own. Everything else is as in the file.
  const own = {
    SERVICE_BUCKET_URL: `file://${folder}/bucket`,
    SERVICE_BIND_ADDRESS: '127.0.0.1',
    HOME: folder,
  };
  const leader = new WeirCommand(lifetime, controlPlane.command, {
    ...controlPlane.environment,
    ...own,
    SERVICE_DATABASE_URL: server.url,
    SERVICE_DATA_DIR: folder,
    SERVICE_CONTROL_PLANE_HOST: '127.0.0.1',
    SERVICE_CONSOLE_PORT: `${consolePort}`,
  });
  await leader.waitForOutput(/control plane +http/);
  // As `service_healthy` does.
  const isHealthy = () =>
    fetch(`http://127.0.0.1:${consolePort}/v1/status`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await isHealthy())) await new Promise<void>((resolve) => systemClock.after(200, resolve));
  const serving = new WeirCommand(lifetime, agent.command, {
    ...agent.environment,
    ...own,
    SERVICE_METADATA_URL: `http://127.0.0.1:${consolePort}`,
    SERVICE_KAFKA_PORT: `${kafkaPort}`,
    SERVICE_HTTP_PORT: '0',
  });
  await serving.waitForOutput(/is ready/);
  const cli = (...args: string[]) =>
    execFileSync(
      join(root, 'bin/weir'),
      ['cli', ...args, '-bootstrap-host', 'localhost', '-bootstrap-port', `${kafkaPort}`],
      {
        encoding: 'utf8',
        input: 'one order\n',
        env: { PATH: systemEnvironment.PATH, HOME: folder },
      },
    );
  cli('create-topic', '-topic', 'orders');
  cli('produce', '-topic', 'orders');
  assert.match(cli('fetch', '-topic', 'orders', '-offset', 'earliest'), /one order/);
});
