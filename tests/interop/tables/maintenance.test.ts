/** Tables that our maintenance merged, thinned out and cleaned up, read by pyiceberg and by DuckDB. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { seededRandom, silentLog, systemClock } from '@weir/core';
import { TableMaintainer } from '@weir/tables';
import { pythonWith } from '../python/venv.ts';
import { duckRows } from './duckdb-reader.ts';
import { IcebergReader } from './iceberg-reader.ts';
import { allColumns, RowMaker, shownRows } from './typed-rows.ts';
import { type Partition, TypedLake, TypedTable } from './typed-table.ts';

const { missing, python } = pythonWith('pyiceberg');
const skip = missing;
const dayMs = 86_400_000;
let lake: TypedLake;
let reader: IcebergReader;
let maintainer: TableMaintainer;
let laterMs = 0;
before(async () => {
  lake = await TypedLake.open(tmpdir());
  maintainer = new TableMaintainer({
    directory: join(lake.folder, 'maintainer'),
    memoryBytesMax: 128 * 1024 * 1024,
    spillBytesMax: 128 * 1024 * 1024,
    clock: { ...systemClock, nowMs: () => systemClock.nowMs() + laterMs },
    random: seededRandom(3),
    log: silentLog,
  });
  if (python !== undefined) reader = new IcebergReader(python);
});
after(async () => {
  reader?.close();
  await lake.close();
});

async function maintain(table: TypedTable, retention?: { readonly column: string; readonly ms: number }) {
  const { counts } = await maintainer.maintain({
    catalog: lake.catalog,
    table: table.name,
    files: lake.deps.files,
    dataFiles: lake.dataFiles,
    settings: { compression: 'zstd', retention },
    steps: ['retention', 'clean-up'],
    signal: new AbortController().signal,
  });
  return counts;
}

async function assertRead(table: TypedTable, when: string): Promise<void> {
  const columns = await table.columns();
  const readers: Record<string, readonly unknown[]> = {
    pyiceberg: await reader.readRows(table.location),
    DuckDB: await duckRows(columns, await table.files()),
  };
  for (const [name, rows] of Object.entries(readers)) {
    // pyiceberg 0.12 copies lists and maps of structs without their nulls.
    const expected = shownRows(columns, table.rows, { losesNulls: name === 'pyiceberg' });
    assert.equal(rows.length, expected.length, `${name}, ${when}`);
    for (const [at, row] of rows.entries())
      assert.deepEqual(row, expected[at], `${name}, ${when}, row ${at}`);
  }
}

// name, the first spec, and that after evolution
const specs: [string, Partition[], Partition[]][] = [
  ['whole', [], []],
  ['days', [['at', 'day']], [['word', 'bucket[2]']]],
];

for (const [name, first, second] of specs)
  test(`a table is read as before after evolution and maintenance: ${name}`, { skip }, async () => {
    laterMs = 0;
    const columns = allColumns({ hasTime: true });
    const table = await TypedTable.create(lake, name, columns, first);
    const maker = new RowMaker(seededRandom(name.length), columns);
    for (let file = 0; file < 3; file++) await table.append(maker.rows(20, [-3, 20_000]));
    await table.evolve();
    await table.partitionBy(second);
    const late = new RowMaker(seededRandom(7), await table.columns(), 1000);
    for (let file = 0; file < 2; file++) await table.append(late.rows(20, [20_000]));
    const before = (await table.files()).length;

    laterMs = 2 * dayMs;
    const merged = await maintain(table);
    const after = await table.files();
    assert.deepEqual([merged.mergedFiles, merged.writtenFiles], [before, after.length]);
    await assertRead(table, 'after compaction');

    laterMs = 10 * dayMs;
    const { expiredSnapshots, deletedFiles } = await maintain(table);
    assert.ok(expiredSnapshots >= 5 && deletedFiles > before, `${expiredSnapshots}, ${deletedFiles}`);
    assert.equal((await table.metadata()).snapshots.length, 1);
    await assertRead(table, 'after expiry');

    // Rows before 1970 go if they have files of their own.
    const old = table.rows.filter(({ at }) => at !== null && (at as bigint) < 0n);
    const { removedRows } = await maintain(table, { column: 'at', ms: systemClock.nowMs() + laterMs });
    assert.equal(removedRows, first.length === 0 ? 0 : old.length);
    if (removedRows > 0) table.rows = table.rows.filter((row) => !old.includes(row));
    await assertRead(table, 'after retention');
  });

test('rows that another program deleted are in no file after maintenance', { skip }, async () => {
  laterMs = 0;
  const columns = allColumns({ hasTime: true });
  const table = await TypedTable.create(lake, 'deleted', columns, [['at', 'day']]);
  const maker = new RowMaker(seededRandom(11), columns);
  for (let file = 0; file < 3; file++) await table.append(maker.rows(20, [-3, 20_000]));
  const duck = await (await DuckDBInstance.create(':memory:')).connect();
  const deleted = await table.deleteRows(
    ({ id }) => Number(id) % 3 === 0,
    async ({ path }) => {
      const source = `read_parquet('${path.slice('file://'.length)}', file_row_number = true)`;
      const found = await duck.runAndReadAll(`SELECT file_row_number FROM ${source} WHERE id % 3 = 0`);
      return found.getRows().map(([place]) => place as bigint);
    },
  );
  duck.closeSync();
  assert.ok(deleted > 10);
  const read = await reader.readRows(table.location);
  assert.deepEqual(read, shownRows(await table.columns(), table.rows, { losesNulls: true }));
  await table.append(maker.rows(20, [20_000]));
  laterMs = 2 * dayMs;
  const { deletedRows, removedDeletes } = await maintain(table);
  assert.deepEqual([deletedRows, removedDeletes > 1], [deleted, true]);
  await assertRead(table, 'after maintenance');
});
