import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Environment, systemClock, systemEnvironment } from '@weir/core';
import { Kafka, logLevel } from 'kafkajs';

/**
 * Secrets are planted wherever a process takes one, and must not come out again: not in what it prints, logs at the lowest level, or
 * answers to whoever reads its metrics; not when all is well, and not when it cannot start.
 */

const bin = join(import.meta.dirname, '../../../bin/weir');
const clusterId = 'vci_planted';
/** Generous, because the machine may be busy with all the other tests. */
const patienceMs = 60_000;

/** No two have a part in common, and none is a word. */
function planted(): string {
  return randomBytes(24).toString('hex');
}

const secrets = {
  agentKey: `aks_${randomBytes(32).toString('hex')}`,
  otherKey: `aks_${randomBytes(32).toString('hex')}`,
  saslPassword: planted(),
  databasePassword: planted(),
  bucketSecret: planted(),
  bucketSession: planted(),
  proxyPassword: planted(),
  platformToken: ['{"alg":"RS256"}', '{"iss":"https://issuer.test"}', planted()]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.'),
};

/** How a secret may be written when it is not written as it is. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Whole groups of three bytes only, so that what stands before and behind it does not change them.
  const middle = bytes.subarray(0, bytes.length - (bytes.length % 3));
  return [secret, middle.toString('base64'), middle.toString('base64url'), bytes.toString('hex')];
}

function refuseSecrets(text: string, where: string): void {
  for (const [name, secret] of Object.entries(secrets)) {
    for (const spelling of spellingsOf(secret)) {
      assert.ok(!text.includes(spelling), `${where} tells the secret ${name}`);
    }
  }
}

class Command {
  readonly #child;
  readonly ended: Promise<number | string>;
  text = '';

  constructor(t: TestContext, args: readonly string[], variables: Environment) {
    const { PATH, HOME } = systemEnvironment;
    this.#child = spawn(bin, args, {
      env: { PATH, HOME, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
      });
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
    });
    t.after(() => this.kill());
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const startMs = systemClock.monotonicMs();
    for (;;) {
      const found = pattern.exec(this.text);
      if (found !== null) return found;
      if (systemClock.monotonicMs() - startMs > patienceMs || this.#child.exitCode !== null) {
        throw new Error(`it did not say ${pattern}; it said:\n${this.text.slice(-5_000)}`);
      }
      await new Promise<void>((resolve) => systemClock.after(20, resolve));
    }
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.ended;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

interface World {
  readonly folder: string;
  readonly controlPlaneUrl: string;
  file(name: string, text: string, mode?: number): string;
}

interface Scenario {
  readonly what: string;
  readonly args: (world: World) => readonly string[];
  readonly variables?: (world: World) => Environment;
  /** What shows that the secret was used. */
  readonly says: RegExp;
  /** More to do before it is stopped. */
  readonly then?: (command: Command) => Promise<void>;
  /** The status with which it ends by itself. */
  readonly ends?: number;
}

const debug = ['-logLevel', 'debug'];
const anyPorts = ['-kafkaPort', '0', '-httpPort', '0'];
const ofCluster = ['-defaultVirtualClusterID', clusterId];

function controlPlane({ folder }: World): string[] {
  return ['control-plane', ...debug, ...ofCluster, '-consolePort', '0', '-dataDir', folder];
}

function agent({ controlPlaneUrl, folder }: World): string[] {
  return [
    ...['agent', ...debug, ...ofCluster, ...anyPorts, '-metadataURL', controlPlaneUrl],
    ...['-bucketURL', pathToFileURL(join(folder, 'bucket')).href, '-availabilityZone', 'one'],
    ...['-discoveryKafkaHostnameOverride', '127.0.0.1', '-gracefulShutdownDuration', '0s'],
  ];
}

async function scrape(command: Command, label: string): Promise<void> {
  const [, address] = await command.says(new RegExp(`^ {2}${label} +(\\S+)$`, 'm'));
  for (const path of ['/metrics', '/v1/status', '/nowhere']) {
    const response = await fetch(address + path);
    command.text += `${await response.text()}${JSON.stringify([...response.headers])}`;
  }
}

/** The bucket is away, so that the record cannot be stored, and every attempt has something to say. */
async function produceInVain(command: Command): Promise<void> {
  const [, broker] = await command.says(/^ {2}Kafka +(\S+)$/m);
  const kafka = new Kafka({
    brokers: [broker!],
    logLevel: logLevel.NOTHING,
    requestTimeout: 4_000,
    retry: { retries: 0 },
  });
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: 'planted', messages: [{ value: 'x' }] }).catch(() => undefined);
  await producer.disconnect();
  await scrape(command, 'HTTP');
}

const credentials = JSON.stringify([{ name: 'alice', password: secrets.saslPassword, superuser: true }]);

const scenarios: readonly Scenario[] = [
  {
    what: 'a control plane with credentials',
    args: (world) => [
      ...controlPlane(world),
      ...['-agentKey', secrets.agentKey, '-saslCredentialsFile', world.file('credentials.json', credentials)],
    ],
    says: /"message":"the credentials of the cluster are those of the file"/,
    then: (command) => scrape(command, 'control plane'),
  },
  {
    what: 'a control plane whose database is away',
    args: (world) => [
      ...controlPlane(world),
      ...['-databaseURL', `postgres://weir:${secrets.databasePassword}@127.0.0.1:1/weir`],
    ],
    variables: () => ({ SERVICE_AGENT_KEY: secrets.agentKey }),
    says: /"message":"the (?:database does not answer|cluster cannot be followed)/,
    then: (command) => scrape(command, 'control plane'),
  },
  {
    what: 'a control plane with a database that it does not know',
    args: (world) => [
      ...controlPlane(world),
      '-databaseURL',
      `mysql://weir:${secrets.databasePassword}@host/weir`,
    ],
    says: /postgres:\/\/ and a host/,
    ends: 2,
  },
  {
    what: 'a control plane with credentials that everybody can read',
    args: (world) => [
      ...controlPlane(world),
      ...['-agentKey', secrets.agentKey],
      ...['-saslCredentialsFile', world.file('open.json', credentials, 0o644)],
    ],
    says: /mode 0644, which lets in too many/,
    ends: 1,
  },
  {
    what: 'a control plane with credentials that are no JSON',
    args: (world) => [
      ...controlPlane(world),
      ...['-agentKey', secrets.agentKey],
      ...['-saslCredentialsFile', world.file('cut.json', credentials.slice(0, -2))],
    ],
    says: /the file is not JSON/,
    ends: 1,
  },
  {
    what: 'an agent with its key',
    args: (world) => [...agent(world), '-agentKey', secrets.agentKey],
    says: /"message":"the agent is ready"/,
    then: (command) => scrape(command, 'HTTP'),
  },
  {
    what: 'agents of several processes',
    args: (world) => [...agent(world), '-agentKey', secrets.agentKey, '-processes', '2'],
    says: /agent is ready with 2 processes/,
  },
  {
    what: 'an agent with a key in a file',
    args: (world) => [...agent(world), '-agentKeyPath', world.file('key', `${secrets.agentKey}\n`)],
    says: /"message":"the agent is ready"/,
  },
  {
    what: 'an agent with a key that is refused',
    args: agent,
    variables: () => ({ SERVICE_AGENT_KEY: secrets.otherKey }),
    says: /"message":"the control plane refused the agent key/,
  },
  {
    what: 'an agent with two keys in a file',
    args: (world) => [
      ...agent(world),
      ...['-agentKeyPath', world.file('keys', `${secrets.agentKey}\n${secrets.otherKey}\n`)],
    ],
    says: /does not hold one agent key and nothing else/,
  },
  {
    what: 'an agent with a key and something behind it',
    args: (world) => [...agent(world), '-agentKey', secrets.agentKey, secrets.otherKey],
    says: /^weir agent: /m,
    ends: 2,
  },
  {
    what: 'an agent with a key in two ways',
    args: (world) => [...agent(world), '-agentKey', secrets.agentKey, '-agentKeyPath', '/nowhere'],
    variables: () => ({ SERVICE_AGENT_KEY: secrets.otherKey }),
    says: /one way only/,
    ends: 2,
  },
  {
    what: 'an agent behind a proxy that is away',
    args: (world) => [
      ...agent(world),
      ...['-agentKey', secrets.agentKey, '-httpProxy', `http://weir:${secrets.proxyPassword}@127.0.0.1:1`],
    ],
    says: /"message":"no connection to the control plane"/,
  },
  {
    what: 'an agent whose bucket is away',
    args: (world) => [
      ...agent(world).map((arg) =>
        arg.startsWith('file:') ? 's3://bucket?region=us-east-1&endpoint=http://127.0.0.1:1' : arg,
      ),
      ...['-agentKey', secrets.agentKey],
    ],
    variables: () => ({
      AWS_ACCESS_KEY_ID: 'AKIAPLANTED',
      AWS_SECRET_ACCESS_KEY: secrets.bucketSecret,
      AWS_SESSION_TOKEN: secrets.bucketSession,
    }),
    says: /"message":"the agent is ready"/,
    then: produceInVain,
  },
  {
    what: 'an agent whose platform token is exchanged for nothing',
    args: (world) => [...agent(world), '-workloadIdentityTokenSource', 'aws'],
    variables: (world) => ({ AWS_WEB_IDENTITY_TOKEN_FILE: world.file('token', secrets.platformToken) }),
    says: /"message":"the agent got no new token; trying again"/,
  },
];

test('the search finds what it looks for', () => {
  for (const secret of Object.values(secrets)) {
    for (const text of [
      `x${secret}x`,
      Buffer.from(secret).toString('base64'),
      `key=${Buffer.from(secret).toString('hex')}`,
    ]) {
      assert.throws(() => refuseSecrets(text, 'a text'), /tells the secret/);
    }
  }
});

test('no secret comes out of a process', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-planted-'));
  const bindings = join(folder, 'bindings.json');
  const claims = [{ path: 'sub', value: 'weir' }];
  writeFileSync(
    bindings,
    JSON.stringify([{ name: 'one', issuer: 'https://issuer.test', clusterId, claims }]),
    {
      mode: 0o644,
    },
  );
  const world = (controlPlaneUrl: string, own: string): World => ({
    folder: own,
    controlPlaneUrl,
    file(name, text, mode = 0o600) {
      const path = join(own, name);
      writeFileSync(path, text, { mode });
      return path;
    },
  });
  const shared = new Command(
    t,
    [
      ...controlPlane(world('', folder)),
      ...['-agentKey', secrets.agentKey, '-controlPlaneHost', '127.0.0.1'],
      ...['-workloadIdentityBindingsFile', bindings],
    ],
    {},
  );
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [, url] = await shared.says(/^ {2}control plane +(\S+)$/m);

  for (const { what, args, variables, says, then, ends } of scenarios) {
    await t.test(what, async (inner) => {
      const own = world(url!, mkdtempSync(join(folder, 'process-')));
      const command = new Command(inner, args(own), variables?.(own) ?? {});
      if (ends !== undefined) assert.equal(await command.ended, ends, command.text);
      await command.says(says);
      await then?.(command);
      if (ends === undefined) await command.stop();
      refuseSecrets(command.text, what);
    });
  }

  await scrape(shared, 'control plane');
  await shared.stop();
  assert.match(shared.text, /"message":"an agent was not admitted"/);
  assert.match(shared.text, /"message":"an agent was given no token"/);
  refuseSecrets(shared.text, 'the control plane of all');
});
