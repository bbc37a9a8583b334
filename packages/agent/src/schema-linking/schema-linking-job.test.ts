import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type LinkingTask, writeLinkingTask } from '@weir/cluster';
import { Metrics, seededRandom, systemClock } from '@weir/core';
import { fieldListService, MemoryRegistryStore } from '@weir/registry/testing';
import { NeedsOperator } from '../jobs/job-kind.ts';
import { schemaLinking } from './schema-linking-job.ts';

const task: LinkingTask = {
  pipelineId: 'pi_1',
  configurationId: 'pci_1',
  hostname: '127.0.0.1',
  port: 0,
  usernameEnv: 'LINK_USER',
  passwordEnv: 'LINK_PASSWORD',
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

async function setUp(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const store = new MemoryRegistryStore();
  const service = fieldListService({ store });
  t.after(() => service.end());
  const metrics = new Metrics();
  const environment: Record<string, string> = { LINK_USER: 'me', LINK_PASSWORD: 'secret' };
  const job = schemaLinking({
    destination: async () => ({ service, state: async () => store.state }),
    environment,
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
  return { run, service, environment, metrics, progress };
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
  environment.LINK_PASSWORD = 'wrong';
  await assert.rejects(run(), (error) => {
    assert.ok(error instanceof NeedsOperator);
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+: the credentials were refused/);
    return true;
  });
  delete environment.LINK_PASSWORD;
  await assert.rejects(run(), /the environment variable LINK_PASSWORD of the agents is not set/);
});

test('redirects are not followed', async (t) => {
  const seen: (string | undefined)[] = [];
  const { run } = await setUp(t, (request, response) => {
    seen.push(request.url);
    response.writeHead(302, { location: 'http://127.0.0.1:1/subjects' }).end();
  });
  await assert.rejects(run(), /redirects to http:\/\/127\.0\.0\.1:1\/subjects; use that URL instead/);
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
