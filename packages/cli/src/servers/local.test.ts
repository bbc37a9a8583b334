import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '@weir/core/testing';
import { runArguments } from '../../testing/command-run.ts';

const executable = join(import.meta.dirname, '../../../../bin/weir');
const freePorts = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];

interface Started {
  readonly child: ChildProcess;
  readonly kafkaPort: string;
  readonly httpUrl: string;
  readonly controlPlaneUrl: string;
  stdout(): string;
  stderr(): string;
}

/** Starts a server and reads its addresses from what it prints. */
async function start(t: TestContext, argv: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = spawn(executable, argv, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin', ...env },
  });
  t.after(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stderr!.on('data', (chunk) => {
    stderr += String(chunk);
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (chunk) => {
      stdout += String(chunk);
      if (stdout.includes('Ctrl-C stops it.')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${stdout}${stderr}`)));
  });
  const found = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? assert.fail(`${pattern} in ${stdout}`);
  return {
    child,
    kafkaPort: found(/Kafka +localhost:(\d+)/),
    httpUrl: found(/HTTP +(\S+)/),
    controlPlaneUrl: found(/control plane +(\S+)/),
    stdout: () => stdout,
    stderr: () => stderr,
  };
}

async function stop({ child }: Started, signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exit) as [number | null];
  return code;
}

/** Runs a tool in this process, which takes a tenth of the time that a process of its own would. */
async function cli(port: string, ...argv: string[]): Promise<string> {
  const { status, out, err } = await runArguments(['cli', ...argv, '-bootstrap-port', port]);
  assert.equal(status, 0, err);
  return out;
}

test('local serves clients, answers probes and stops on Ctrl-C', async (t) => {
  const local = await start(t, ['local', ...freePorts]);
  assert.equal(await (await fetch(`${local.httpUrl}/v1/status`)).text(), 'OK');
  assert.equal(await (await fetch(`${local.controlPlaneUrl}/v1/status`)).text(), 'OK');
  await cli(local.kafkaPort, 'create-topic', '-topic', 'orders', '-partitions', '2');
  await cli(local.kafkaPort, 'produce', '-topic', 'orders', '-records', 'one,,two', '-partition', '1');
  const lines = (
    await cli(local.kafkaPort, 'fetch', '-topic', 'orders', '-offset', 'earliest', '-output', 'json')
  )
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { partition: number; offset: number; value: string });
  assert.deepEqual(
    lines.map(({ partition, offset, value }) => [partition, offset, value]),
    [
      [1, 0, 'one'],
      [1, 1, 'two'],
    ],
  );
  const metrics = await (await fetch(`${local.httpUrl}/metrics`)).text();
  assert.match(metrics, /^service_agent_kafka_produce_records_counter\{agent_version="v830"\} 2$/m);
  assert.equal(await stop(local), 0);
  assert.match(local.stdout(), /weir local has stopped\n$/);
  assert.equal(local.stderr(), '');
});

test('local pushes the metrics of its agent and of its cluster', async (t) => {
  const pushed: Buffer[] = [];
  const sink = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => pushed.push(chunk)).on('end', () => response.end());
  });
  t.after(() => sink.close());
  await once(sink.listen(0, '127.0.0.1'), 'listening');
  const { port } = sink.address() as AddressInfo;
  const local = await start(t, [
    'local',
    ...freePorts,
    '-otlpMetricsURL',
    `http://127.0.0.1:${port}/v1/metrics`,
    '-metricsPushInterval',
    '1s',
  ]);
  const names = ['service.agent_kafka_produce_records_counter', 'service.agent_heartbeat'];
  const missing = () => names.filter((name) => !Buffer.concat(pushed).includes(name));
  await until(() => missing().length === 0);
  assert.equal(await stop(local), 0);
});

test('a playground retains its records, and in CI it runs as local', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-playground-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const argv = ['playground', '-dataDir', dataDir, ...freePorts];

  const first = await start(t, argv);
  await cli(first.kafkaPort, 'create-topic', '-topic', 'kept');
  await cli(first.kafkaPort, 'produce', '-topic', 'kept', '-records', 'still here');
  assert.equal(await stop(first, 'SIGTERM'), 0);

  const second = await start(t, argv);
  const fetched = await cli(
    second.kafkaPort,
    'fetch',
    '-topic',
    'kept',
    '-offset',
    'earliest',
    '-output',
    'json',
  );
  assert.equal((JSON.parse(fetched) as { value: string }).value, 'still here');
  assert.equal(await stop(second), 0);

  const inCi = await start(t, argv, { CI: 'true' });
  assert.match(inCi.stderr(), /^weir playground: warning: started in CI; runs like weir local/);
  assert.match(inCi.stdout(), /^weir v830 local is ready/);
  assert.equal(await stop(inCi), 0);
});

test('a demo in CI runs as local, without its topics, and ends after its duration', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-demo-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const argv = ['demo', '-dataDir', dataDir, '-duration', '1h', ...freePorts];
  const inCi = await start(t, argv, { CI: 'true' });
  assert.match(inCi.stderr(), /^weir demo: warning: started in CI; runs like weir local/);
  assert.match(inCi.stdout(), /^weir v830 local is ready/);
  assert.deepEqual(JSON.parse(await cli(inCi.kafkaPort, 'list-topics', '-output', 'json')), []);
  assert.deepEqual(readdirSync(dataDir), []);
  assert.equal(await stop(inCi), 0);
  const short = await start(t, ['demo', '-duration', '1s', ...freePorts], { CI: 'true' });
  const code = short.child.exitCode ?? (await once(short.child, 'exit'))[0];
  assert.equal(code, 0);
});

test('a program can read the addresses', async () => {
  const stop = new AbortController();
  const argv = ['local', ...freePorts, '-output', 'json', '-logLevel', 'error'];
  const { out, status } = await runArguments(argv, { stop: stop.signal, onOut: () => stop.abort() });
  assert.equal(status, 0);
  const addresses = JSON.parse(out) as Record<string, unknown>;
  const url = /^http:\/\/localhost:[1-9]\d*$/;
  assert.match(String(addresses.kafka), /^localhost:[1-9]\d*$/);
  for (const name of ['http', 'schema_registry', 'control_plane']) assert.match(String(addresses[name]), url);
  assert.match(String(addresses.api_key), /^aks_/);
});

test('a port that is in use is a clear error', async (t) => {
  const local = await start(t, ['local', ...freePorts]);
  const argv = [
    'local',
    '-kafkaPort',
    local.kafkaPort,
    '-httpPort',
    '0',
    '-consolePort',
    '0',
    '-schemaRegistryPort',
    '0',
  ];
  const { status, stderr } = spawnSync(executable, argv, { encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 1);
  assert.match(
    stderr,
    new RegExp(`^weir local: port ${local.kafkaPort} is in use; set another with -kafkaPort\\n$`),
  );
  await stop(local);
});

test('a playground that lost its database is restored from its bucket', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-restore-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // A bucket in SQLite has an object for everything that one in files has.
  const bucket = ['-bucketURL', `sqlite://${folder}/bucket.db?prefix=small`];
  const first = await start(t, ['playground', ...freePorts, ...bucket, '-dataDir', join(folder, 'lost')]);
  await cli(first.kafkaPort, 'create-topic', '-topic', 'orders');
  await cli(first.kafkaPort, 'produce', '-topic', 'orders', '-records', 'one,,two');
  await stop(first);

  const rehearsed = await runArguments(['control-plane', 'restore', ...bucket, '-dry-run']);
  assert.equal(rehearsed.status, 0, rehearsed.err);
  assert.match(
    rehearsed.out,
    /^vci_\S+ can be restored as generation 1; nothing was changed\n {2}topics +1\n/m,
  );

  const dataDir = join(folder, 'new');
  const again = ['control-plane', 'restore', ...bucket, '-dataDir', dataDir, '-metadataBackupInterval', '1s'];
  const { out, err } = await runArguments(again, { isErrTerminal: true });
  assert.match(err, / of 256 folders /);
  assert.ok(err.endsWith('\r\u001b[K'), 'the bar is removed at the end');
  assert.match(out, /^restored vci_\S+ as generation 1\n {2}topics +1\n {2}recovery point +20/m);
  assert.match(out, /^ {2}beyond it +(?:no|\d+) files?\b/m);
  const refused = await runArguments(again);
  assert.equal(refused.status, 1);
  assert.match(refused.err, /-dataDir .* already has an identity; use a new directory/);
  const second = await start(t, ['playground', ...freePorts, ...bucket, '-dataDir', dataDir]);
  const fetched = await cli(second.kafkaPort, 'fetch', '-topic', 'orders', '-output', 'json');
  assert.deepEqual(
    fetched
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).value),
    ['one', 'two'],
  );
  assert.equal(await stop(second), 0);
});
