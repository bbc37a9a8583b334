import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Environment } from '@weir/core';
import { Kafka, logLevel, type SASLOptions } from 'kafkajs';
import { WeirCommand } from './weir-command.ts';

/**
 * Plants a secret everywhere a process accepts one, and checks that none leaks: not in output, debug logs or metrics;
 * neither in normal operation nor when the process fails to start.
 */

const clusterId = 'vci_planted';

/** Returns a unique random secret without words. */
function planted(): string {
  return randomBytes(24).toString('hex');
}

const secrets = {
  agentKey: `aks_${randomBytes(32).toString('hex')}`,
  otherKey: `aks_${randomBytes(32).toString('hex')}`,
  saslPassword: planted(),
  otherPassword: planted(),
  databasePassword: planted(),
  bucketSecret: planted(),
  bucketSession: planted(),
  proxyPassword: planted(),
  platformToken: ['{"alg":"RS256"}', '{"iss":"https://issuer.test"}', planted()]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.'),
};

/** Returns encoded forms of a secret that could appear in output. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Only whole groups of three bytes, so that adjacent bytes do not change their base64 form.
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

interface World {
  readonly folder: string;
  /** One for all agents, because all agents of a cluster must have the same bucket. */
  readonly bucketFolder: string;
  readonly controlPlaneUrl: string;
  file(name: string, text: string, mode?: number): string;
}

interface Scenario {
  readonly what: string;
  readonly args: (world: World) => readonly string[];
  readonly variables?: (world: World) => Environment;
  /** Output that proves that the secret was used. */
  readonly prints: RegExp;
  /** Further steps before the command is stopped. */
  readonly andThen?: (command: WeirCommand) => Promise<void>;
  /** Exit status, if it ends by itself. */
  readonly ends?: number;
}

const debug = ['-logLevel', 'debug'];
const anyPorts = ['-kafkaPort', '0', '-httpPort', '0'];
const ofCluster = ['-defaultVirtualClusterID', clusterId];

function controlPlane({ folder }: World): string[] {
  const atLoopback = ['-bindAddress', '127.0.0.1', '-consolePort', '0'];
  return ['control-plane', ...debug, ...ofCluster, ...atLoopback, '-dataDir', folder];
}

function agent({ controlPlaneUrl, bucketFolder }: World): string[] {
  return [
    ...['agent', ...debug, ...ofCluster, ...anyPorts, '-metadataURL', controlPlaneUrl],
    ...['-bucketURL', pathToFileURL(bucketFolder).href, '-availabilityZone', 'one'],
    ...['-bindAddress', '127.0.0.1', '-gracefulShutdownDuration', '0s'],
  ];
}

async function scrape(command: WeirCommand, label: string): Promise<void> {
  const [, address] = await command.waitForOutput(new RegExp(`^ {2}${label} +(\\S+)$`, 'm'));
  for (const path of ['/metrics', '/v1/status', '/nowhere']) {
    const response = await fetch(address + path);
    command.text += `${await response.text()}${JSON.stringify([...response.headers])}`;
  }
}

/** Logs in with every mechanism, with valid and invalid credentials. */
async function logIn(command: WeirCommand): Promise<void> {
  const [, broker] = await command.waitForOutput(/^ {2}Kafka +(\S+)$/m);
  const attempt = async (sasl: SASLOptions): Promise<boolean> => {
    const admin = new Kafka({
      brokers: [broker!],
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 },
      sasl,
      ssl: false,
    }).admin();
    // The client accepts the refusal of a token as an answer and notices it only with its next request.
    const isIn = await admin
      .connect()
      .then(() => admin.listTopics())
      .then(
        () => true,
        () => false,
      );
    await admin.disconnect();
    return isIn;
  };
  const right = { username: 'alice', password: secrets.saslPassword };
  const wrong = { username: 'alice', password: secrets.otherPassword };
  assert.ok(await attempt({ mechanism: 'plain', ...right }));
  assert.ok(await attempt({ mechanism: 'scram-sha-512', ...right }));
  assert.ok(!(await attempt({ mechanism: 'plain', ...wrong })));
  assert.ok(!(await attempt({ mechanism: 'scram-sha-512', ...wrong })));
  const oauthBearerProvider = async () => ({ value: secrets.platformToken });
  assert.ok(!(await attempt({ mechanism: 'oauthbearer', oauthBearerProvider })));
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
    prints: /"message":"applied credentials file"/,
    andThen: (command) => scrape(command, 'control plane'),
  },
  {
    what: 'a control plane whose database is away',
    args: (world) => [
      ...controlPlane(world),
      ...['-databaseURL', `postgres://weir:${secrets.databasePassword}@127.0.0.1:1/weir`],
    ],
    variables: () => ({ SERVICE_AGENT_KEY: secrets.agentKey }),
    prints: /"message":"failed to (?:reach database|follow cluster)/,
    andThen: (command) => scrape(command, 'control plane'),
  },
  {
    what: 'a control plane with a database that it does not know',
    args: (world) => [
      ...controlPlane(world),
      '-databaseURL',
      `mysql://weir:${secrets.databasePassword}@host/weir`,
    ],
    prints: /postgres:\/\/ and a host/,
    ends: 2,
  },
  {
    what: 'a control plane with credentials that everybody can read',
    args: (world) => [
      ...controlPlane(world),
      ...['-agentKey', secrets.agentKey],
      ...['-saslCredentialsFile', world.file('open.json', credentials, 0o644)],
    ],
    prints: /mode 0644, which lets in too many/,
    ends: 1,
  },
  {
    what: 'a control plane with credentials that are no JSON',
    args: (world) => [
      ...controlPlane(world),
      ...['-agentKey', secrets.agentKey],
      ...['-saslCredentialsFile', world.file('cut.json', credentials.slice(0, -2))],
    ],
    prints: /the file is not JSON/,
    ends: 1,
  },
  {
    what: 'an agent with its key',
    args: (world) => [...agent(world), '-agentKey', secrets.agentKey],
    prints: /"message":"started agent"/,
    andThen: (command) => scrape(command, 'HTTP'),
  },
  {
    what: 'agents of several processes',
    args: (world) => [...agent(world), '-agentKey', secrets.agentKey, '-processes', '2'],
    prints: /agent is ready with 2 processes/,
  },
  {
    what: 'an agent with a key in a file',
    args: (world) => [...agent(world), '-agentKeyPath', world.file('key', `${secrets.agentKey}\n`)],
    prints: /"message":"started agent"/,
  },
  {
    what: 'an agent with a key that is refused',
    args: agent,
    variables: () => ({ SERVICE_AGENT_KEY: secrets.otherKey }),
    prints: /"message":"failed to authenticate at control plane/,
  },
  {
    what: 'an agent with two keys in a file',
    args: (world) => [
      ...agent(world),
      ...['-agentKeyPath', world.file('keys', `${secrets.agentKey}\n${secrets.otherKey}\n`)],
    ],
    prints: /does not hold one agent key and nothing else/,
  },
  {
    what: 'an agent with a key and something behind it',
    args: (world) => [...agent(world), '-agentKey', secrets.agentKey, secrets.otherKey],
    prints: /^weir agent: /m,
    ends: 2,
  },
  {
    what: 'an agent with a key in two ways',
    args: (world) => [...agent(world), '-agentKey', secrets.agentKey, '-agentKeyPath', '/nowhere'],
    variables: () => ({ SERVICE_AGENT_KEY: secrets.otherKey }),
    prints: /set only one of them/,
    ends: 2,
  },
  {
    what: 'an agent behind a proxy that is away',
    args: (world) => [
      ...agent(world),
      ...['-agentKey', secrets.agentKey, '-httpProxy', `http://weir:${secrets.proxyPassword}@127.0.0.1:1`],
    ],
    prints: /"message":"failed to connect to control plane, retrying"/,
  },
  {
    what: 'an agent that clients log in to',
    args: (world) => [
      ...agent(world),
      ...['-agentKey', secrets.agentKey, '-requireSASLAuthentication'],
      ...['-saslOAuthIssuerURL', 'https://127.0.0.1:1', '-saslOAuthAudience', 'weir'],
    ],
    prints: /"message":"started agent"/,
    andThen: logIn,
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
    // Every attempt to reach the bucket is logged.
    prints: /"message":"failed to check access to bucket, retrying"/,
  },
  {
    what: 'an agent whose platform token is exchanged for nothing',
    args: (world) => [...agent(world), '-workloadIdentityTokenSource', 'aws'],
    variables: (world) => ({ AWS_WEB_IDENTITY_TOKEN_FILE: world.file('token', secrets.platformToken) }),
    prints: /"message":"failed to renew agent token, retrying"/,
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
    bucketFolder: join(folder, 'bucket'),
    controlPlaneUrl,
    file(name, text, mode = 0o600) {
      const path = join(own, name);
      writeFileSync(path, text, { mode });
      return path;
    },
  });
  const shared = new WeirCommand(
    t,
    [
      ...controlPlane(world('', folder)),
      ...['-agentKey', secrets.agentKey],
      ...['-workloadIdentityBindingsFile', bindings],
      ...['-saslCredentialsFile', world('', folder).file('credentials.json', credentials)],
    ],
    {},
  );
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [, url] = await shared.waitForOutput(/^ {2}control plane +(\S+)$/m);

  for (const { what, args, variables, prints, andThen, ends } of scenarios) {
    await t.test(what, async (inner) => {
      const own = world(url!, mkdtempSync(join(folder, 'process-')));
      const command = new WeirCommand(inner, args(own), variables?.(own) ?? {});
      if (ends !== undefined) assert.equal(await command.ended, ends, command.text);
      await command.waitForOutput(prints);
      await andThen?.(command);
      if (ends === undefined) await command.stop();
      refuseSecrets(command.text, what);
    });
  }

  await scrape(shared, 'control plane');
  await shared.stop();
  assert.match(shared.text, /"message":"refused agent connection"/);
  assert.match(shared.text, /"message":"refused agent token"/);
  refuseSecrets(shared.text, 'the control plane of all');
});
