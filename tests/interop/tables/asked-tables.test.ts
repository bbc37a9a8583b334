/** Tables of a running cluster, asked over the API and over its Iceberg catalog. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTopic, KafkaCluster, produceRecords, type RecordToProduce } from '@weir/client';
import { systemClock, systemEnvironment, systemRandom } from '@weir/core';
import { RestCatalog } from '@weir/iceberg';
import { lastFirst, startLocal } from '../brokers/weir-process.ts';
import { pythonWith } from '../python/venv.ts';
import { blocksOf } from '../readme/blocks.ts';
import { IcebergReader } from './iceberg-reader.ts';
import { clientOf, dataLakeOf, deployTables, startTables, tableYaml, untilTable } from './written-tables.ts';

const { python } = pythonWith('pyiceberg');
const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/tables.md'), 'utf8');
const topic = 'orders';
const recordCount = 200;

async function produce(t: TestContext, port: number): Promise<void> {
  const cluster = new KafkaCluster({
    bootstrap: [{ host: 'localhost', port }],
    clientId: 'writer',
    timeoutMs: 20_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  t.after(() => cluster.close());
  await createTopic(cluster, { name: topic, partitions: 1, configs: [] });
  const records = Array.from(
    { length: recordCount },
    (_, id): RecordToProduce => ({
      key: null,
      value: Buffer.from(JSON.stringify({ id, note: `note ${id}` })),
    }),
  );
  const bad = ['no JSON', '{"id":1000,"note":7}'].map((text) => ({ key: null, value: Buffer.from(text) }));
  await produceRecords(cluster, topic, new Map([[0, [...records, ...bad]]]), { acks: 'all', codec: 'zstd' });
}

test('a table is described, queried by SQL, and found by clients of its catalog', {
  timeout: 180_000,
}, async (t) => {
  const weir = await startLocal(lastFirst(t), ['-tableflowInternalHTTPPort', '0']);
  const kafkaPort = Number(weir.address('Kafka').split(':').at(-1));
  await produce(t, kafkaPort);
  const key = /API key\s+(\S+)/.exec(weir.output.out)![1]!;
  const url = weir.address('control plane');
  const client = clientOf(url, key);
  const virtual_cluster_id = await dataLakeOf(client);
  const table = { kafkaPort, topic, further: 'dlq_mode: keep' };
  await startTables(client, virtual_cluster_id, tableYaml(table));
  await untilTable(client, virtual_cluster_id, ({ rows }) => rows === recordCount);
  const { tables } = await client.call('dl/list_tables', { virtual_cluster_id });
  const { table_name, table_uuid } = tables[0]!;

  const described = await client.call('dl/describe_table', { virtual_cluster_id, table_uuid });
  assert.deepEqual(
    described.schemas[0]!.fields.map(({ name }) => name),
    ['id', 'note', 'kafka_partition', 'kafka_offset', 'kafka_timestamp'],
  );
  const { files } = await client.call('dl/list_table_files', { virtual_cluster_id, table_uuid });
  assert.equal(
    files.reduce((sum, { records }) => sum + records, 0),
    recordCount,
  );
  const sql = `SELECT count(*), max(id), min(note) FROM "${table_name}" WHERE id >= 100`;
  const { rows } = await client.call('dl/query_table', { virtual_cluster_id, sql });
  assert.deepEqual(rows, [['100', '199', 'note 100']]);
  const kept = await client.call('dl/list_table_failures', { virtual_cluster_id, table_uuid });
  assert.deepEqual(kept.failures.map(({ offset, step, value }) => [offset, step, value?.bytes]).toSorted(), [
    [recordCount, 'decode', 7],
    [recordCount + 1, 'convert', 20],
  ]);

  const uri = `${url}/catalogs/iceberg/${virtual_cluster_id}`;
  const auth = { type: 'bearer', token: key } as const;
  const catalog = new RestCatalog({ uri, auth, clock: systemClock, random: systemRandom });
  const name = { namespace: ['default'], name: table_name };
  assert.deepEqual(await catalog.list(['default']), [name]);
  const { metadataPath } = await catalog.load(name);
  assert.equal(metadataPath, described.metadata_location);
  await assert.rejects(catalog.drop(name), /read-only/);
  await assert.rejects(catalog.load({ ...name, name: 'other' }), { name: 'TableNotFound' });
  if (python === undefined) return t.diagnostic('pyiceberg is missing; only our client read the catalog');
  const reader = new IcebergReader(python);
  t.after(() => reader.close());
  const logins = [{ token: key }, { credential: key }, { credential: `pyiceberg:${key}` }];
  for (const login of logins)
    assert.deepEqual(await reader.catalogOverRest(uri, login), {
      namespaces: [['default']],
      tables: { [table_name]: metadataPath },
      has_missing: false,
    });

  // The sample of the guide, whose table is this one.
  const [sample] = blocksOf(guide).filter(({ language }) => language === 'python');
  const program = sample!.text
    .replace(/uri="[^"]+"/, `uri="${uri}"`)
    .replace(/token="[^"]+"/, `token="${key}"`);
  assert.ok(program.includes(uri) && program.includes(key) && program.includes(table_name));
  const { PATH, HOME } = systemEnvironment;
  const { stdout, stderr } = spawnSync(python, ['-c', program], { encoding: 'utf8', env: { PATH, HOME } });
  assert.match(stdout, /note 199/, stderr);
});

test('records that were kept become rows after the configuration is corrected', {
  timeout: 180_000,
}, async (t) => {
  const weir = await startLocal(lastFirst(t), ['-tableflowInternalHTTPPort', '0']);
  const kafkaPort = Number(weir.address('Kafka').split(':').at(-1));
  await produce(t, kafkaPort);
  const client = clientOf(weir.address('control plane'), /API key\s+(\S+)/.exec(weir.output.out)![1]!);
  const virtual_cluster_id = await dataLakeOf(client);
  const on = { virtual_cluster_id };
  const table = { kafkaPort, topic, further: 'dlq_mode: keep' };
  const pipeline_id = await startTables(client, virtual_cluster_id, tableYaml(table));
  await untilTable(
    client,
    virtual_cluster_id,
    (status) => status.rows === recordCount && status.lag_records === 0,
  );
  const corrected = `dlq_mode: keep
    transforms: [{ transform_type: bento, transform: 'root.note = this.note.string()' }]`;
  await deployTables(client, { ...on, pipeline_id }, tableYaml({ ...table, further: corrected }));
  const { table_uuid } = (await client.call('dl/list_tables', on)).tables[0]!;
  await client.call('dl/replay_table_failures', { ...on, table_uuid });
  await untilTable(client, virtual_cluster_id, (status) => status.replay_requested_at === undefined);
  const sql =
    'SELECT count(*), count(DISTINCT kafka_offset), max(note) FILTER (WHERE id = 1000) FROM "shop__orders"';
  const { rows } = await client.call('dl/query_table', { ...on, sql });
  assert.deepEqual(rows, [[`${recordCount + 1}`, `${recordCount + 1}`, '7']]);
  const { failures } = await client.call('dl/list_table_failures', { ...on, table_uuid });
  assert.deepEqual(
    failures.map(({ offset, step }) => [offset, step]),
    [[recordCount, 'decode']],
    'what fails again stays',
  );
});
