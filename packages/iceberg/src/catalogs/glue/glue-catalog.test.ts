import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Failure, seededRandom, silentLog } from '@weir/core';
import { catalogContract } from '../../../testing/catalog-contract.ts';
import { dataFile } from '../../../testing/files.ts';
import { type GlueFault, GlueServer } from '../../../testing/glue-server.ts';
import { column, list, struct } from '../../../testing/schemas.ts';
import { orders, root, TestLake } from '../../../testing/tables.ts';
import { commitChange } from '../../changes/commit-change.ts';
import { createTable } from '../../changes/create-table.ts';
import { FileChange } from '../../changes/file-change.ts';
import { PropertyChange } from '../../changes/metadata-changes.ts';
import { snapshotOfRef } from '../../metadata/table-metadata.ts';
import { planFiles } from '../../scan/plan-files.ts';
import {
  CommitConflict,
  CommitUnknown,
  InvalidTable,
  TableExists,
  TableNotFound,
} from '../../table-errors.ts';
import { GlueCatalog } from './glue-catalog.ts';

const servers: GlueServer[] = [];
after(() => {
  for (const server of servers) server.close();
});

const credentials = async () => ({ accessKeyId: 'id', secretAccessKey: 'secret' });
const location = `${root}/shop.db/orders`;
const setProperty = (name: string) => ({
  requirements: [],
  updates: [{ action: 'set-properties', updates: { [name]: 'x' } }] as const,
});

/** A catalog, the server, and the bucket of the tables. */
async function started() {
  const lake = new TestLake();
  const server = new GlueServer();
  servers.push(server);
  const endpoint = await server.start();
  const { files, clock } = lake.deps;
  let seed = 1;
  const open = () =>
    new GlueCatalog({
      region: 'eu-west-1',
      endpoint,
      credentials,
      files,
      root: `${root}/`,
      clock,
      random: seededRandom(seed++),
      log: silentLog,
    });
  const catalog = open();
  const append = (name: string) =>
    commitChange(
      catalog,
      orders,
      new FileChange({ operation: 'append', added: [dataFile(`${location}/data/${name}`)] }, lake.deps),
      { ...lake.deps, log: silentLog, attemptsMax: 200 },
    );
  const live = async () => {
    const { metadata } = await catalog.load(orders);
    const { data } = await planFiles(files, metadata, snapshotOfRef(metadata));
    return data.map(({ file }) => file.path.split('/').at(-1)!).sort();
  };
  const metadataFiles = async () => (await lake.keys()).filter((key) => key.endsWith('.metadata.json'));
  return { lake, server, catalog, open, append, live, metadataFiles };
}

async function withTable(properties: Record<string, string> = {}) {
  const parts = await started();
  const columns = [
    column(1, 'id!', 'long'),
    column(2, 'tags', list(3, 'string')),
    column(4, 'at', struct(column(5, 'ts', 'timestamptz'), column(6, 'price', 'decimal(9, 2)'))),
  ];
  await createTable(parts.catalog, orders, { columns, properties }, parts.lake.deps);
  return parts;
}

catalogContract('Glue', async () => (await started()).catalog);

test('Glue has the location, the columns and the metadata of before and now', async () => {
  const { server, catalog, lake } = await withTable();
  const first = (await catalog.load(orders)).metadataPath;
  assert.match(
    first,
    /^s3:\/\/lake\/warehouse\/shop\.db\/orders\/metadata\/00000-[0-9a-f-]{36}\.metadata\.json$/,
  );
  // What others say about the table stays.
  const others = { Owner: 'shop', Description: 'all orders', Retention: 3 };
  const { Parameters, ...before } = server.table('shop', 'orders')!;
  server.putTable('shop', { ...before, ...others, Parameters: { ...(Parameters as object), team: 'a' } });
  await commitChange(catalog, orders, new PropertyChange({ set: { a: 'b' } }), {
    ...lake.deps,
    log: silentLog,
  });
  const second = (await catalog.load(orders)).metadataPath;
  assert.match(second, /\/00001-/);
  const iceberg = (id: number, isOptional: boolean) => ({
    'iceberg.field.id': String(id),
    'iceberg.field.optional': String(isOptional),
    'iceberg.field.current': 'true',
  });
  assert.deepEqual(server.table('shop', 'orders'), {
    ...others,
    Name: 'orders',
    TableType: 'EXTERNAL_TABLE',
    Parameters: {
      team: 'a',
      table_type: 'ICEBERG',
      metadata_location: second,
      previous_metadata_location: first,
    },
    StorageDescriptor: {
      Location: location,
      Columns: [
        { Name: 'id', Type: 'bigint', Parameters: iceberg(1, false) },
        { Name: 'tags', Type: 'array<string>', Parameters: iceberg(2, true) },
        { Name: 'at', Type: 'struct<ts:timestamp,price:decimal(9,2)>', Parameters: iceberg(3, true) },
      ],
    },
  });
  const update = server.requests.find(({ action }) => action === 'UpdateTable')!;
  assert.deepEqual([update.input.VersionId, update.input.SkipArchive], ['1', true]);
});

test('what answers of Glue mean for a commit', async () => {
  // the fault; the error, or none if reading resolves it
  const cases: [GlueFault, (new (...args: never[]) => Error) | undefined, RegExp][] = [
    [{ type: 'ConcurrentModificationException' }, CommitConflict, /load the table again/],
    [{ type: 'EntityNotFoundException' }, TableNotFound, /no such table/],
    [
      { type: 'com.amazon#AccessDeniedException' },
      Failure,
      /AccessDeniedException: by design; allow the role/,
    ],
    [{ type: 'ExpiredTokenException' }, Failure, /ExpiredTokenException: by design; check the credentials/],
    [{ type: 'ThrottlingException' }, Failure, /ThrottlingException/],
    [{ type: 'OperationTimeoutException' }, CommitUnknown, /OperationTimeoutException/],
    [{ type: 'InternalServiceException', status: 500 }, CommitUnknown, /not known whether/],
    ['lost request', CommitUnknown, /not known whether/],
    ['lost answer', undefined, /^$/],
  ];
  for (const [fault, kind, problem] of cases) {
    const { server, catalog, metadataFiles } = await withTable();
    server.fault = (action) => (action === 'UpdateTable' ? fault : undefined);
    const committed = catalog.commit(orders, setProperty('a'));
    const label = JSON.stringify(fault);
    if (kind === undefined) await committed;
    else
      await assert.rejects(committed, (error: Error) => {
        assert.ok(error instanceof kind, `${label}: ${error.name}`);
        assert.match(error.message, problem);
        return true;
      });
    server.fault = () => undefined;
    const { metadata } = await catalog.load(orders);
    assert.equal(metadata.properties.a, kind === undefined ? 'x' : undefined, label);
    // A file that may still become that of the table stays.
    const isKept = kind === undefined || kind === CommitUnknown;
    assert.equal((await metadataFiles()).length, isKept ? 2 : 1, label);
  }
});

test('a lost answer is resolved even if others have committed since', async () => {
  const { server, catalog, open } = await withTable();
  const other = open();
  // Ours took effect, and then that of another writer.
  let isFirst = true;
  server.fault = (action) => (action === 'UpdateTable' && isFirst ? 'lost answer' : undefined);
  server.afterEffect = async (action) => {
    if (action !== 'UpdateTable' || !isFirst) return;
    isFirst = false;
    await other.commit(orders, setProperty('b'));
  };
  await catalog.commit(orders, setProperty('a'));
  const { properties } = (await catalog.load(orders)).metadata;
  assert.deepEqual([properties.a, properties.b], ['x', 'x']);

  // Ours was lost on its way, and another program changed the table: Glue would refuse ours from now on.
  server.afterEffect = async () => {};
  server.fault = (action) => {
    if (action !== 'UpdateTable') return undefined;
    server.putTable('shop', { ...server.table('shop', 'orders'), Description: 'moved on' });
    return 'lost request';
  };
  await assert.rejects(catalog.commit(orders, setProperty('c')), CommitConflict);
  assert.equal((await catalog.load(orders)).metadata.properties.c, undefined);
});

test('appends of several writers through faults are made once each', async () => {
  const { server, append, live, catalog } = await withTable();
  const random = seededRandom(21);
  const faults: (GlueFault | undefined)[] = [
    undefined,
    undefined,
    'lost request',
    'lost answer',
    { type: 'ThrottlingException' },
    { type: 'ConcurrentModificationException' },
    { type: 'InternalServiceException', status: 500 },
  ];
  server.fault = (action) => (action === 'UpdateTable' ? faults[random.below(faults.length)] : undefined);
  const names = Array.from({ length: 12 }, (_, at) => `f${String(at).padStart(2, '0')}`);
  await Promise.all(
    [0, 1, 2].map(async (writer) => {
      for (const name of names.filter((_, at) => at % 3 === writer)) await append(name);
    }),
  );
  server.fault = () => undefined;
  assert.deepEqual(await live(), names);
  assert.equal((await catalog.load(orders)).metadata.snapshots.length, 12);
});

test('a creation whose answer was lost is found, and one that another made is refused', async () => {
  const { lake, server, catalog } = await started();
  const create = () => createTable(catalog, orders, { columns: [column(1, 'a', 'int')] }, lake.deps);
  server.fault = (action) => (action === 'CreateTable' ? 'lost answer' : undefined);
  // The first request meets no database.
  await create();
  await assert.rejects(create(), TableExists);
  await catalog.drop(orders);
  let isFirst = true;
  server.fault = (action) => {
    if (action === 'CreateTable' && isFirst) {
      isFirst = false;
      return 'lost request';
    }
    return undefined;
  };
  await assert.rejects(create(), CommitUnknown);
  await create();
  assert.equal((await catalog.load(orders)).metadata.lastColumnId, 1);
});

test('reads are repeated, and long lists come page by page without tables of other kinds', async () => {
  const { lake, server, catalog } = await started();
  for (const name of ['e', 'a', 'c', 'b', 'd'])
    await createTable(
      catalog,
      { namespace: ['shop'], name },
      { columns: [column(1, 'a', 'int')] },
      lake.deps,
    );
  server.putTable('shop', { Name: 'hive', Parameters: { classification: 'parquet' } });
  server.putTable('shop', { Name: 'view' });
  let busy = 3;
  server.fault = () => (busy-- > 0 ? { type: 'InternalServiceException', status: 500 } : undefined);
  assert.deepEqual(
    (await catalog.list(['shop'])).map(({ name }) => name),
    ['a', 'b', 'c', 'd', 'e'],
  );
  await assert.rejects(catalog.load({ namespace: ['shop'], name: 'hive' }), /is no Iceberg table/);
});

test('a purge removes the files of the table and no others', async () => {
  const { lake, server, catalog, append } = await withTable();
  await append('a');
  await lake.store.put('shop.db/orders/data/a', [Buffer.from('rows')]);
  await lake.store.put('shop.db/orders/of-others', [Buffer.from('x')]);
  await catalog.drop(orders, { purge: true });
  assert.deepEqual(await lake.keys(), ['shop.db/orders/of-others']);
  assert.equal(server.table('shop', 'orders'), undefined);

  const shared = await withTable({ 'gc.enabled': 'false' });
  await assert.rejects(shared.catalog.drop(orders, { purge: true }), /gc\.enabled/);
  await shared.catalog.load(orders);
});

test('old metadata is forgotten, and deleted if the table says so', async () => {
  const { catalog, metadataFiles } = await withTable({
    'write.metadata.previous-versions-max': '2',
    'write.metadata.delete-after-commit.enabled': 'true',
  });
  for (let count = 0; count < 5; count++) await catalog.commit(orders, setProperty(`p${count}`));
  assert.deepEqual(
    (await metadataFiles()).map((key) => /metadata\/(\d+)-/.exec(key)![1]),
    ['00003', '00004', '00005'],
  );
});

test('names and endpoints that Glue cannot have are refused in one line', async () => {
  const { catalog, lake } = await started();
  // namespace, name
  const cases: [string[], string, RegExp][] = [
    [['shop'], 'Orders', /names of databases and tables in Glue have small letters/],
    [['shop'], 'a.b', /names of databases/],
    [['Shop'], 'orders', /names of databases/],
    [['a', 'b'], 'orders', /a namespace of Glue is the name of one database/],
    [[], 'orders', /a namespace of Glue/],
  ];
  for (const [namespace, name, problem] of cases)
    await assert.rejects(catalog.load({ namespace, name }), (error: Error) => {
      assert.ok(error instanceof InvalidTable);
      assert.match(error.message, problem);
      return true;
    });
  const open = (options: { region?: string; endpoint?: string }) =>
    new GlueCatalog({ region: 'eu-west-1', credentials, root, log: silentLog, ...lake.deps, ...options });
  assert.throws(() => open({ region: 'evil.example/' }), /a region of AWS is a name/);
  assert.throws(() => open({ endpoint: 'http://user:secret@glue' }), /the endpoint of Glue is/);
});
