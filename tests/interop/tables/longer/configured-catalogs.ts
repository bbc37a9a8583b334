/** Tables of a running cluster in catalogs that configurations name: Iceberg's own server, and moto's Glue. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { type Catalog, GlueCatalog, planFiles, RestCatalog, snapshotOfRef, storeFiles } from '@weir/iceberg';
import { openStore } from '@weir/storage';
import { missingTool } from '../../apache/tools.ts';
import { lastFirst, startPlayground, temporaryFolder } from '../../brokers/weir-process.ts';
import { pythonWith } from '../../python/venv.ts';
import {
  applicationKeyIn,
  clientOf,
  dataLakeOf,
  produceIds,
  startTables,
  tableYaml,
  untilTable,
} from '../written-tables.ts';
import { IcebergCatalogServer } from './catalog-server.ts';
import { MotoServer } from './moto-server.ts';

const topic = 'orders';
const recordCount = 100;
const namespace = 'shop';
const keys = { accessKeyId: 'id', secretAccessKey: 'secret' };

type CatalogDeps = Pick<ConstructorParameters<typeof GlueCatalog>[0], 'files' | 'clock' | 'random' | 'log'>;

interface Configured {
  /** The catalog, for a reader of its own. */
  readonly open: (deps: CatalogDeps) => Catalog;
  /** Of the configuration. */
  readonly catalog: Readonly<Record<string, string>>;
}

async function writesInto(t: TestContext, start: (root: string) => Promise<Configured>): Promise<void> {
  const folder = temporaryFolder(t);
  const { open, catalog: settings } = await start(pathToFileURL(join(folder, 'warehouse')).href);
  const dataDir = join(folder, 'data');
  const weir = await startPlayground(lastFirst(t), dataDir, {
    SERVICE_TABLEFLOW_INTERNAL_HTTP_PORT: '0',
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
  });
  const kafkaPort = Number(weir.address('Kafka').split(':').at(-1));
  await produceIds({ kafkaPort, topic }, recordCount);
  const client = clientOf(weir.address('control plane'), applicationKeyIn(dataDir));
  const virtual_cluster_id = await dataLakeOf(client);
  const common = `catalog: ${JSON.stringify({ ...settings, namespace })}`;
  await startTables(client, virtual_cluster_id, tableYaml({ kafkaPort, topic, common }));
  const { metadata_location } = await untilTable(
    client,
    virtual_cluster_id,
    ({ rows }) => rows === recordCount,
  );
  const end = metadata_location!.indexOf('/service/_tableflow/');
  // Iceberg's server writes file:/ for file:///.
  const bucket = metadata_location!.slice(0, end).replace(/^file:\/+/, 'file:///');

  const deps = { clock: systemClock, random: systemRandom, log: silentLog };
  const store = await openStore(bucket, { ...deps, environment: {}, metrics: new Metrics() });
  t.after(() => store.close());
  const files = storeFiles(store, bucket);
  const catalog = open({ ...deps, files });
  const [name, ...others] = await catalog.list([namespace]);
  assert.deepEqual(others, []);
  const { metadata, metadataPath } = await catalog.load(name!);
  assert.equal(metadataPath, metadata_location);
  const { data } = await planFiles(files, metadata, snapshotOfRef(metadata));
  assert.equal(
    data.reduce((sum, { file }) => sum + Number(file.recordCount), 0),
    recordCount,
  );
  const { tables } = await client.call('dl/list_tables', { virtual_cluster_id });
  const sql = `SELECT count(*), max(id) FROM "${tables[0]!.table_name}"`;
  assert.deepEqual((await client.call('dl/query_table', { virtual_cluster_id, sql })).rows, [['100', '99']]);
}

const missingJava = missingTool();
test("a table of a configuration is in Iceberg's REST server", { skip: missingJava, timeout: 300_000 }, (t) =>
  writesInto(t, async (root) => {
    const server = await IcebergCatalogServer.start(root);
    t.after(() => server.close());
    return {
      catalog: { type: 'rest', uri: server.uri },
      open: (deps) => new RestCatalog({ ...deps, uri: server.uri }),
    };
  }),
);

const { python, missing } = pythonWith('moto');
test("a table of a configuration is in moto's Glue", { skip: missing, timeout: 300_000 }, (t) =>
  writesInto(t, async (root) => {
    const server = await MotoServer.start(python!);
    t.after(() => server.close());
    const region = 'eu-west-1';
    return {
      catalog: { type: 'glue', region, endpoint_url: server.uri },
      open: (deps) =>
        new GlueCatalog({ ...deps, region, endpoint: server.uri, credentials: async () => keys, root }),
    };
  }),
);
