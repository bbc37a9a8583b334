import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ApiError, otherRoutes } from '@weir/api';
import { Metrics, systemClock } from '@weir/core';
import { TestCluster } from '@weir/metadata/testing';
import { accountsDeps } from '../../testing/accounts-deps.ts';
import { startLeader } from '../../testing/leading-node.ts';
import { parsePrometheusText } from '../../testing/prometheus-text.ts';
import { accountGrant, agentGrant, appGrant, makeAccount } from '../../testing/two-accounts.ts';
import { openAccounts } from '../accounts/open.ts';
import { hashSecret } from '../accounts/secrets/secrets.ts';
import { authorizeByAgentKeys } from '../agent-keys.ts';
import { RateLimits, usualRateLimits } from '../api-server/rate-limits.ts';
import { routePath } from '../http/route-table.ts';
import { startControlPlane } from '../server.ts';
import { type HostedMetricsOptions, hostedMetrics } from './hosted-metrics.ts';
import { metricsReaders } from './metrics-reader.ts';

const prometheusPath = routePath('clusterMetrics');

const settingsKey = `aks_${'5'.repeat(64)}`;
const unknownKey = `aks_${'0'.repeat(64)}`;
let databases = 0;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A control plane with two accounts of two workspaces each; all clusters are the same real one. */
async function start(t: TestContext, differences: Partial<HostedMetricsOptions> = {}) {
  const deps = accountsDeps();
  const accounts = await openAccounts(`memory://hosted-metrics-${databases++}`, deps);
  const ours = await makeAccount(accounts, 'Ours');
  const theirs = await makeAccount(accounts, 'Theirs');
  const node = await startLeader(t);
  const measured: string[] = [];
  const limits = new RateLimits(usualRateLimits, deps.clock);
  const agentKeys = [{ name: 'akn_settings', keyHash: hashSecret(settingsKey), clusterId: ours.a.clusterId }];
  const metrics = new Metrics();
  const hosted = hostedMetrics({
    clusterPort(clusterId) {
      measured.push(clusterId);
      return node;
    },
    samplesOf: async () => [],
    mayRead: metricsReaders({ accounts, agentKeys: authorizeByAgentKeys(agentKeys), limits }),
    clock: deps.clock,
    log: deps.log,
    metrics,
    ...differences,
  });
  const server = await startControlPlane({
    host: '127.0.0.1',
    port: 0,
    clusters: () => undefined,
    authorize: () => false,
    readiness: () => true,
    members: () => [],
    handlers: { clusterMetrics: hosted.answer },
    clock: systemClock,
    log: deps.log,
    metrics,
  });
  t.after(async () => {
    hosted.close();
    await server.close();
    await accounts.close();
  });
  const send = async (
    path: string,
    { method = 'GET', headers = {} }: RequestOptions = {},
  ): Promise<Answer> => {
    const request = httpRequest({ port: server.port, host: '127.0.0.1', path, method, headers });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const chunks = (await response.toArray()) as Buffer[];
    return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) };
  };
  const scrape = (clusterId: string, key: string, more: RequestOptions = {}) =>
    send(prometheusPath + clusterId, { ...more, headers: { ...basic('prometheus', key), ...more.headers } });
  return { accounts, ours, theirs, node, measured, clock: deps.clock, metrics, send, scrape };
}

function basic(user: string, password: string) {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

test('the route is where the API description says', () => {
  const route = otherRoutes.find(({ security }) => security === 'prometheus')!;
  assert.equal(route.path, `${prometheusPath}{virtual_cluster_id}`);
});

test('keys of the cluster and of its workspace can scrape it, and all other callers get the same refusal', async (t) => {
  const { ours, theirs, measured, send, scrape } = await start(t);
  const { a, b } = ours;
  const key = {
    app: await ours.key('app', appGrant(a.id)),
    reading: await ours.key('reading', appGrant(a.id, 'app_r')),
    agent: await ours.key('agent', agentGrant(a)),
    readingAgent: await ours.key('reading_agent', agentGrant(a, 'agent_r')),
    both: await ours.key('both', appGrant(b.id), appGrant(a.id)),
    otherWorkspace: await ours.key('other', appGrant(b.id)),
    otherAgent: await ours.key('other_agent', agentGrant(b)),
    account: await ours.key('account', accountGrant),
    foreign: await theirs.key('app', appGrant(theirs.a.id)),
    settings: settingsKey,
    unknown: unknownKey,
    nonsense: 'secret',
    empty: '',
  };
  const cases: [key: keyof typeof key, clusterId: string, isAdmitted: boolean][] = [
    ['app', a.clusterId, true],
    ['reading', a.clusterId, true],
    ['agent', a.clusterId, true],
    ['readingAgent', a.clusterId, true],
    ['both', a.clusterId, true],
    ['settings', a.clusterId, true],
    ['app', b.clusterId, false],
    ['agent', b.clusterId, false],
    ['settings', b.clusterId, false],
    ['app', theirs.a.clusterId, false],
    ['app', 'vci_never_was', false],
    ['app', '', false],
    ['app', `${a.clusterId}/`, false],
    ['app', '..', false],
    ['otherWorkspace', a.clusterId, false],
    ['otherAgent', a.clusterId, false],
    ['account', a.clusterId, false],
    ['foreign', a.clusterId, false],
    ['foreign', theirs.a.clusterId, true],
    ['unknown', a.clusterId, false],
    ['nonsense', a.clusterId, false],
    ['empty', a.clusterId, false],
  ];
  const refusals = new Set<string>();
  for (const [name, clusterId, isAdmitted] of cases) {
    const { status, headers, body } = await scrape(clusterId, key[name]);
    assert.equal(status, isAdmitted ? 200 : 401, `${name} ${clusterId}`);
    if (isAdmitted) continue;
    assert.equal(headers['www-authenticate'], 'Basic realm="metrics", charset="UTF-8"');
    refusals.add(String(body));
  }
  assert.equal(refusals.size, 1, 'with the same message');
  assert.deepEqual(
    new Set(measured),
    new Set([a.clusterId, theirs.a.clusterId]),
    'no other cluster is measured',
  );

  const path = prometheusPath + a.clusterId;
  const headers: [name: string, sent: Readonly<Record<string, string>>][] = [
    ['none', {}],
    ['another user', basic('Prometheus', key.app)],
    ['no user', basic('', key.app)],
    ['a key as the API takes it', { 'service-api-key': key.app }],
    ['a bearer', { authorization: `Bearer ${key.app}` }],
  ];
  for (const [name, sent] of headers) assert.equal((await send(path, { headers: sent })).status, 401, name);
});

test('a revoked key and a deleted cluster give no access', async (t) => {
  const { accounts, ours, clock, scrape } = await start(t);
  const { secret, key } = await accounts.keys.create(ours.accountId, {
    name: 'soon_gone',
    grants: [appGrant(ours.a.id)],
    createdBy: '',
  });
  const staying = await ours.key('stays', appGrant(ours.b.id));
  assert.equal((await scrape(ours.a.clusterId, secret)).status, 200);
  await accounts.keys.revoke(ours.accountId, key.id);
  clock.advance(2_000);
  assert.equal((await scrape(ours.a.clusterId, secret)).status, 401);
  assert.equal((await scrape(ours.b.clusterId, staying)).status, 200);
  await accounts.virtualClusters.delete(ours.accountId, ours.b.clusterId);
  assert.equal((await scrape(ours.b.clusterId, staying)).status, 401);
});

test('the response has the text of the cluster, plain or compressed, with a body or without', async (t) => {
  const { ours, node, measured, clock, scrape } = await start(t);
  const { clusterId } = ours.a;
  await node.createTopics([{ name: 'orders', partitionCount: 3, configs: {} }], { validateOnly: false });
  const plain = await scrape(clusterId, settingsKey);
  assert.equal(plain.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(plain.headers['cache-control'], 'no-store');
  assert.equal(plain.headers.vary, 'accept-encoding');
  const families = parsePrometheusText(String(plain.body));
  const partitions = families.find(({ name }) => name === 'service_partitions_count')!;
  assert.deepEqual(
    partitions.samples.map(({ labels, value }) => [labels.virtual_cluster_id, value]),
    [[clusterId, 3]],
  );
  const headers = { 'accept-encoding': 'gzip' };
  const zipped = await scrape(clusterId, settingsKey, { headers });
  assert.equal(zipped.headers['content-encoding'], 'gzip');
  assert.ok(zipped.body.length < plain.body.length);
  assert.deepEqual(gunzipSync(zipped.body), plain.body);
  const head = await scrape(clusterId, settingsKey, { method: 'HEAD' });
  assert.deepEqual([head.status, head.body.length], [200, 0]);
  assert.equal(head.headers['content-length'], String(plain.body.length));
  assert.equal(measured.length, 1, 'all of them share one measurement');
  clock.advance(10_000);
  await scrape(clusterId, settingsKey);
  assert.equal(measured.length, 2);
});

test('other methods than GET and HEAD are refused', async (t) => {
  const { ours, send, measured } = await start(t);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const { status, headers } = await send(prometheusPath + ours.a.clusterId, {
      method,
      headers: basic('prometheus', settingsKey),
    });
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'], method);
  }
  assert.deepEqual(measured, []);
});

test('a caller that tries many keys has to wait, and callers with a valid one do not', async (t) => {
  const { ours, scrape, metrics } = await start(t);
  const { clusterId } = ours.a;
  assert.equal((await scrape(clusterId, settingsKey)).status, 200);
  let last = await scrape(clusterId, unknownKey);
  for (let tries = 1; last.status === 401; tries++) {
    assert.ok(tries <= usualRateLimits.unknownKeysPerPlace.burst);
    last = await scrape(clusterId, unknownKey);
  }
  assert.equal(last.status, 429);
  assert.ok(Number(last.headers['retry-after']) >= 1);
  assert.equal((await scrape(clusterId, settingsKey)).status, 200);
  assert.match(metrics.render(), /hosted_metrics_scrapes_total\{status="429"\} 1\n/);
});

test('a cluster without a leader, and a key that cannot be verified, give a retriable error', async (t) => {
  const leaderless = Object.assign(new TestCluster(), { unavailable: true });
  const away = await start(t, { clusterPort: () => leaderless });
  const { status, headers } = await away.scrape(away.ours.a.clusterId, settingsKey);
  assert.deepEqual([status, headers['retry-after']], [503, '5']);

  const failing = await start(t, { mayRead: () => Promise.reject(new Error('the database is away')) });
  assert.equal((await failing.scrape(failing.ours.a.clusterId, settingsKey)).status, 503);
  const notYet = new ApiError('unavailable');
  const waiting = await start(t, { mayRead: () => Promise.reject(notYet) });
  assert.equal((await waiting.scrape(waiting.ours.a.clusterId, settingsKey)).status, 503);

  const broken = await start(t, {
    clusterPort: () => {
      throw new TypeError('a secret of ours');
    },
  });
  const mistake = await broken.scrape(broken.ours.a.clusterId, settingsKey);
  assert.equal(mistake.status, 500);
  assert.doesNotMatch(String(mistake.body), /secret/);
});
