/**
 * Tables of every type that our writer and our catalog made, read by pyiceberg and by DuckDB: row by row through the
 * life of a table. `npm run test:tables` has Spark, ClickHouse and catalog servers.
 */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { seededRandom } from '@weir/core';
import { pythonWith } from '../python/venv.ts';
import { duckRows } from './duckdb-reader.ts';
import { IcebergReader } from './iceberg-reader.ts';
import { randomFilters } from './random-filters.ts';
import { allColumns, RowMaker, shownRows } from './typed-rows.ts';
import { type Partition, TypedLake, TypedTable } from './typed-table.ts';

const { missing, python } = pythonWith('pyiceberg');
const skip = missing;
let lake: TypedLake;
let reader: IcebergReader;
before(async () => {
  lake = await TypedLake.open(tmpdir());
  if (python !== undefined) reader = new IcebergReader(python);
});
after(async () => {
  reader?.close();
  await lake.close();
});

const days = [-3, 0, 20_000, 20_001];

async function assertRead(table: TypedTable, when: string): Promise<void> {
  const columns = await table.columns();
  const readers: Record<string, readonly unknown[]> = { pyiceberg: await reader.readRows(table.location) };
  // Columns of structs are found by name there, so that it cannot follow one that was renamed.
  if (when !== 'after evolution') readers.DuckDB = await duckRows(columns, await table.files());
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
  ['whole', [], [['id', 'bucket[3]']]],
  ['days', [['at', 'day']], [['at', 'hour']]],
  [
    'buckets',
    [
      ['word', 'bucket[4]'],
      ['d1', 'identity'],
    ],
    [['key', 'bucket[2]']],
  ],
  [
    'identity',
    [
      ['flag', 'identity'],
      ['word', 'truncate[1]'],
    ],
    [['day', 'year']],
  ],
];

for (const [name, first, second] of specs)
  test(`every type through the life of a table: ${name}`, { skip }, async () => {
    const columns = allColumns({ hasTime: true });
    const table = await TypedTable.create(lake, name, columns, first);
    const maker = new RowMaker(seededRandom(name.length), columns);
    await table.append(maker.rows(60, days));
    await table.append(maker.rows(40, days));
    await assertRead(table, 'after appends');
    // A column that rows are divided by cannot be dropped before.
    await table.partitionBy([]);
    await table.evolve();
    await table.partitionBy(second);
    const late = new RowMaker(seededRandom(7), await table.columns(), 1000);
    await table.append(late.rows(30, days));
    await assertRead(table, 'after evolution');
    await table.compact();
    await assertRead(table, 'after compaction');
    await table.expire();
    await assertRead(table, 'after expiry');
  });

test('no filter loses a row', { skip }, async () => {
  const columns = allColumns({ hasTime: true });
  const table = await TypedTable.create(lake, 'filtered', columns, [
    ['at', 'day'],
    ['id', 'truncate[7]'],
  ]);
  const maker = new RowMaker(seededRandom(5), columns);
  for (let file = 0; file < 3; file++) await table.append(maker.rows(20, [days[file]!]));
  const filters = randomFilters(seededRandom(6), columns, table.rows, 'pyiceberg', 60);
  const answers = await reader.idsOf(table.location, filters);
  for (const [at, { scanned, expected }] of answers.entries())
    assert.deepEqual(scanned, expected, filters[at]);
  const all = (await table.files()).length;
  assert.ok(
    answers.some(({ files }) => files < all),
    'some filters leave out files',
  );
});
