import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTopic, KafkaCluster, produceRecords, type RecordToProduce } from '@weir/client';
import { systemClock } from '@weir/core';
import {
  lastFirst,
  startLocal,
  startWeir,
  temporaryFolder,
  type WeirProcess,
} from '../brokers/weir-process.ts';
import {
  applicationKeyIn,
  clientOf,
  dataLakeOf,
  type FoundRow,
  rowsOf,
  startTables,
  tableProcesses,
  tableYaml,
  untilTable,
} from './written-tables.ts';

const bounded = { timeout: 240_000 };
const topic = 'orders';
const partitionCount = 2;
const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));
const kafkaPortOf = (weir: WeirProcess) => Number(weir.address('Kafka').split(':').at(-1));

function clusterAt(t: Pick<TestContext, 'after'>, port: number): KafkaCluster {
  const stop = new AbortController();
  const bootstrap = [{ host: 'localhost', port }] as const;
  const cluster = new KafkaCluster({
    bootstrap: [...bootstrap],
    clientId: 'writer',
    timeoutMs: 20_000,
    clock: systemClock,
    stop: stop.signal,
  });
  t.after(() => cluster.close());
  return cluster;
}

function recordsOf(firstId: number, count: number): RecordToProduce[] {
  return Array.from({ length: count }, (_, at) => ({
    key: null,
    value: Buffer.from(JSON.stringify({ id: firstId + at, note: `note ${firstId + at}` })),
  }));
}

test(
  'a topic of weir local becomes a table that DuckDB reads, and events tell its life',
  bounded,
  async (t) => {
    const weir = await startLocal(lastFirst(t), ['-tableflowInternalHTTPPort', '0']);
    const kafkaPort = kafkaPortOf(weir);
    const cluster = clusterAt(t, kafkaPort);
    await createTopic(cluster, { name: topic, partitions: partitionCount, configs: [] });
    const options = { acks: 'all', codec: 'zstd' } as const;
    const bad: RecordToProduce = { key: null, value: Buffer.from('no JSON') };
    await produceRecords(
      cluster,
      topic,
      new Map([
        [0, recordsOf(0, 500)],
        [1, [bad, ...recordsOf(500, 500)]],
      ]),
      options,
    );
    const key = /API key\s+(\S+)/.exec(weir.output.out)![1]!;
    const client = clientOf(weir.address('control plane'), key);
    const lakeId = await dataLakeOf(client);
    await client.call('update_events_state', {
      virtual_cluster_id: lakeId,
      enabled: true,
      event_types: { tableflow_logs: { enabled: true } },
    });
    const pipelineId = await startTables(client, lakeId, tableYaml({ kafkaPort, topic }));
    const { metadata_location, dropped_records, health } = await untilTable(
      client,
      lakeId,
      ({ rows, lag_records }) => rows === 1000 && lag_records === 0,
    );
    assert.equal(health.status, 'healthy', health.message);
    assert.equal(dropped_records, 1);
    const rows = await rowsOf(metadata_location!);
    assert.deepEqual(
      rows.map(({ id }) => id).sort((a, b) => a - b),
      Array.from({ length: 1000 }, (_, id) => id),
    );
    let types: readonly unknown[] = [];
    while (types.length < 3) {
      await pause(500);
      const found = await client.call('search_events', {
        virtual_cluster_id: lakeId,
        event_types: ['tableflow_logs'],
        time_range: { relative: '1h' },
      });
      types = [...new Set(found.events.map(({ data }) => (data as { type: string }).type))].sort();
      for (const { data } of found.events) {
        const named = data as Record<string, string>;
        assert.deepEqual([named.pipeline_name, named.pipeline_id], ['lake', pipelineId]);
      }
    }
    assert.deepEqual(types, ['ingestion_started', 'record_ingestion_failed', 'table_created']);
  },
);

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Every offset of each partition is in the table once. */
function assertWhole(rows: readonly FoundRow[], ends: ReadonlyMap<number, number>): void {
  for (const [partition, end] of ends) {
    const offsets = rows.filter((row) => row.partition === partition).map(({ offset }) => offset);
    assert.deepEqual(
      offsets,
      Array.from({ length: end }, (_, offset) => offset),
      `partition ${partition}`,
    );
  }
}

test(
  'a table has every record once after kills of its process and of the agent under load',
  bounded,
  async (t) => {
    const lifetime = lastFirst(t);
    const dataDir = join(temporaryFolder(lifetime), 'playground');
    const kafkaPort = await freePort();
    const start = async () => {
      const ports = [
        '-httpPort',
        '0',
        '-consolePort',
        '0',
        '-schemaRegistryPort',
        '0',
        '-tableflowInternalHTTPPort',
        '0',
      ];
      const flags = ['-dataDir', dataDir, '-kafkaPort', String(kafkaPort), ...ports];
      const weir = await startWeir(['playground', ...flags], ['Kafka', 'control plane']);
      lifetime.after(() => weir.stop());
      return weir;
    };
    let weir = await start();
    const cluster = clusterAt(t, kafkaPort);
    await createTopic(cluster, { name: topic, partitions: partitionCount, configs: [] });
    const ends = new Map<number, number>();
    let isDone = false;
    let nextId = 0;
    const writing = (async () => {
      while (!isDone) {
        for (let partition = 0; partition < partitionCount; partition++) {
          const records = recordsOf(nextId, 50);
          nextId += 50;
          try {
            const { answers } = await produceRecords(cluster, topic, new Map([[partition, records]]), {
              acks: 'all',
              codec: 'none',
            });
            const base = answers.get(partition);
            if (base !== undefined) ends.set(partition, Number(base) + records.length);
          } catch {
            // The agent is gone; what was not answered may be there.
          }
        }
        await pause(20);
      }
    })();
    let client = clientOf(weir.address('control plane'), applicationKeyIn(dataDir));
    const lakeId = await dataLakeOf(client);
    await startTables(client, lakeId, tableYaml({ kafkaPort, topic }));
    let rowCount = 0;
    const untilMore = async () => {
      const { rows } = await untilTable(client, lakeId, ({ rows: found = 0 }) => found > rowCount);
      rowCount = rows!;
    };
    for (let round = 0; round < 2; round++) {
      await untilMore();
      const [pid] = tableProcesses(weir.pid);
      assert.ok(pid !== undefined, 'there is a process of tables');
      process.kill(pid, 'SIGKILL');
      await untilMore();
      await weir.kill();
      weir = await start();
      client = clientOf(weir.address('control plane'), applicationKeyIn(dataDir));
    }
    await untilMore();
    isDone = true;
    await writing;
    const last = await untilTable(
      client,
      lakeId,
      ({ partitions = [] }) =>
        partitions.length === partitionCount &&
        partitions.every(({ partition, next_offset }) => next_offset >= (ends.get(partition) ?? 0)) &&
        partitions.every(({ lag_records }) => lag_records === 0),
    );
    const known = new Map(last.partitions!.map(({ partition, next_offset }) => [partition, next_offset]));
    for (const [partition, end] of ends) assert.ok(known.get(partition)! >= end);
    assertWhole(await rowsOf(last.metadata_location!), known);
  },
);
