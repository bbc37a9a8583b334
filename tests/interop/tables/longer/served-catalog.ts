/**
 * The catalog of a control plane, as Iceberg's own client finds it: Spark reads a table of a running cluster by its
 * URL.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingTool } from '../../apache/tools.ts';
import { lastFirst, startLocal } from '../../brokers/weir-process.ts';
import { clientOf, dataLakeOf, produceIds, startTables, tableYaml, untilTable } from '../written-tables.ts';
import { SparkReader } from './spark-reader.ts';

const topic = 'orders';
const recordCount = 100;

test('Spark reads a table by the catalog of its cluster, and cannot change it', {
  skip: missingTool(),
  timeout: 600_000,
}, async (t) => {
  const endings = lastFirst(t);
  const weir = await startLocal(endings, ['-tableflowInternalHTTPPort', '0']);
  const kafkaPort = Number(weir.address('Kafka').split(':').at(-1));
  await produceIds({ kafkaPort, topic }, recordCount);
  const key = /API key\s+(\S+)/.exec(weir.output.out)![1]!;
  const url = weir.address('control plane');
  const client = clientOf(url, key);
  const virtual_cluster_id = await dataLakeOf(client);
  await startTables(client, virtual_cluster_id, tableYaml({ kafkaPort, topic }));
  await untilTable(client, virtual_cluster_id, ({ rows }) => rows === recordCount);

  const common = {
    type: 'rest',
    uri: `${url}/catalogs/iceberg/${virtual_cluster_id}`,
    'io-impl': 'org.apache.iceberg.hadoop.HadoopFileIO',
    'cache-enabled': 'false',
  };
  const spark = new SparkReader({
    token: { ...common, token: key },
    login: { ...common, credential: `spark:${key}`, 'oauth2-server-uri': `${common.uri}/v1/oauth/tokens` },
    stranger: { ...common, token: 'aks_of_nobody' },
  });
  endings.after(async () => spark.close());
  for (const catalog of ['token', 'login']) {
    const table = `${catalog}.default.shop__orders`;
    const shown = await spark.run(`SHOW TABLES IN ${catalog}.default`);
    assert.deepEqual(
      shown.map(({ tableName }) => tableName),
      ['shop__orders'],
    );
    const rows = await spark.readRows({ table, columns: ['id', 'kafka_offset'] });
    assert.deepEqual(
      rows,
      Array.from({ length: recordCount }, (_, id) => ({ id: `${id}`, kafka_offset: `${id}` })),
    );
    const filters = ['id >= 90', 'kafka_offset < 5', "kafka_timestamp >= '2100-01-01'", 'note IS NOT NULL'];
    for (const { scanned, expected } of await spark.idsOf({ table }, filters))
      assert.deepEqual(scanned, expected);
    const snapshots = await spark.run(`SELECT operation FROM ${table}.snapshots`);
    assert.ok(snapshots.length > 0);
    for (const change of [
      `INSERT INTO ${table} SELECT * FROM ${table}`,
      `ALTER TABLE ${table} ADD COLUMN more string`,
      `DROP TABLE ${table}`,
      `CREATE TABLE ${catalog}.default.mine (id bigint) USING iceberg`,
      `CREATE NAMESPACE ${catalog}.mine`,
    ])
      await assert.rejects(spark.run(change), /read-only|not support endpoint/, change);
  }
  await assert.rejects(spark.run('SHOW TABLES IN stranger.default'), /NotAuthorized/);
  const { tables } = await client.call('dl/list_tables', { virtual_cluster_id });
  assert.equal(tables.length, 1);
});
