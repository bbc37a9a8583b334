/** Tables in a bucket that agents know by -additionalBackgroundTasksBucketURLs alone. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { missingTool } from '../apache/tools.ts';
import { lastFirst, startPlayground, startWeir, temporaryFolder } from '../brokers/weir-process.ts';
import { createBucket } from '../s3/bucket.ts';
import { identity, startS3Server } from '../s3/server.ts';
import {
  applicationKeyIn,
  clientOf,
  deployTables,
  produceIds,
  startTables,
  tableYaml,
  untilTable,
} from './written-tables.ts';

const topic = 'orders';
const recordCount = 50;

test('an agent writes and queries a table in a bucket of background tasks, and in no other one', {
  skip: missingTool(),
  timeout: 240_000,
}, async (t) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const server = await startS3Server();
  lifetime.after(() => server.stop());
  for (const name of ['additional', 'foreign']) await createBucket(server.port, name);
  const access = `region=us-east-1&endpoint=127.0.0.1:${server.port}&disableSSL=true&s3ForcePathStyle=true`;
  const urlOf = (name: string) => `s3://${name}?${access}`;
  const own = pathToFileURL(join(folder, 'own')).href;
  const dataDir = join(folder, 'data');
  const weir = await startPlayground(lifetime, dataDir);
  const kafkaPort = Number(weir.address('Kafka').split(':').at(-1));
  await produceIds({ kafkaPort, topic }, recordCount);

  const url = weir.address('control plane');
  const client = clientOf(url, applicationKeyIn(dataDir));
  const lake = await client.call('create_virtual_cluster', {
    virtual_cluster_name: 'lake',
    virtual_cluster_type: 'byoc_data_lake',
  });
  const agent = await startWeir(
    [
      ...['agent', '-metadataURL', url, '-bucketURL', own],
      ...['-defaultVirtualClusterID', lake.virtual_cluster_id, '-agentKey', lake.agent_key!.key],
      ...['-additionalBackgroundTasksBucketURLs', urlOf('additional'), '-allowedTargetHosts', 'loopback'],
      ...['-availabilityZone', 'zone-a', '-bindAddress', '127.0.0.1', '-httpPort', '0'],
      ...['-tableflowInternalHTTPPort', '0', '-gracefulShutdownDuration', '5s'],
    ],
    ['HTTP'],
    { AWS_ACCESS_KEY_ID: identity.accessKeyId, AWS_SECRET_ACCESS_KEY: identity.secretAccessKey },
  );
  lifetime.after(() => agent.stop());

  const on = { virtual_cluster_id: lake.virtual_cluster_id };
  const yaml = (bucket: string) =>
    tableYaml({ kafkaPort, topic, further: `destination_bucket_url: '${urlOf(bucket)}'` });
  const pipeline_id = await startTables(client, on.virtual_cluster_id, yaml('additional'));
  const { metadata_location } = await untilTable(
    client,
    on.virtual_cluster_id,
    ({ rows }) => rows === recordCount,
  );
  assert.match(metadata_location!, /^s3:\/\/additional\/service\/_tableflow\//);
  const { tables } = await client.call('dl/list_tables', on);
  const sql = `SELECT count(*), max(id) FROM "${tables[0]!.table_name}"`;
  assert.deepEqual((await client.call('dl/query_table', { ...on, sql })).rows, [['50', '49']]);

  await deployTables(client, { ...on, pipeline_id }, yaml('foreign'));
  const { health } = await untilTable(
    client,
    on.virtual_cluster_id,
    ({ health: { status } }) => status === 'failing',
  );
  assert.match(health.message, /^destination_bucket_url: /);
});
