import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runArguments, runLine } from '../../testing/command-run.ts';
import { advertisedAgentHost, advertisedClientHost } from './advertised-addresses.ts';
import { isEveryInterface, loopback } from './bind-address.ts';

/** The addresses on which this process starts to listen until the test ends. */
function watchListeners(t: TestContext): () => readonly string[] {
  const found: string[] = [];
  const { listen } = Server.prototype;
  t.mock.method(Server.prototype, 'listen', function (this: Server, ...args: never[]) {
    this.once('listening', () => found.push((this.address() as AddressInfo).address));
    return (listen as (...args: never[]) => Server).apply(this, args);
  });
  return () => found;
}

/** Runs a server in this process until the test ends, and returns what it printed. */
async function serve(t: TestContext, argv: readonly string[], isReady: RegExp): Promise<string> {
  const stop = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let printed = '';
  const running = runArguments([...argv, '-logLevel', 'error'], {
    stop: stop.signal,
    onOut(text) {
      printed += text;
      if (isReady.test(printed)) resolve();
    },
  });
  running.then(({ err }) => reject(new Error(`it has ended: ${err}`)), reject);
  t.after(async () => {
    stop.abort();
    await running;
  });
  await promise;
  return printed;
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bind-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const freePorts = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
const skipsIpv6 = hasIpv6 ? false : 'this machine has no ::1';

test('local and playground listen only on loopback', async (t) => {
  const listeners = watchListeners(t);
  await serve(t, ['local', ...freePorts], /Ctrl-C/);
  assert.deepEqual(listeners(), Array<string>(4).fill('127.0.0.1'));
  await serve(t, ['playground', ...freePorts, '-dataDir', folderOf(t)], /Ctrl-C/);
  assert.deepEqual(listeners(), Array<string>(8).fill('127.0.0.1'));
});

test('local listens on the configured address, including IPv6, and advertises it to clients', {
  skip: skipsIpv6,
}, async (t) => {
  const listeners = watchListeners(t);
  const printed = await serve(t, ['local', ...freePorts, '-bindAddress', '[::1]'], /Ctrl-C/);
  assert.deepEqual(listeners(), Array<string>(4).fill('::1'));
  const port = /Kafka +\[::1\]:(\d+)/.exec(printed)?.[1];
  const [, http] = /HTTP +(http:\/\/\[::1\]:\d+)/.exec(printed)!;
  const [, controlPlane] = /control plane +(http:\/\/\[::1\]:\d+)/.exec(printed)!;
  for (const url of [http, controlPlane]) assert.equal((await fetch(`${url}/v1/status`)).status, 200);
  // The tool connects to the address that the agent advertises.
  const created = await runLine(`cli create-topic -topic orders -bootstrap-host ::1 -bootstrap-port ${port}`);
  assert.equal(created.status, 0, created.err);
});

test('a control plane, an agent and weir metrics listen only on -bindAddress', async (t) => {
  const listeners = watchListeners(t);
  const clusterId = 'vci_bind';
  const identity = [
    '-defaultVirtualClusterID',
    clusterId,
    '-agentKey',
    `aks_${'c0ffee'.repeat(11).slice(2)}`,
  ];
  const atLoopback = ['-bindAddress', loopback];
  const plane = await serve(
    t,
    ['control-plane', ...identity, ...atLoopback, '-consolePort', '0', '-dataDir', folderOf(t)],
    /serves/,
  );
  const [, url] = /control plane +(http:\/\/127\.0\.0\.1:\d+)/.exec(plane)!;
  const onLoopback = [...identity, ...atLoopback, '-metadataURL', url!, '-httpPort', '0'];
  const bucket = ['-bucketURL', `mem://${clusterId}`, '-kafkaPort', '0', '-gracefulShutdownDuration', '0s'];
  const agent = await serve(t, ['agent', ...onLoopback, ...bucket, '-availabilityZone', 'test'], /HTTP/);
  assert.match(agent, /Kafka +127\.0\.0\.1:\d+\n +HTTP +http:\/\/127\.0\.0\.1:\d+/);
  const publisher = await serve(t, ['metrics', ...onLoopback], /HTTP/);
  assert.match(publisher, /HTTP +http:\/\/127\.0\.0\.1:\d+/);
  assert.deepEqual(listeners(), Array<string>(4).fill('127.0.0.1'));
});

test('an invalid address is reported in one line', async () => {
  const needed = 'an IP address such as 127.0.0.1 or ::1 is needed';
  const cases: [line: string, status: number, problem: string][] = [
    ['local -bindAddress localhost', 2, `weir local: -bindAddress=localhost: ${needed}\n`],
    ['agent -bindAddress 127.0.0.1:9092', 2, `weir agent: -bindAddress=127.0.0.1:9092: ${needed}\n`],
    [
      'control-plane -bindAddress [127.0.0.1]',
      2,
      `weir control-plane: -bindAddress=[127.0.0.1]: ${needed}\n`,
    ],
    [
      'agent -bindAddress 0.0.0.0 -advertiseHostnameStrategy auto-ip6',
      2,
      'weir agent: -bindAddress=0.0.0.0 with -advertiseHostnameStrategy=auto-ip6: nothing listens on the advertised IPv6 address; -bindAddress :: listens on both\n',
    ],
    // An address reserved for documentation, which no machine has.
    [
      `local ${freePorts.join(' ')} -bindAddress 192.0.2.1`,
      1,
      'weir local: -bindAddress: failed to listen on 192.0.2.1; use an address of this machine\n',
    ],
  ];
  for (const [line, status, err] of cases) {
    const found = await runLine(line);
    assert.deepEqual({ status: found.status, err: found.err }, { status, err }, line);
  }
});

test('an agent advertises the address on which it listens', () => {
  const machine = {
    hostname: 'broker-1',
    addresses: [
      { address: '127.0.0.1', family: 'IPv4', internal: true },
      { address: '10.0.0.5', family: 'IPv4', internal: false },
      { address: 'fd00::5', family: 'IPv6', internal: false },
    ],
  } as const;
  type Case = [
    bindAddress: string | undefined,
    strategy: 'auto-ip4' | 'auto-ip6' | 'hostname',
    override: string | undefined,
    clients: string,
    agents: string,
  ];
  // biome-ignore format: a table
  const cases: Case[] = [
    [undefined,     'auto-ip4', undefined,   '10.0.0.5',  '10.0.0.5'],
    ['0.0.0.0',     'auto-ip4', undefined,   '10.0.0.5',  '10.0.0.5'],
    ['::',          'auto-ip4', undefined,   '10.0.0.5',  '10.0.0.5'],
    ['::',          'auto-ip6', undefined,   'fd00::5',   'fd00::5'],
    ['127.0.0.1',   'auto-ip4', undefined,   '127.0.0.1', '127.0.0.1'],
    ['192.168.1.9', 'auto-ip4', undefined,   '192.168.1.9', '192.168.1.9'],
    ['fd00::9',     'auto-ip4', undefined,   'fd00::9',   'fd00::9'],
    ['10.0.0.5',    'hostname', undefined,   'broker-1',  'broker-1'],
    ['127.0.0.1',   'auto-ip4', 'kafka.example', 'kafka.example', '127.0.0.1'],
  ];
  for (const [bindAddress, advertiseHostnameStrategy, override, clients, agents] of cases) {
    const values = { bindAddress, advertiseHostnameStrategy, discoveryKafkaHostnameOverride: override };
    const advertised = advertisedClientHost(values, machine);
    const row = `${bindAddress} ${advertiseHostnameStrategy} ${override}`;
    assert.deepEqual([advertised, advertisedAgentHost(values, advertised, machine)], [clients, agents], row);
  }
});

test('every spelling of all interfaces is recognized', () => {
  for (const address of ['0.0.0.0', '::', '0::0', '0:0:0:0:0:0:0:0', '::0.0.0.0']) {
    assert.ok(isEveryInterface(address), address);
  }
  for (const address of ['127.0.0.1', '::1', '10.0.0.0', 'fd00::']) {
    assert.ok(!isEveryInterface(address), address);
  }
});
