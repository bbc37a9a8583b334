import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Failure, seededRandom, silentLog } from '@weir/core';
import { catalogContract } from '../../../testing/catalog-contract.ts';
import { dataFile } from '../../../testing/files.ts';
import { type Fault, RestServer } from '../../../testing/rest-server.ts';
import { column } from '../../../testing/schemas.ts';
import { orders, ordersPath, TestLake } from '../../../testing/tables.ts';
import { commitChange } from '../../changes/commit-change.ts';
import { createTable } from '../../changes/create-table.ts';
import { FileChange } from '../../changes/file-change.ts';
import { CommitConflict, CommitUnknown } from '../../table-errors.ts';
import { authenticator, type RestAuth } from './rest-auth.ts';
import { RestCatalog } from './rest-catalog.ts';

const servers: RestServer[] = [];
after(() => {
  for (const server of servers) server.close();
});

/** A client, the server, and the lake behind it. */
async function started(auth?: RestAuth) {
  const lake = new TestLake();
  const server = new RestServer(lake.catalog, 'main warehouse');
  servers.push(server);
  const uri = await server.start();
  const catalog = new RestCatalog({
    uri: `${uri}/`,
    warehouse: 'lake & more',
    auth,
    clock: lake.deps.clock,
    random: seededRandom(1),
  });
  const append = (name: string) =>
    new FileChange({ operation: 'append', added: [dataFile(`${ordersPath}/data/${name}`)] }, lake.deps);
  const commit = (name: string) =>
    commitChange(catalog, orders, append(name), { ...lake.deps, log: silentLog, attemptsMax: 100 });
  return { lake, server, catalog, append, commit, uri };
}

async function withTable(auth?: RestAuth) {
  const parts = await started(auth);
  await parts.lake.create();
  return parts;
}

catalogContract('REST', async () => (await started()).catalog);

test('paths have the prefix of the server, and escaped names', async () => {
  const { server, catalog } = await started();
  await catalog.list(['a', 'b/c']).catch(() => undefined);
  assert.deepEqual(server.requests, [
    'GET /catalog/v1/config?warehouse=lake+%26+more',
    'GET /catalog/v1/main%20warehouse/namespaces/a%1Fb%2Fc/tables?pageToken=',
  ]);
});

test('the server chooses what joins levels of a namespace', async () => {
  const { server, catalog } = await started();
  server.separator = '%2E';
  await catalog.list(['a', 'b']).catch(() => undefined);
  assert.equal(server.requests[1], 'GET /catalog/v1/main%20warehouse/namespaces/a.b/tables?pageToken=');
});

test('an address may end with slashes, or be that of a host', async () => {
  const lake = new TestLake();
  for (const [uri, path] of [
    ['', '/v1/config'],
    ['/', '/v1/config'],
    ['/catalog//', '/catalog/v1/config'],
  ] as const) {
    const server = new RestServer(lake.catalog, 'p');
    servers.push(server);
    const { origin } = new URL(await server.start());
    const catalog = new RestCatalog({ uri: origin + uri, clock: lake.deps.clock, random: seededRandom(1) });
    await catalog.list(['a']).catch(() => undefined);
    assert.equal(server.requests[0], `GET ${path}`);
  }
});

test('long lists come page by page', async () => {
  const { lake, catalog } = await started();
  for (const name of ['e', 'a', 'c', 'b', 'd'])
    await createTable(
      lake.catalog,
      { namespace: ['shop'], name },
      { columns: [column(1, 'a', 'int')] },
      lake.deps,
    );
  assert.deepEqual(
    (await catalog.list(['shop'])).map(({ name }) => name),
    ['a', 'b', 'c', 'd', 'e'],
  );
});

test('what statuses mean for a commit', async () => {
  // the status, or a lost answer; the error
  const cases: [Fault, new (...args: never[]) => Error, RegExp][] = [
    [409, CommitConflict, /shop\.orders: status 409: by design; load the table again/],
    [500, CommitUnknown, /not known whether the change was made: .*status 500: by design/],
    [502, CommitUnknown, /status 502/],
    [504, CommitUnknown, /status 504/],
    ['lost answer', CommitUnknown, /not known whether/],
    [503, Failure, /status 503/],
    [403, Failure, /status 403: by design; check the credentials and rights/],
    [400, Failure, /the catalog answered with status 400/],
  ];
  for (const [fault, kind, problem] of cases) {
    const { server, catalog } = await withTable();
    server.fault = (method) => (method === 'POST' ? fault : undefined);
    const updates = [{ action: 'set-properties', updates: { a: 'b' } }] as const;
    await assert.rejects(catalog.commit(orders, { requirements: [], updates }), (error: Error) => {
      assert.ok(error instanceof kind, `${fault}: ${error.name}`);
      assert.match(error.message, problem);
      return true;
    });
    server.fault = () => undefined;
    assert.equal(
      (await catalog.load(orders)).metadata.properties.a,
      fault === 'lost answer' ? 'b' : undefined,
    );
  }
});

test('appends through faults of the server are made once each', async () => {
  const { lake, server, commit } = await withTable();
  const random = seededRandom(21);
  const faults: (Fault | undefined)[] = [undefined, 409, 500, 502, 503, 504, 'lost answer', 'lost answer'];
  server.fault = (method) => (method === 'POST' ? faults[random.below(faults.length)] : undefined);
  const names = Array.from({ length: 12 }, (_, at) => `f${String(at).padStart(2, '0')}`);
  await Promise.all(
    [0, 1, 2].map(async (writer) => {
      for (const name of names.filter((_, at) => at % 3 === writer)) await commit(name);
    }),
  );
  assert.deepEqual(await lake.liveFiles(), names);
  assert.equal((await lake.catalog.load(orders)).metadata.snapshots.length, 12);
});

test('a busy server is asked again', async () => {
  const { server, catalog } = await withTable();
  let busy = 3;
  server.fault = () => (busy-- > 0 ? 503 : undefined);
  assert.equal((await catalog.load(orders)).metadata.formatVersion, 2);
});

test('a server that is not there is a failure, and no unknown commit', async () => {
  const lake = new TestLake();
  const server = new RestServer(lake.catalog, 'p');
  const uri = await server.start();
  server.close();
  const catalog = new RestCatalog({ uri, clock: lake.deps.clock, random: seededRandom(1) });
  await assert.rejects(
    catalog.commit(orders, { requirements: [], updates: [] }),
    (error: Error) => error.name === 'Failure' && /is the catalog reachable\?/.test(error.message),
  );
  for (const wrong of ['ftp://x', 'http://user:secret@x', 'nonsense', 'http://x?y=z'])
    assert.throws(
      () => new RestCatalog({ uri: wrong, clock: lake.deps.clock, random: seededRandom(1) }),
      /address of a catalog/,
    );
});

test('bearer tokens, and tokens of client credentials that are renewed', async () => {
  const fixed = await withTable({ type: 'bearer', token: 't0' });
  fixed.server.isAllowed = (authorization) => authorization === 'Bearer t0';
  await fixed.catalog.load(orders);
  fixed.server.isAllowed = () => false;
  await assert.rejects(fixed.catalog.load(orders), /status 401: no; check the credentials/);

  const renewed = await withTable({
    type: 'oauth2',
    clientId: 'me',
    clientSecret: 's3cret',
    scope: 'PRINCIPAL_ROLE:ALL',
  });
  let tokens = 0;
  renewed.server.isAllowed = (authorization) => authorization === `Bearer t${tokens}`;
  renewed.server.token = (form) =>
    form.get('client_id') === 'me' &&
    form.get('client_secret') === 's3cret' &&
    form.get('scope') === 'PRINCIPAL_ROLE:ALL'
      ? { access_token: `t${++tokens}`, token_type: 'bearer', expires_in: 3600 }
      : undefined;
  await Promise.all([renewed.catalog.load(orders), renewed.catalog.load(orders)]);
  assert.equal(tokens, 1, 'one token for both');
  tokens++;
  await renewed.catalog.load(orders);
  assert.equal(tokens, 3, 'a refused token is renewed once');
  renewed.server.isAllowed = () => false;
  await assert.rejects(renewed.catalog.load(orders), /status 401/);

  const denied = await started({ type: 'oauth2', clientId: 'me', clientSecret: 'wrong' });
  await assert.rejects(
    denied.catalog.load(orders),
    (error: Error) =>
      /token server answered with status 401; check client id and secret/.test(error.message) &&
      !error.message.includes('wrong'),
  );
});

test('requests are signed by AWS Signature Version 4', async () => {
  const auth: RestAuth = {
    type: 'sigv4',
    region: 'eu-west-1',
    service: 'glue',
    credentials: async () => ({
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    }),
  };
  const clock = { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5), monotonicMs: () => 0, after: () => () => {} };
  const uri = new URL('https://glue.eu-west-1.amazonaws.com/iceberg');
  const signer = authenticator(auth, { clock, uri, send: async () => ({ status: 200, text: '' }) });
  const url = new URL(
    'https://glue.eu-west-1.amazonaws.com/iceberg/v1/catalogs/1/namespaces/a%1Fb/tables?pageToken=',
  );
  const headers = await signer.headers({ method: 'GET', url, headers: { accept: 'application/json' } });
  // Computed with botocore 1.44.3.
  assert.equal(
    headers.authorization,
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-1/glue/aws4_request,SignedHeaders=accept;host;x-amz-content-sha256;x-amz-date,Signature=44655479fdb631c67b03281c0335c57610acd7b59af49b24784b1f1cfecadfed',
  );
});
