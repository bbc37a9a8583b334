/** A cluster in one process whose topics become tables, and what DuckDB finds in their files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { apiKeyHeader, type Client, createClient } from '@weir/api/client';
import { createTopic, KafkaCluster, produceRecords } from '@weir/client';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { ObjectStoreCatalog, planFiles, snapshotOfRef, storeFiles } from '@weir/iceberg';
import { openStore } from '@weir/storage';

const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

export interface TableToWrite {
  readonly kafkaPort: number;
  readonly topic: string;
  /** Further lines of the table. */
  readonly further?: string;
  /** Another field of the configuration. */
  readonly common?: string;
}

/** A configuration of one table, of records `{"id": 1, "note": "text"}`. */
export function tableYaml({ kafkaPort, topic, further = '', common = '' }: TableToWrite): string {
  return `${common}
source_clusters:
  - name: shop
    bootstrap_brokers: [{ hostname: localhost, port: ${kafkaPort} }]
tables:
  - source_cluster_name: shop
    source_topic: ${topic}
    commit_interval: 1s
    input_schema: '{"type":"object","properties":{"id":{"type":"long"},"note":{"type":"string"}}}'
    ${further}
`;
}

/** Makes a topic of one partition with so many records, whose ids begin at 0. */
export async function produceIds({ kafkaPort, topic }: TableToWrite, count: number): Promise<void> {
  const cluster = new KafkaCluster({
    bootstrap: [{ host: 'localhost', port: kafkaPort }],
    clientId: 'writer',
    timeoutMs: 20_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  try {
    await createTopic(cluster, { name: topic, partitions: 1, configs: [] });
    const records = Array.from({ length: count }, (_, id) => ({
      key: null,
      value: Buffer.from(JSON.stringify({ id })),
    }));
    await produceRecords(cluster, topic, new Map([[0, records]]), { acks: 'all', codec: 'zstd' });
  } finally {
    await cluster.close();
  }
}

export function clientOf(url: string, key: string): Client {
  return createClient({ baseUrl: url, fetch, headers: { [apiKeyHeader]: key } });
}

/** The data lake of a process, as its API lists it. */
export async function dataLakeOf(client: Client): Promise<string> {
  const { virtual_clusters } = await client.call('list_virtual_clusters', {});
  return virtual_clusters.find(({ id }) => id.startsWith('vci_dl_'))!.id;
}

/** Starts a pipeline, and returns its id. */
export async function startTables(client: Client, lakeId: string, yaml: string): Promise<string> {
  const on = { virtual_cluster_id: lakeId };
  const { pipeline_id } = await client.call('create_pipeline', {
    ...on,
    pipeline_name: 'lake',
    pipeline_type: 'data_lake',
  });
  await deployTables(client, { ...on, pipeline_id }, yaml);
  return pipeline_id;
}

/** Deploys another configuration. */
export async function deployTables(
  client: Client,
  target: { readonly virtual_cluster_id: string; readonly pipeline_id: string },
  configuration_yaml: string,
): Promise<void> {
  const { configuration_id } = await client.call('create_pipeline_configuration', {
    ...target,
    configuration_yaml,
  });
  await client.call('change_pipeline_state', {
    ...target,
    desired_state: 'running',
    deployed_configuration_id: configuration_id,
  });
}

type TableStatus = NonNullable<Awaited<ReturnType<typeof statusOf>>>;

async function statusOf(client: Client, lakeId: string) {
  const on = { virtual_cluster_id: lakeId };
  const { tables } = await client.call('dl/list_tables', on);
  const [table] = tables;
  if (table === undefined) return undefined;
  const { table_uuid } = table;
  return (await client.call('dl/get_table', { ...on, table_uuid, include_status: true })).status;
}

/** Waits until the only table is as wanted, and returns its state. */
export async function untilTable(
  client: Client,
  lakeId: string,
  isWanted: (status: TableStatus) => boolean,
): Promise<TableStatus> {
  for (;;) {
    const status = await statusOf(client, lakeId);
    if (status !== undefined && isWanted(status)) return status;
    await pause(200);
  }
}

export interface FoundRow {
  readonly partition: number;
  readonly offset: number;
  readonly id: number;
}

/** The rows of a table, as DuckDB reads the files that its newest snapshot has. */
export async function rowsOf(metadataLocation: string): Promise<readonly FoundRow[]> {
  const at = metadataLocation.indexOf('/service/_tableflow/');
  const root = metadataLocation.slice(0, at);
  const [name] = metadataLocation.slice(at + '/service/_tableflow/'.length).split('/');
  const deps = { clock: systemClock, random: systemRandom, log: silentLog, metrics: new Metrics() };
  const store = await openStore(root, { ...deps, environment: {} });
  const files = storeFiles(store, root);
  const catalog = new ObjectStoreCatalog({ ...deps, files, root: `${root}/service` });
  const { metadata } = await catalog.load({ namespace: ['_tableflow'], name: name! });
  const { data, deletes } = await planFiles(files, metadata, snapshotOfRef(metadata));
  await store.close();
  if (deletes.length > 0) throw new Error('there are files of deletes');
  if (data.length === 0) return [];
  const paths = data.map(({ file }) => `'${new URL(file.path).pathname}'`);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const result = await connection.runAndReadAll(
    `SELECT kafka_partition, kafka_offset::INTEGER, id::INTEGER FROM read_parquet([${paths.join(',')}]) ORDER BY ALL`,
  );
  const rows = result.getRows().map(([partition, offset, id]) => ({
    partition: Number(partition),
    offset: Number(offset),
    id: Number(id),
  }));
  connection.closeSync();
  instance.closeSync();
  return rows;
}

/** The ids of the processes that a process started to write tables. */
export function tableProcesses(pid: number): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return Number(parent) === pid && command.includes('tables-process') ? [Number(name)] : [];
    } catch {
      // It has ended.
      return [];
    }
  });
}

/** The key of the tools of a process over a directory. */
export function applicationKeyIn(dataDir: string): string {
  const identity = JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8')) as {
    applicationKey: string;
  };
  return identity.applicationKey;
}
