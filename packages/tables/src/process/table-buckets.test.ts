import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { AllowedHosts } from '@weir/cluster/outbound';
import { Metrics, seededRandom, silentLog, systemClock } from '@weir/core';
import { CatalogDenied, createTable, parsePrimitive, storeFiles } from '@weir/iceberg';
import { GlueServer, MemoryCatalog, RestServer } from '@weir/iceberg/testing';
import { createBucket, openStore } from '@weir/storage';
import { openTable } from '../append/open-table.ts';
import { TableBlocked } from '../append/table-blocked.ts';
import { parseCatalog } from '../definition/catalog-fields.ts';
import { dropTable } from '../maintenance/drop-table.ts';
import { TableBuckets } from './table-buckets.ts';
import { TableCatalogs } from './table-catalogs.ts';

const deps = () => ({ clock: systemClock, random: seededRandom(1), log: silentLog });
const orders = { tableName: 'shop__Orders.eu', tableUuid: '11111111-1111-4111-8111-111111111111' };
const secret = `\${secret:polaris}`;
const again = { ...orders, tableUuid: '22222222-2222-4222-8222-222222222222' };

/** A bucket on disk, and agents that may use it. */
async function started(t: TestContext, allowed: readonly string[] = ['loopback']) {
  const folder = await mkdtemp(join(tmpdir(), 'weir-table-buckets-'));
  const url = pathToFileURL(folder).href;
  await createBucket(url);
  const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const bucket = { url, allowedUrls: [], environment, usesMetadataService: false };
  const catalogs = new TableCatalogs({ bucket, hosts: new AllowedHosts([...allowed]), ...deps() });
  const buckets = new TableBuckets({ bucket, catalogs, onRequest: () => {}, ...deps() });
  t.after(async () => {
    await buckets.close();
    catalogs.close();
    await rm(folder, { recursive: true, force: true });
  });
  const placeOf = (
    table: typeof orders,
    catalog: object | undefined,
    values: Readonly<Record<string, string>> = {},
    ignoresOthers = false,
  ) =>
    buckets.placeOf(table, {
      bucketUrl: undefined,
      settings: parseCatalog(catalog && JSON.stringify(catalog)),
      credentialOf: ({ variable }) => values[variable] ?? assert.fail(`no ${variable}`),
      ignoresOthers,
    });
  const open = async (...args: Parameters<typeof placeOf>) => {
    const place = await placeOf(...args);
    const columns = [{ id: 1, name: 'id', isRequired: false, type: parsePrimitive('long', 'id') }];
    const wanted = { name: place.name, columns, partitionBy: [], properties: {} };
    return { place, table: await openTable({ ...deps(), ...place }, wanted, () => {}) };
  };
  const remove = async (table: typeof orders, catalog: object | undefined) => {
    const { catalog: from, files, name, location } = await placeOf(table, catalog, {}, true);
    const signal = new AbortController().signal;
    return await dropTable({ catalog: from, files, table: name, location, log: silentLog, signal });
  };
  return { url, folder, open, remove };
}

async function restServer(t: TestContext, url: string): Promise<{ server: RestServer; uri: string }> {
  const store = await openStore(url, { ...deps(), environment: {}, metrics: new Metrics() });
  const files = storeFiles(store, url);
  const server = new RestServer(new MemoryCatalog({ files, root: `${url}/elsewhere`, ...deps() }), 'lake');
  t.after(async () => {
    server.close();
    await store.close();
  });
  return { server, uri: await server.start() };
}

test('without a catalog a table has a folder of its name and its UUID', async (t) => {
  const { url, open } = await started(t);
  const { place, table } = await open(orders, undefined);
  assert.equal(table.metadata.location, `${url}/service/_tableflow/${orders.tableName}-${orders.tableUuid}`);
  assert.equal(place.location, table.metadata.location);
});

test('a REST catalog has the table by its own name, in a folder of the bucket', async (t) => {
  const { url, open } = await started(t);
  const { server, uri } = await restServer(t, url);
  server.isAllowed = (authorization) => authorization === 'Bearer from-oauth';
  server.token = (form) =>
    form.get('client_id') === 'weir' && form.get('client_secret') === 'hush'
      ? { access_token: 'from-oauth', expires_in: 3600 }
      : undefined;
  const catalog = {
    type: 'rest',
    uri,
    namespace: 'shop.eu',
    client_id: 'weir',
    client_secret: secret,
  };
  const { place, table } = await open(orders, catalog, { [secret]: 'hush' });
  const folder = `${url}/service/_tableflow/${orders.tableName}-${orders.tableUuid}-`;
  assert.ok(place.location.startsWith(folder), place.location);
  assert.equal(table.metadata.location, place.location);
  assert.deepEqual(place.name, { namespace: ['shop', 'eu'], name: orders.tableName });
  assert.ok(table.metadataPath.startsWith(`${place.location}/metadata/`));
  assert.deepEqual((await open(orders, catalog, { [secret]: 'hush' })).table, table);
});

test('Glue has it in small letters', async (t) => {
  const { open } = await started(t);
  const server = new GlueServer();
  t.after(() => server.close());
  const endpoint_url = await server.start();
  const catalog = { type: 'glue', region: 'eu-west-1', namespace: 'shop', endpoint_url };
  const { place, table } = await open(orders, catalog);
  assert.deepEqual(place.name, { namespace: ['shop'], name: 'shop__orders_eu' });
  assert.equal(table.metadata.location, place.location);
  const { Parameters } = server.table('shop', 'shop__orders_eu') as { Parameters: object };
  assert.equal((Parameters as Record<string, unknown>).metadata_location, table.metadataPath);
});

test('a catalog that denies is one line, and says what to do', async (t) => {
  const { url, open } = await started(t);
  const { server, uri } = await restServer(t, url);
  const glue = new GlueServer();
  t.after(() => glue.close());
  const endpoint_url = await glue.start();
  const rest = { type: 'rest', uri, token_env: 'T' };
  const other = { ...rest, warehouse: 'other' };
  const oauth = { type: 'rest', uri, client_id: 'weir', client_secret_env: 'T' };
  const denied = async (catalog: object, problem: RegExp) => {
    const error = await open(orders, catalog, { T: 'wrong' }).then(
      () => assert.fail('was allowed'),
      (found: Error) => found,
    );
    assert.ok(error instanceof CatalogDenied, error.stack);
    assert.match(error.message, problem);
    assert.doesNotMatch(error.message, /\n|wrong/);
  };
  server.fault = () => 403;
  await denied(
    rest,
    /: the catalog answered with status 403: by design; check the credentials and rights of/,
  );
  server.isAllowed = () => false;
  await denied(
    other,
    /^http\S+: the catalog refused its configuration: status 401: no; check the credentials and rights of/,
  );
  await denied(oauth, /: the token server answered with status 401; check client id and secret$/);
  glue.fault = () => ({ type: 'AccessDeniedException' });
  await denied(
    { type: 'glue', region: 'eu-west-1', namespace: 'shop', endpoint_url },
    /^Glue answered with AccessDeniedException: by design; allow the role of the agents this action on Glue$/,
  );
});

test('only hosts that the operator allows are asked', async (t) => {
  const { url, open } = await started(t, ['catalog.example']);
  const { server, uri } = await restServer(t, url);
  const asked = () => server.requests.length;
  await assert.rejects(open(orders, { type: 'rest', uri }), { name: 'HostRefused' });
  await assert.rejects(
    open(orders, { type: 'glue', region: 'eu-west-1', namespace: 'shop', endpoint_url: uri }),
    { name: 'HostRefused' },
  );
  assert.equal(asked(), 0);
});

test('a token server is checked by its own name', async (t) => {
  const { url, open } = await started(t, ['127.0.0.1']);
  const { uri } = await restServer(t, url);
  const login = { client_id: 'weir', client_secret_env: 'T', oauth_token_url: 'http://[::1]:1/' };
  await assert.rejects(open(orders, { type: 'rest', uri, ...login }, { T: 't' }), { name: 'HostRefused' });
});

test('tables of others are neither written nor removed', async (t) => {
  const { url, folder, open, remove } = await started(t);
  const { uri } = await restServer(t, url);
  const catalog = { type: 'rest', uri };
  const { table } = await open(orders, catalog);
  // The same name after the table was deleted and configured again: it waits for the removal of the first.
  await assert.rejects(open(again, catalog), (error: Error) => {
    assert.ok(!(error instanceof TableBlocked), 'it is tried again');
    assert.match(
      error.message,
      /^default\.shop__Orders\.eu: the catalog has a table of another pipeline, or/,
    );
    return true;
  });
  assert.equal(await remove(again, catalog), 0);
  assert.deepEqual((await open(orders, catalog)).table, table);
  assert.ok((await remove(orders, catalog)) > 0);
  const left = await readdir(folder, { recursive: true, withFileTypes: true });
  assert.deepEqual(
    left.filter((one) => one.isFile()).map(({ name }) => name),
    [],
  );
  const second = await open(again, catalog);
  assert.notEqual(second.table.metadata.location, table.metadata.location);
  assert.equal(second.place.location.includes(again.tableUuid), true);
});

test('a table that another program made is refused', async (t) => {
  const { url, open } = await started(t);
  const store = await openStore(url, { ...deps(), environment: {}, metrics: new Metrics() });
  const foreign = new MemoryCatalog({ files: storeFiles(store, url), root: url, ...deps() });
  const server = new RestServer(foreign, 'lake');
  t.after(async () => {
    server.close();
    await store.close();
  });
  const name = { namespace: ['default'], name: orders.tableName };
  const columns = [{ id: 1, name: 'id', isRequired: false, type: parsePrimitive('long', 'id') }];
  await createTable(foreign, name, { columns }, deps());
  await assert.rejects(open(orders, { type: 'rest', uri: await server.start() }), {
    name: 'TableBlocked',
    message:
      'default.shop__Orders.eu: the catalog has a table of this name that no pipeline made; rename it, or choose another namespace',
  });
});
