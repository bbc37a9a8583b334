import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { QueryOutcome, QueryToRun, TableAnswer, TableQuestionOf } from '@weir/cluster';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { accountsDeps } from '../../testing/accounts-deps.ts';
import { agentGrant, appGrant, makeAccount } from '../../testing/two-accounts.ts';
import { openAccounts } from '../accounts/open.ts';
import { RateLimits, usualRateLimits } from '../api-server/rate-limits.ts';
import { metricsReaders } from '../hosted-metrics/metrics-reader.ts';
import { routePath } from '../http/route-table.ts';
import { startControlPlane } from '../server.ts';
import { catalogRoute } from './catalog-route.ts';
import { ClusterCatalogs } from './cluster-catalog.ts';

const location = 's3://lake/service/_tableflow/k__orders-u';
const metadata = JSON.stringify({
  'format-version': 2,
  'table-uuid': '0f1e2d3c-4b5a-4968-8776-000000000016',
  location,
  'last-sequence-number': 0,
  'last-updated-ms': 1_769_860_800_000,
  'last-column-id': 1,
  schemas: [
    {
      type: 'struct',
      'schema-id': 0,
      fields: [{ id: 1, name: 'id', required: true, type: 'long' }],
    },
  ],
  'current-schema-id': 0,
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'default-spec-id': 0,
  'last-partition-id': 999,
  'sort-orders': [{ 'order-id': 0, fields: [] }],
  'default-sort-order-id': 0,
  properties: {},
  snapshots: [],
});

let databases = 0;

async function start(t: TestContext) {
  const deps = accountsDeps();
  const accounts = await openAccounts(`memory://catalog-${databases++}`, deps);
  const ours = await makeAccount(accounts, 'Ours');
  const theirs = await makeAccount(accounts, 'Theirs');
  const { id } = await accounts.virtualClusters.create(ours.accountId, ours.a.id, {
    name: 'lake',
    type: 'byoc_data_lake',
    tier: 'pro',
    cloudProvider: 'aws',
    place: { region: 'us-east-1' },
  });
  await accounts.tables.ensure({ accountId: ours.accountId, clusterId: id }, [
    { pipelineId: 'p', name: 'k__orders', sourceCluster: 'k', topic: 'orders', bucketUrl: undefined },
    { pipelineId: 'p', name: 'k__new', sourceCluster: 'k', topic: 'new', bucketUrl: undefined },
  ]);
  const agent = { asked: [] as TableQuestionOf<'tableMetadata'>[], version: 1, isAway: false };
  const answerTo = (question: TableQuestionOf<'tableMetadata'>): TableAnswer => {
    if (question.table.tableName === 'k__new')
      return { kind: 'refused', reason: 'notFound', message: 'nothing was committed to the table yet' };
    const newest = `${location}/metadata/v${agent.version}.metadata.json`;
    const isKnown = question.knownLocation === newest;
    return { kind: 'answered', answer: { location: newest, ...(isKnown ? {} : { metadata }) } };
  };
  const portOf = () => ({
    async runQuery({ request }: QueryToRun): Promise<QueryOutcome> {
      if (agent.isAway) return { kind: 'refused', refusal: 'noEngine', message: '' };
      const question = JSON.parse(Buffer.from(request).toString());
      agent.asked.push(question);
      const answer = Buffer.from(JSON.stringify(answerTo(question)));
      return { kind: 'answered', agentId: 'a', answer, isLast: true };
    },
    cancelQuery: async () => {},
  });
  const { virtualClusters, tables, secrets } = accounts;
  let ids = 0;
  const freshUuid = () => `q${ids++}`;
  const catalogs = new ClusterCatalogs({ virtualClusters, tables, secrets, portOf, freshUuid });
  const server = await startControlPlane({
    host: '127.0.0.1',
    port: 0,
    clusters: () => undefined,
    authorize: () => false,
    readiness: () => true,
    members: () => [],
    handlers: {
      icebergCatalog: catalogRoute({
        mayRead: metricsReaders({ accounts, limits: new RateLimits(usualRateLimits, deps.clock) }),
        tablesOf: (clusterId, stop) => catalogs.tablesOf(clusterId, stop),
        isBehindProxy: false,
        log: silentLog,
      }),
    },
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(async () => {
    await server.close();
    await accounts.close();
  });
  const urlOf = (clusterId: string) => `${server.url}${routePath('icebergCatalog')}${clusterId}`;
  const key = await ours.key('app', appGrant(ours.a.id, 'app_r'));
  return { ours, theirs, id, agent, key, urlOf };
}

test('tables are listed and loaded; metadata that did not change is not asked for again', async (t) => {
  const { id, key, urlOf, agent } = await start(t);
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`${urlOf(id)}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const { body: listed } = await get('namespaces/default/tables');
  const identifiers = ['k__new', 'k__orders'].map((name) => ({ namespace: ['default'], name }));
  assert.deepEqual(listed.identifiers, identifiers);
  const table = 'namespaces/default/tables/k__orders';
  assert.deepEqual(await get(table), {
    status: 200,
    body: {
      'metadata-location': `${location}/metadata/v1.metadata.json`,
      metadata: JSON.parse(metadata),
      config: {},
    },
  });
  assert.equal((await get(table)).body['metadata-location'], `${location}/metadata/v1.metadata.json`);
  agent.version = 2;
  assert.equal((await get(table)).body['metadata-location'], `${location}/metadata/v2.metadata.json`);
  assert.deepEqual(
    agent.asked.map(({ knownLocation }) => knownLocation?.split('/').at(-1)),
    [undefined, 'v1.metadata.json', 'v1.metadata.json'],
  );
  assert.equal((await get(table, 'HEAD')).status, 204);
  const missing = await get('namespaces/default/tables/k__new');
  assert.deepEqual([missing.status, missing.body.error.type], [404, 'NoSuchTableException']);
  const written = await get(table, 'DELETE');
  assert.deepEqual([written.status, written.body.error.type], [403, 'ForbiddenException']);
});

test('keys of the cluster and its workspace read the catalog, others do not', async (t) => {
  const { ours, theirs, id, urlOf, agent } = await start(t);
  const lake = { ...ours.a, clusterId: id };
  const keys: readonly [who: string, key: string, status: number][] = [
    ['an application key', await ours.key('k1', appGrant(ours.a.id)), 200],
    ['an agent key of the cluster', await ours.key('k2', agentGrant(lake)), 200],
    ['an agent key of another cluster', await ours.key('k3', agentGrant(ours.a)), 401],
    ['an application key of another workspace', await ours.key('k4', appGrant(ours.b.id)), 401],
    ['a key of another account', await theirs.key('k5', appGrant(theirs.a.id)), 401],
    ['no key', '', 401],
  ];
  for (const [who, key, status] of keys) {
    const headers = key === '' ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(`${urlOf(id)}/v1/config`, { headers });
    assert.equal(response.status, status, who);
    const body = (await response.json()) as { error?: { type: string }; endpoints?: string[] };
    if (status === 401) assert.equal(body.error?.type, 'NotAuthorizedException', who);
    else assert.ok(body.endpoints!.length > 0, who);
  }
  const headers = { authorization: `Bearer ${keys[0]![1]}` };
  const other = await fetch(`${urlOf(ours.a.clusterId)}/v1/config`, { headers });
  assert.equal(other.status, 404, 'a Kafka cluster has no tables');
  agent.isAway = true;
  const away = await fetch(`${urlOf(id)}/v1/namespaces/default/tables/k__orders`, { headers });
  assert.deepEqual([away.status, away.headers.get('retry-after')], [503, '5']);
});

test('a key is exchanged for a token, as engines with a credential do it', async (t) => {
  const { ours, theirs, id, urlOf } = await start(t);
  const [key, foreign] = [
    await ours.key('k1', appGrant(ours.a.id)),
    await theirs.key('k2', appGrant(theirs.a.id)),
  ];
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const grant = { grant_type: 'client_credentials', client_id: 'spark', scope: 'catalog' };
  const basic = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`spark:${encodeURIComponent(secret)}`).toString('base64')}`,
  });
  const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' };
  const cases: readonly [
    what: string,
    body: string,
    headers: Record<string, string>,
    status: number,
    error?: string,
  ][] = [
    ['a key in the form', form({ ...grant, client_secret: key }), urlEncoded, 200],
    [
      'a key without the name of a client',
      form({ grant_type: 'client_credentials', client_secret: key }),
      urlEncoded,
      200,
    ],
    ['a key in the header', form(grant), { ...urlEncoded, ...basic(key) }, 200],
    [
      'a key of another account',
      form({ ...grant, client_secret: foreign }),
      urlEncoded,
      401,
      'invalid_client',
    ],
    ['no key', form(grant), urlEncoded, 401, 'invalid_client'],
    [
      'a wrong header beside a right form',
      form({ ...grant, client_secret: key }),
      { ...urlEncoded, ...basic('x') },
      401,
      'invalid_client',
    ],
    [
      'another grant',
      form({ grant_type: 'password', client_secret: key }),
      urlEncoded,
      400,
      'unsupported_grant_type',
    ],
    ['no grant', form({ client_secret: key }), urlEncoded, 400, 'unsupported_grant_type'],
    [
      'JSON',
      JSON.stringify({ ...grant, client_secret: key }),
      { 'content-type': 'application/json' },
      400,
      'invalid_request',
    ],
    [
      'a form without an end',
      form({ ...grant, client_secret: key, more: 'x'.repeat(20_000) }),
      urlEncoded,
      400,
      'invalid_request',
    ],
  ];
  for (const [what, body, headers, status, error] of cases) {
    const response = await fetch(`${urlOf(id)}/v1/oauth/tokens`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { access_token?: string; error?: string };
    assert.deepEqual([response.status, answer.error], [status, error], what);
    assert.equal(response.headers.get('cache-control'), 'no-store', what);
    if (status !== 200) continue;
    const authorization = `Bearer ${answer.access_token}`;
    assert.equal((await fetch(`${urlOf(id)}/v1/config`, { headers: { authorization } })).status, 200, what);
  }
});
