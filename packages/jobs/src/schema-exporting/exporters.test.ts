import assert from 'node:assert/strict';
import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { asker, startAgentUnderTest, startRegistry } from '@weir/agent/testing';
import { AllowedHosts, usualTenantAccess } from '@weir/cluster/outbound';
import { pause } from '@weir/core/testing';

type Ask = (
  line: string,
  body?: object,
  login?: string,
) => Promise<{ readonly status: number; readonly json: unknown }>;

interface Status {
  readonly state: string;
  readonly offset: number;
  readonly trace: string;
}

const record = (field: string, name = 'R') => ({
  schema: JSON.stringify({
    type: 'record',
    name,
    fields: [{ name: field, type: 'string', default: '' }],
  }),
});

async function statusOf(ask: Ask, name = 'e'): Promise<Status> {
  return (await ask(`GET /exporters/${name}/status`)).json as Status;
}

async function waitFor(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await pause(5);
}

/** What a registry has, by subject and version, without the prefix that contexts have at a destination. */
async function contentOf(ask: Ask, prefix = '', login?: string): Promise<unknown[]> {
  const { json } = await ask('GET /schemas?deleted=true&subjectPrefix=:*:', undefined, login);
  return (json as Record<string, unknown>[])
    .map(({ subject, version, id, guid, schema, references, deleted = false }) => ({
      subject: String(subject).replace(`:${prefix}:`, '').replace(`:${prefix}.`, ':.'),
      ...{ version, id, guid, schema, references, deleted },
    }))
    .sort((a, b) => (`${a.subject} ${a.version}` < `${b.subject} ${b.version}` ? -1 : 1));
}

/** Waits until the destination is what the source is. The last comparison says what is different. */
async function waitForCopy(from: Ask, to: Ask, prefix: string, login?: string): Promise<void> {
  const wanted = await contentOf(from);
  await waitFor(async () => JSON.stringify(await contentOf(to, prefix, login)) === JSON.stringify(wanted));
}

/** Forwards requests to a registry, once `mayPass` resolves. */
async function startProxy(
  t: TestContext,
  port: number,
  mayPass: (line: string) => Promise<void> | undefined,
) {
  const forward: RequestListener = async (received, response) => {
    const { method, url, headers } = received;
    await mayPass(`${method} ${url}`);
    const sent = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    received.pipe(sent);
  };
  const server = createServer(forward);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('an exporter copies what is there, and then every change, until it is paused', async (t) => {
  const [source, destination] = [await startRegistry(t), await startRegistry(t)];
  await destination.addUser('writer', { isSuperuser: true });
  const from = await source.agent('agent-1');
  const to = await destination.agent('agent-1', { requiresLogin: true });
  const login = 'writer:secret';
  await from.ask('POST /subjects/orders/versions', record('a'));
  await from.ask('POST /subjects/orders/versions', record('b'));
  await from.ask('POST /subjects/:.eu:orders/versions', record('c'));
  const references = [{ name: 'o', subject: 'orders', version: 2 }];
  await from.ask('POST /subjects/a-list/versions', { ...record('d', 'List'), references });
  await from.ask('POST /subjects/gone/versions', record('e'));
  await from.ask('DELETE /subjects/gone');
  await from.ask('PUT /config/orders', { compatibility: 'FULL' });
  const config = {
    'schema.registry.url': `http://127.0.0.1:${to.agent.registryPort}`,
    'basic.auth.credentials.source': 'USER_INFO',
    'basic.auth.user.info': login,
  };
  const created = await from.ask('POST /exporters', { name: 'e', subjects: [':*:'], config });
  assert.deepEqual(created, { status: 200, json: { name: 'e' } });
  const { context, ...shown } = (await from.ask('GET /exporters/e')).json as { readonly context: string };
  assert.match(context, /^\.lsrc-[a-z]{6}$/);
  assert.doesNotMatch(JSON.stringify(shown), /writer:secret/);
  await waitFor(async () => (await statusOf(from.ask)).state === 'RUNNING');
  await waitForCopy(from.ask, to.ask, context, login);
  assert.deepEqual((await to.ask('GET /subjects', undefined, login)).json, [
    `:${context}.eu:orders`,
    `:${context}:a-list`,
    `:${context}:orders`,
  ]);
  const copied = await to.ask(`GET /config/:${context}:orders`, undefined, login);
  assert.deepEqual(copied.json, { compatibilityLevel: 'FULL' });
  const mine = await to.ask(`POST /subjects/:${context}:mine/versions`, record('x'), login);
  assert.equal(mine.status, 422, 'exporters alone write to the context');

  await from.ask('POST /subjects/orders/versions', record('f'));
  await from.ask('DELETE /subjects/a-list');
  await from.ask('DELETE /subjects/a-list?permanent=true');
  await from.ask('DELETE /subjects/orders/versions/1');
  await waitForCopy(from.ask, to.ask, context, login);

  assert.equal((await from.ask('DELETE /exporters/e')).status, 409);
  assert.equal((await from.ask('PUT /exporters/e/pause')).status, 200);
  assert.equal((await statusOf(from.ask)).state, 'PAUSED');
  await waitFor(async () => !(await source.node.listJobs()).jobs.some(({ state }) => state === 'running'));
  await from.ask('POST /subjects/new/versions', record('g'));
  const { offset } = await statusOf(from.ask);
  await from.ask('PUT /exporters/e/resume');
  await waitForCopy(from.ask, to.ask, context, login);
  await waitFor(async () => (await statusOf(from.ask)).offset > offset);

  await to.ask(`DELETE /subjects/:${context}:new`, undefined, login);
  await to.ask(`DELETE /subjects/:${context}:new?permanent=true`, undefined, login);
  assert.equal((await from.ask('PUT /exporters/e/reset')).status, 409);
  await from.ask('PUT /exporters/e/pause');
  await from.ask('PUT /exporters/e/reset');
  assert.equal((await statusOf(from.ask)).offset, 0);
  await from.ask('PUT /exporters/e/resume');
  await waitForCopy(from.ask, to.ask, context, login);
  const lines = from.metrics.render();
  assert.match(lines, /schema_exporter_exported_subject_versions\{exporter="e"\} [1-9]/);
  assert.match(lines, /schema_exporter_offset\{exporter="e"\} [1-9]/);
  await from.ask('PUT /exporters/e/pause');
  assert.equal((await from.ask('DELETE /exporters/e')).status, 204);
});

test('another agent goes on when one stops in the middle', async (t) => {
  const [source, destination] = [await startRegistry(t), await startRegistry(t)];
  const first = await source.agent('agent-1');
  const to = await destination.agent('agent-1');
  for (let at = 0; at < 12; at++) await first.ask(`POST /subjects/s-${at}/versions`, record(`f${at}`));
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let writeCount = 0;
  const proxyPort = await startProxy(t, to.agent.registryPort, (line) => {
    if (!line.startsWith('POST ') || ++writeCount !== 5) return undefined;
    reached.resolve();
    return held.promise;
  });
  const config = { 'schema.registry.url': `http://127.0.0.1:${proxyPort}` };
  await first.ask('POST /exporters', { name: 'e', contextType: 'CUSTOM', context: 'copy', config });
  await reached.promise;
  const second = await source.agent('agent-2');
  await waitFor(async () =>
    (await source.node.listJobs()).takers.some(
      ({ kind, agentCount }) => kind === 'schema_export' && agentCount === 2,
    ),
  );
  await first.agent.stop({ deadlineMs: 2_000 });
  held.resolve();
  await waitForCopy(second.ask, to.ask, '.copy');
  await waitFor(async () => (await statusOf(second.ask)).state === 'RUNNING');
  assert.match(second.metrics.render(), /schema_exporter_exported_subject_versions\{exporter="e"\} [78]/);
});

test('a failure is shown, and an exporter that was mended goes on', async (t) => {
  const [source, destination] = [await startRegistry(t), await startRegistry(t)];
  await destination.addUser('writer', { isSuperuser: true });
  const from = await source.agent('agent-1');
  const to = await destination.agent('agent-1', { requiresLogin: true });
  await from.ask('POST /subjects/orders/versions', record('a'));
  const url = `http://127.0.0.1:${to.agent.registryPort}`;
  const wrong = { 'schema.registry.url': url, 'basic.auth.user.info': 'writer:wrong' };
  await from.ask('POST /exporters', { name: 'e', contextType: 'NONE', config: wrong });
  await waitFor(async () => (await statusOf(from.ask)).state === 'ERROR');
  assert.match((await statusOf(from.ask)).trace, /^http:\/\/127\.0\.0\.1:\d+: .*\(status 4xx\)$/);
  const [job] = (await source.node.listJobs()).jobs;
  assert.deepEqual([job!.kind, job!.state], ['schema_export', 'stopped']);
  await from.ask('PUT /exporters/e/pause');
  await from.ask('PUT /exporters/e/config', { ...wrong, 'basic.auth.user.info': 'writer:secret' });
  await from.ask('PUT /exporters/e/resume');
  await waitForCopy(from.ask, to.ask, '', 'writer:secret');
  await waitFor(async () => (await statusOf(from.ask)).trace === '');
});

test('an agent of a Kafka cluster that serves a registry runs its exporters', async (t) => {
  const destination = await startRegistry(t);
  const to = await destination.agent('agent-1');
  const { agent, cluster } = await startAgentUnderTest(t, {
    registry: { port: 0, requiresLogin: false, logsRequests: false },
    tenantAccess: { ...usualTenantAccess, hosts: new AllowedHosts(['loopback']) },
  });
  const from = asker(agent.registryPort!);
  await from('POST /subjects/orders/versions', record('a'));
  const config = { 'schema.registry.url': `http://127.0.0.1:${to.agent.registryPort}` };
  await from('POST /exporters', { name: 'e', contextType: 'CUSTOM', context: 'kafka', config });
  await waitFor(async () => {
    await cluster.clock.pass(100);
    return (await statusOf(from)).state === 'RUNNING';
  });
  assert.deepEqual((await to.ask('GET /subjects')).json, [':.kafka:orders']);
});

test('an exporter to a host that the operator does not allow is refused, and asks nothing', async (t) => {
  const seen: unknown[] = [];
  const server = createServer((asked, response) => {
    seen.push(asked.url);
    response.writeHead(500).end(JSON.stringify({ message: 'INTERNAL-SECRET' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { agent } = await startAgentUnderTest(t, {
    registry: { port: 0, requiresLogin: false, logsRequests: false },
  });
  const ask = asker(agent.registryPort!);
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '169.254.169.254'];
  for (const host of hosts) {
    const config = { 'schema.registry.url': `https://sr.example, http://${host}:${port}` };
    const { status, json } = await ask('POST /exporters', { name: 'e', config });
    assert.equal(status, 409, host);
    assert.match(
      String((json as { message: string }).message),
      /the operator allows hosts by -allowedTargetHosts/,
    );
  }
  assert.deepEqual((await ask('GET /exporters')).json, []);
  assert.deepEqual(seen, []);
});

test('nothing that a destination sends is in the status of an exporter', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(403).end(JSON.stringify({ error_code: 40399, message: 'INTERNAL-SECRET' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const source = await startRegistry(t);
  const from = await source.agent('agent-1');
  await from.ask('POST /subjects/orders/versions', record('a'));
  await from.ask('POST /exporters', {
    name: 'e',
    config: { 'schema.registry.url': `http://127.0.0.1:${port}` },
  });
  await waitFor(async () => (await statusOf(from.ask)).state === 'ERROR');
  const { trace } = await statusOf(from.ask);
  assert.equal(trace, `http://127.0.0.1:${port}: the credentials have no right for this (status 4xx)`);
});
