/** Tables of a running cluster in a catalog server that a configuration names. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createTopic, KafkaCluster, produceRecords, type RecordToProduce } from '@weir/client';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { storeFiles } from '@weir/iceberg';
import { MemoryCatalog, RestServer } from '@weir/iceberg/testing';
import { createBucket, openStore } from '@weir/storage';
import { lastFirst, startPlayground, temporaryFolder } from '../brokers/weir-process.ts';
import {
  applicationKeyIn,
  clientOf,
  dataLakeOf,
  deployTables,
  startTables,
  tableYaml,
  untilTable,
} from './written-tables.ts';

const topic = 'orders';
const recordCount = 200;

test('a catalog server has a table that is written, asked and removed', { timeout: 240_000 }, async (t) => {
  const folder = temporaryFolder(t);
  const bucket = pathToFileURL(folder).href;
  await createBucket(bucket);
  const deps = { clock: systemClock, random: systemRandom, log: silentLog };
  const store = await openStore(bucket, { ...deps, environment: {}, metrics: new Metrics() });
  const files = storeFiles(store, bucket);
  const shelf = new MemoryCatalog({ ...deps, files, root: bucket });
  const server = new RestServer(shelf, 'lake');
  t.after(async () => {
    server.close();
    await store.close();
  });
  let secret = 'hush';
  server.token = (form) =>
    form.get('client_secret') === secret ? { access_token: `of ${secret}`, expires_in: 3600 } : undefined;
  server.isAllowed = (authorization) => authorization === `Bearer of ${secret}`;
  const uri = await server.start();

  const dataDir = join(folder, 'data');
  const weir = await startPlayground(lastFirst(t), dataDir, { SERVICE_TABLEFLOW_INTERNAL_HTTP_PORT: '0' });
  const kafkaPort = Number(weir.address('Kafka').split(':').at(-1));
  const cluster = new KafkaCluster({
    bootstrap: [{ host: 'localhost', port: kafkaPort }],
    clientId: 'writer',
    timeoutMs: 20_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  t.after(() => cluster.close());
  await createTopic(cluster, { name: topic, partitions: 1, configs: [] });
  const produce = async (from: number) => {
    const records = Array.from(
      { length: recordCount },
      (_, at): RecordToProduce => ({ key: null, value: Buffer.from(JSON.stringify({ id: from + at })) }),
    );
    const bad = { key: null, value: Buffer.from('no JSON') };
    const options = { acks: 'all', codec: 'zstd' } as const;
    await produceRecords(cluster, topic, new Map([[0, [...records, bad]]]), options);
  };
  await produce(0);

  const client = clientOf(weir.address('control plane'), applicationKeyIn(dataDir));
  const virtual_cluster_id = await dataLakeOf(client);
  const on = { virtual_cluster_id };
  await client.call('create_secret', { ...on, secret_name: 'polaris', secret: 'hush' });
  const common = `catalog: { type: rest, uri: '${uri}', namespace: shop, client_id: weir, client_secret: '\${secret:polaris}' }`;
  const yaml = tableYaml({ kafkaPort, topic, further: 'dlq_mode: keep', common });
  const pipeline_id = await startTables(client, virtual_cluster_id, yaml);
  await untilTable(
    client,
    virtual_cluster_id,
    ({ rows, dlq_records }) => rows === recordCount && dlq_records === 1,
  );
  const { tables } = await client.call('dl/list_tables', on);
  const { table_name, table_uuid, catalog } = tables[0]!;
  assert.deepEqual(catalog, { type: 'rest', address: uri, table: `shop.${table_name}` });
  assert.deepEqual(
    (await shelf.list(['shop'])).map(({ name }) => name),
    [table_name, `${table_name}__dlq`],
  );

  // Questions find it there too, and so does the catalog of the control plane.
  const sql = `SELECT count(*), max(id) FROM "${table_name}"`;
  assert.deepEqual((await client.call('dl/query_table', { ...on, sql })).rows, [['200', '199']]);
  const { failures } = await client.call('dl/list_table_failures', { ...on, table_uuid });
  assert.deepEqual(
    failures.map(({ offset }) => offset),
    [recordCount],
  );
  const { metadata_location } = await client.call('dl/describe_table', { ...on, table_uuid });
  const { metadataPath } = await shelf.load({ namespace: ['shop'], name: table_name });
  assert.equal(metadata_location, metadataPath);

  // A catalog that denies is one line of the status, and rows come as soon as the secret is right again.
  secret = 'another';
  await produce(recordCount);
  const failing = await untilTable(client, virtual_cluster_id, ({ health }) => health.status === 'failing');
  assert.deepEqual(failing.health.reasons, ['catalog_failing']);
  assert.match(
    failing.health.message,
    /the token server answered with status 401; check client id and secret$/,
  );
  await client.call('update_secret', { ...on, secret_name: 'polaris', secret: 'another' });
  await untilTable(client, virtual_cluster_id, ({ rows }) => rows === 2 * recordCount);
  const distinct = `SELECT count(*), count(DISTINCT id) FROM "${table_name}"`;
  assert.deepEqual((await client.call('dl/query_table', { ...on, sql: distinct })).rows, [['400', '400']]);

  // A table of a REST catalog and one of the bucket are two, and the first stays as it is.
  await deployTables(client, { ...on, pipeline_id }, tableYaml({ kafkaPort, topic }));
  await untilTable(
    client,
    virtual_cluster_id,
    ({ metadata_location: now, rows }) =>
      rows === 2 * recordCount && /\/v\d+\.metadata\.json$/.test(now ?? ''),
  );
  assert.equal((await client.call('dl/list_tables', on)).tables[0]!.catalog, undefined);
  assert.equal((await shelf.list(['shop'])).length, 2);
});
