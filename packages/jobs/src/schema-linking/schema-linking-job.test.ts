import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type LinkingTask, writeLinkingTask } from '@weir/cluster';
import { AllowedHosts, TenantVariables } from '@weir/cluster/outbound';
import { type Log, Metrics, seededRandom, silentLog, systemClock } from '@weir/core';
import { fieldListService, MemoryRegistryStore } from '@weir/registry/testing';
import { NeedsOperator } from '../job-kind.ts';
import { schemaLinking } from './schema-linking-job.ts';

const task: LinkingTask = {
  pipelineId: 'pi_1',
  configurationId: 'pci_1',
  hostname: '127.0.0.1',
  port: 0,
  usernameEnv: 'WEIR_PIPELINE_USER',
  passwordEnv: 'WEIR_PIPELINE_PASSWORD',
  usesTls: false,
  isInsecure: false,
  contextType: 'CUSTOM',
  context: 'copy',
};

/** A registry over HTTP with one subject. */
const answers: Readonly<Record<string, unknown>> = {
  '/subjects?deleted=true': ['orders'],
  '/subjects/orders/versions?deleted=true': [1, 2],
  '/subjects/orders/versions': [2],
  '/subjects/orders/versions/1?deleted=true': { subject: 'orders', version: 1, id: 10, schema: 'x' },
  '/subjects/orders/versions/2?deleted=true': { subject: 'orders', version: 2, id: 12, schema: 'x y?' },
  '/config': { compatibilityLevel: 'FULL' },
};

const registry: RequestListener = (request, response) => {
  const { authorization } = request.headers;
  const isKnown = authorization === `Basic ${Buffer.from('me:secret').toString('base64')}`;
  const answer = answers[request.url ?? ''];
  response.writeHead(isKnown ? (answer === undefined ? 404 : 200) : 401, {
    'content-type': 'application/json',
  });
  const code = request.url?.startsWith('/mode') ? 40409 : 40408;
  response.end(JSON.stringify(isKnown ? (answer ?? { error_code: code, message: 'none' }) : {}));
};

async function setUp(t: TestContext, listener: RequestListener, hosts: readonly string[] = ['loopback']) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const store = new MemoryRegistryStore();
  const service = fieldListService({ store });
  t.after(() => service.end());
  const metrics = new Metrics();
  const logged: string[] = [];
  const environment: Record<string, string> = { WEIR_PIPELINE_USER: 'me', WEIR_PIPELINE_PASSWORD: 'secret' };
  const job = schemaLinking({
    destination: async () => ({ service, state: async () => store.state }),
    tenantAccess: { hosts: new AllowedHosts(hosts), variables: new TenantVariables(environment) },
    log: { ...silentLog, warn: (_message, fields) => void logged.push(String(fields?.error)) } as Log,
    clock: systemClock,
    random: seededRandom(1),
    metrics,
  });
  const progress: (readonly [number, number | undefined])[] = [];
  const run = (changes: Partial<LinkingTask> = {}) =>
    job.run(writeLinkingTask({ ...task, port, ...changes }), {
      signal: new AbortController().signal,
      checkpoint: null,
      progress: (done, total) => progress.push([done, total]),
    });
  return { run, service, environment, metrics, progress, logged };
}

test('a sync reads the source over HTTP with credentials of the environment', async (t) => {
  const { run, service, metrics, progress } = await setUp(t, registry);
  assert.equal(await run(), '2 versions of 1 subjects; 2 new, 1 deleted');
  assert.deepEqual(await service.listVersions(':.copy:orders', { deleted: true }), [1, 2]);
  assert.deepEqual(await service.listVersions(':.copy:orders'), [2]);
  assert.equal((await service.version(':.copy:orders', '2')).id, 12);
  assert.equal((await service.config(':.copy:')).compatibilityLevel, 'FULL');
  assert.deepEqual(progress.at(-1), [2, 2]);
  assert.equal(await run(), '2 versions of 1 subjects; 0 new, 0 deleted');
  const lines = metrics.render();
  assert.match(lines, /schema_linking_source_subject_versions_count\{sync_id="pi_1",config_id="pci_1"\} 2/);
  assert.match(lines, /schema_linking_newly_migrated_subject_versions\{sync_id="pi_1",config_id="pci_1"\} 2/);
});

test('errors are one line that says what to do', async (t) => {
  const { run, environment } = await setUp(t, registry);
  environment.WEIR_PIPELINE_PASSWORD = 'wrong';
  await assert.rejects(run(), (error) => {
    assert.ok(error instanceof NeedsOperator);
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+: the credentials were refused/);
    return true;
  });
  delete environment.WEIR_PIPELINE_PASSWORD;
  await assert.rejects(run(), /the environment variable WEIR_PIPELINE_PASSWORD of the agents is not set/);
});

test('a sync takes the secrets that came with it', async (t) => {
  const { run } = await setUp(t, registry);
  const named = {
    usernameEnv: undefined,
    passwordEnv: undefined,
    username: 'me',
    password: `\${secret:registry-password}`,
  };
  const secrets = { 'registry-password': 'secret' };
  assert.equal(await run({ ...named, secrets }), '2 versions of 1 subjects; 2 new, 1 deleted');
  assert.match(await run({ ...named, username: `m\${secret:e}`, secrets: { ...secrets, e: 'e' } }), /0 new/);
  await assert.rejects(run({ ...named, secrets: { 'registry-password': 'hunter2' } }), (error) => {
    assert.ok(error instanceof NeedsOperator);
    assert.match(error.message, /: the credentials were refused/);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
  for (const missing of [undefined, {}, { other: 'secret' }])
    await assert.rejects(
      run({ ...named, secrets: missing }),
      /the configuration names the secret registry-password, which it may not use or which is gone$/,
    );
});

test('redirects are not followed', async (t) => {
  const seen: (string | undefined)[] = [];
  const { run } = await setUp(t, (request, response) => {
    seen.push(request.url);
    response.writeHead(302, { location: 'http://127.0.0.1:1/subjects' }).end();
  });
  await assert.rejects(run(), /: redirects to another address; use that URL instead \(status 3xx\)$/);
  assert.deepEqual(seen, ['/subjects?deleted=true']);
});

test('an answer without an end is cut off', async (t) => {
  const { run } = await setUp(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(1024 * 1024, '"');
    const send = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', send).on('error', () => {});
    send();
  });
  await assert.rejects(run(), /bytes/);
});

test('a variable of the process itself is not sent anywhere', async (t) => {
  const seen: unknown[] = [];
  const { run, environment } = await setUp(t, (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(500).end();
  });
  environment.SERVICE_AGENT_KEY = 'aks_secret';
  for (const name of [
    'SERVICE_AGENT_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'PATH',
    'weir_pipeline_user',
    'toString',
  ]) {
    await assert.rejects(run({ usernameEnv: name }), (error) => {
      assert.ok(error instanceof NeedsOperator);
      assert.match(error.message, /may not read; use one that begins with WEIR_PIPELINE_/);
      return true;
    });
  }
  assert.deepEqual(seen, []);
});

test('a source on a host that the operator does not allow is not asked', async (t) => {
  const seen: unknown[] = [];
  const { run } = await setUp(
    t,
    (request, response) => {
      seen.push(request.url);
      response.end('[]');
    },
    ['public'],
  );
  const hosts = [
    '127.0.0.1',
    'localhost',
    '::ffff:127.0.0.1',
    '0x7f000001',
    '127.1',
    '169.254.169.254',
    '0.0.0.0',
  ];
  for (const hostname of hosts) {
    await assert.rejects(run({ hostname }), (error) => {
      assert.ok(error instanceof NeedsOperator, String(error));
      assert.match(
        error.message,
        /that Weir may not connect to; the operator allows hosts by -allowedTargetHosts/,
      );
      return true;
    });
  }
  assert.deepEqual(seen, []);
});

test('nothing that a source sends is in an error that tenants read', async (t) => {
  const secret = 'INTERNAL-SECRET';
  const answers: readonly [string, RequestListener][] = [
    [
      'an error',
      (_, response) => response.writeHead(400).end(JSON.stringify({ error_code: 40001, message: secret })),
    ],
    [
      'an error of a server',
      (_, response) => response.writeHead(500).end(JSON.stringify({ message: secret })),
    ],
    ['a redirect', (_, response) => response.writeHead(302, { location: `http://h/${secret}` }).end()],
    ['no JSON', (_, response) => response.end(secret)],
    ['no HTTP', (request) => request.socket.end(`${secret}\r\n\r\n`)],
    [
      'two subjects that would be one',
      (_, response) => response.end(JSON.stringify([secret, `:.:${secret}`])),
    ],
    [
      'a schema that is refused',
      ({ url }, response) => {
        if (url === '/subjects?deleted=true') response.end(JSON.stringify([secret]));
        else if (url?.includes('/versions/'))
          response.end(JSON.stringify({ version: 1, id: 1, schema: `?? ${secret}` }));
        else if (url?.includes('/versions')) response.end('[1]');
        else response.writeHead(404).end(JSON.stringify({ error_code: 40408 }));
      },
    ],
  ];
  for (const [what, listener] of answers) {
    const { run } = await setUp(t, listener);
    await assert.rejects(run(), (error: Error) => {
      assert.doesNotMatch(error.message, /SECRET|40001/, what);
      return true;
    });
  }
});
