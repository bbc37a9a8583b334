/**
 * The compose file: loaded by the library of Docker Compose, which checks it by its schema and its rules; and its two
 * parts of Weir started as processes with the variables that they have there, over a PostgreSQL and its S3 server.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { apiKeyHeader, createClient } from '@weir/api/client';
import { systemEnvironment } from '@weir/core';
import { WeirCommand } from '../../agent/weir-command.ts';
import { signUpFirstUser } from '../../brokers/first-user.ts';
import { untilSucceeds } from '../../brokers/waiting.ts';
import { type Lifetime, lastFirst, startWeir, temporaryFolder } from '../../brokers/weir-process.ts';
import { buildGoModule } from '../../go/programs.ts';
import { postgresFor } from '../../postgres/server.ts';
import { freePort, serving } from '../../s3/server.ts';
import { builtVersitygw } from '../../s3-servers/versitygw.ts';

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
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[];
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

/**
 * Starts the S3 server of the file by its command, in which only the address and the folder are others, and returns the
 * URL of the bucket with that address. Where it is not built, the bucket is a directory.
 */
async function startBucket(t: TestContext, lifetime: Lifetime, folder: string, url: string): Promise<string> {
  const { missing, program } = builtVersitygw();
  if (missing !== false) {
    t.diagnostic(`the bucket is a directory: ${missing}`);
    return `file://${folder}/bucket`;
  }
  const { command, image, volumes } = services().s3;
  const module = readFileSync(join(root, 'tests/interop/s3-servers/go.mod'), 'utf8');
  assert.ok(
    module.includes(`github.com/versity/versitygw ${image.split(':')[1]}`),
    `${image} is what is built`,
  );
  const [port, named] = [await freePort(), new URL(new URL(url).searchParams.get('endpoint')!)];
  const [objects] = command.slice(-1);
  const own: Readonly<Record<string, string>> = {
    [`--port=:${named.port}`]: `--port=127.0.0.1:${port}`,
    [objects!]: join(folder, 'objects'),
  };
  for (const argument of Object.keys(own)) assert.ok(command.includes(argument), argument);
  // The volume is what makes the bucket.
  assert.deepEqual(
    volumes!.map(({ target }) => target),
    [`${objects}/${new URL(url).hostname}`],
  );
  mkdirSync(join(folder, 'objects', new URL(url).hostname), { recursive: true });
  const args = command.map((argument) => own[argument] ?? argument);
  const server = await serving(port, spawn(program, args, { stdio: 'ignore', env: {} }), 'SIGKILL', () => {});
  lifetime.after(() => server.stop());
  return url.replace(named.host, `127.0.0.1:${port}`);
}

const limits = { skip, timeout: 300_000 } as const;

test('the two parts of Weir become a cluster by the variables of the file', limits, async (t) => {
  const lifetime = lastFirst(t);
  const server = await postgresFor(lifetime);
  if ('missing' in server) return t.skip(server.missing);
  const folder = temporaryFolder(lifetime);
  const { 'control-plane': controlPlane, agent } = services();
  const [consolePort, kafkaPort] = [await freePort(), await freePort()];
  const api = `http://127.0.0.1:${consolePort}`;
  const dataDir = join(folder, 'data');
  const bucketUrl = await startBucket(t, lifetime, folder, agent.environment.SERVICE_BUCKET_URL!);
  // Here are no names of containers and no ports of their own. Everything else is as in the file.
  const own = { SERVICE_BUCKET_URL: bucketUrl, SERVICE_BIND_ADDRESS: '127.0.0.1', HOME: folder };
  const leader = await startWeir(controlPlane.command, ['control plane'], {
    ...controlPlane.environment,
    ...own,
    SERVICE_DATABASE_URL: server.url,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_CONTROL_PLANE_HOST: '127.0.0.1',
    SERVICE_CONSOLE_PORT: `${consolePort}`,
  });
  lifetime.after(() => leader.stop());
  // As `service_healthy` does.
  await untilSucceeds(async () => assert.equal((await fetch(`${api}/v1/status`)).status, 200));
  const joining = new WeirCommand(lifetime, agent.command, {
    ...agent.environment,
    ...own,
    SERVICE_METADATA_URL: api,
    SERVICE_KAFKA_PORT: `${kafkaPort}`,
    SERVICE_HTTP_PORT: '0',
  });
  await joining.waitForOutput(/is ready/);
  const weir = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    execFileSync(join(root, 'bin/weir'), ['cli', ...args], {
      encoding: 'utf8',
      input: 'one order\n',
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: systemEnvironment.PATH, HOME: folder, ...variables },
    });
  const cli = (...args: string[]) =>
    weir([...args, '-bootstrap-host', 'localhost', '-bootstrap-port', `${kafkaPort}`]);
  cli('create-topic', '-topic', 'orders');
  cli('produce', '-topic', 'orders');
  assert.match(cli('fetch', '-topic', 'orders', '-offset', 'earliest'), /one order/);

  // There is no other way in: the cluster and the key of its agents are given, so that no identity.json is written.
  await untilSucceeds(async () => assert.match(leader.output.out, /first user +signs up at/));
  const { SERVICE_PUBLIC_URL: publicUrl, SERVICE_DEFAULT_VIRTUAL_CLUSTER_ID: clusterId } =
    controlPlane.environment;
  assert.ok(leader.output.out.includes(` signs up at ${publicUrl}/setup#`), leader.output.out);
  const cookie = await signUpFirstUser(leader);
  const user = createClient({ baseUrl: api, fetch, headers: { cookie, origin: api } });
  const clustersOf = async (client: typeof user) =>
    (await client.call('get_context', {})).workspaces.flatMap(({ virtual_clusters }) =>
      virtual_clusters.map(({ id }) => id),
    );
  assert.deepEqual(await clustersOf(user), [clusterId]);
  const everything = {
    principal_kind: '*',
    resource_kind: '*',
    resource_id: '*',
    workspace_id: '*',
  } as const;
  const { key: accountKey } = await user.call('create_api_key', {
    name: 'account',
    access_grants: [everything],
  });
  const place = { SERVICE_API_URL: api, SERVICE_API_KEY: accountKey };
  const key = weir(['create-key', '-key-name', 'tools'], place).trim();
  const tools = createClient({ baseUrl: api, fetch, headers: { [apiKeyHeader]: key } });
  assert.deepEqual(await clustersOf(tools), [clusterId]);
  assert.equal(existsSync(dataDir), false, 'a container needs no volume');
});
