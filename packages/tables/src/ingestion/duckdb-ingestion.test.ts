/** With files of DuckDB, as the product writes them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MiB } from '@weir/core';
import { planFiles, snapshotOfRef, type TableName } from '@weir/iceberg';
import { definition, IngestedTable } from '../../testing/ingested-table.ts';
import { MemoryTopic } from '../../testing/memory-source.ts';
import { keptTableName, readKept } from '../dead-letters/kept-records.ts';
import { DuckDbWriter } from '../parquet/duckdb-writer.ts';

async function duckDb(t: TestContext): Promise<DuckDbWriter> {
  const directory = await mkdtemp(join(tmpdir(), 'ingestion-'));
  const parquet = new DuckDbWriter({ directory, memoryBytesMax: 64 * MiB, spillBytesMax: 64 * MiB });
  t.after(async () => {
    await parquet.close();
    await rm(directory, { recursive: true, force: true });
  });
  return parquet;
}

async function dataFiles(table: IngestedTable, name: TableName = table.name) {
  const metadata = await table.metadata(name);
  const { data } = await planFiles(table.files, metadata, snapshotOfRef(metadata));
  return data.map(({ file }) => file);
}

test('rows are read as they were written, records that fail are kept, and a partition has files of its own', async (t) => {
  const parquet = await duckDb(t);
  const table = new IngestedTable({ topic: new MemoryTopic(2, 1000) });
  for (let at = 0; at < 3000; at++)
    table.topic.write(at % 2, at % 500 === 7 ? `bad ${at}` : JSON.stringify({ id: at, note: `n${at}` }), {
      timestampMs: Date.UTC(2026, 10, 18 + (at % 3)),
      key: Buffer.from(`k${at}`),
      headers: [
        ['trace', Buffer.from([0, 255])],
        ['empty', null],
      ],
    });
  const { stop, ingestion } = table.start({
    parquet,
    definition: definition({
      partitionBy: [{ column: 'kafka_timestamp', transform: 'day' }],
      deadLetters: { mode: 'keep', retentionMs: undefined },
    }),
  });
  await table.until(() => table.hasAll());
  await stop();
  const files = await dataFiles(table);
  assert.equal(new Set(files.map(({ partition }) => String(partition[0]))).size, 3);
  const places = new Set<string>();
  let [rowCount, idSum] = [0, 0];
  for (const { path } of files) {
    const local = await parquet.newPath();
    await writeFile(local, (await table.files.read(path, MiB))!);
    const selection = `id::INT, note, kafka_partition, kafka_offset::INT`;
    for (const [id, note, partition, offset] of await parquet.read(local, selection)) {
      rowCount++;
      idSum += id as number;
      places.add(`${partition}/${offset}`);
      assert.deepEqual([id, note], [2 * (offset as number) + (partition as number), `n${id}`]);
    }
  }
  const kept = [7, 507, 1007, 1507, 2007, 2507];
  const sum = (2999 * 3000) / 2 - kept.reduce((one, other) => one + other);
  assert.deepEqual([rowCount, places.size, idSum], [2994, 2994, sum]);
  const records = [];
  for (const file of await dataFiles(table, keptTableName(table.name)))
    records.push(...(await readKept(table.files, parquet, file)));
  records.sort((one, other) => Number(one.record.offset - other.record.offset));
  assert.deepEqual(
    records.map(({ record }) => Buffer.from(record.value!).toString()),
    kept.map((at) => `bad ${at}`),
  );
  const [{ record, failedAtMs, ...others }] = records as [(typeof records)[0]];
  assert.deepEqual(others, { topic: 'orders', step: 'decode', error: 'bad 7 is no JSON' });
  assert.ok(failedAtMs >= 1_700_000_000_000);
  assert.deepEqual(
    { ...record, key: Buffer.from(record.key!), value: undefined, headers: undefined },
    {
      partition: 1,
      offset: 3n,
      timestampMs: Date.UTC(2026, 10, 19),
      key: Buffer.from('k7'),
      value: undefined,
      headers: undefined,
    },
  );
  assert.deepEqual(
    record.headers.map(([name, value]) => [name, value === null ? null : [...value]]),
    [
      ['trace', [0, 255]],
      ['empty', null],
    ],
  );
  const { counts, keptRecords } = ingestion.progress();
  assert.deepEqual([counts.kept, keptRecords], [6, 6]);
});

test('files that are large enough are stored before the commit', async (t) => {
  const parquet = await duckDb(t);
  const table = new IngestedTable({ topic: new MemoryTopic(1, 100) });
  for (let at = 0; at < 1000; at++) table.topic.write(0, JSON.stringify({ id: at }));
  const { stop, ingestion } = table.start({
    parquet,
    fileBytesMax: 10_000,
    definition: definition({ commitIntervalMs: 3_600_000 }),
  });
  await table.until(() => ingestion.progress().partitions[0]?.readOffset === 1000n);
  await stop();
  const files = await dataFiles(table);
  assert.deepEqual(
    files.map(({ recordCount }) => recordCount),
    [200n, 200n, 200n, 200n, 200n],
  );
});
