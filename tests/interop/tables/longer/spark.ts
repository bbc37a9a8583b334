/** Tables of every type that our writer and our catalog made, read by Spark: from the folder, and by a REST server. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { seededRandom } from '@weir/core';
import { RestServer } from '@weir/iceberg/testing';
import { missingTool } from '../../apache/tools.ts';
import { randomFilters } from '../random-filters.ts';
import { allColumns, type Column, RowMaker, shownRows } from '../typed-rows.ts';
import { type Partition, TypedLake, TypedTable } from '../typed-table.ts';
import { SparkReader } from './spark-reader.ts';

const skip = missingTool();
const days = [-3, 0, 20_000, 20_001];
let lake: TypedLake;
let server: RestServer;
let spark: SparkReader;
before(async () => {
  if (skip !== false) return;
  lake = await TypedLake.open(tmpdir());
  server = new RestServer(lake.catalog, 'prefix');
  spark = new SparkReader({
    folder: { type: 'hadoop', warehouse: lake.root, 'cache-enabled': 'false' },
    server: {
      type: 'rest',
      uri: await server.start(),
      'io-impl': 'org.apache.iceberg.hadoop.HadoopFileIO',
      'cache-enabled': 'false',
    },
  });
});
after(async () => {
  spark?.close();
  server?.close();
  await lake?.close();
});

const isPlain = ({ type }: Column) => !['struct', 'list', 'map'].includes(type.kind);

async function assertRead(table: TypedTable, when: string): Promise<void> {
  const columns = await table.columns();
  const name = table.name.name;
  const reads = [
    { table: `folder.typed.${name}`, isVectorized: false, columns },
    { table: `server.typed.${name}`, isVectorized: true, columns },
    // Only columns that are not nested are read as vectors.
    { table: `folder.typed.${name}`, isVectorized: true, columns: columns.filter(isPlain) },
  ];
  for (const { columns: read, ...options } of reads) {
    const rows = await spark.readRows({ ...options, columns: read.map((one) => one.name) });
    const expected = shownRows(read, table.rows);
    const what = `${when}, ${JSON.stringify(options)}`;
    assert.equal(rows.length, expected.length, what);
    for (const [at, row] of rows.entries()) assert.deepEqual(row, expected[at], `${what}, row ${at}`);
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
      ['d38', 'bucket[3]'],
    ],
    [['key', 'bucket[2]']],
  ],
  [
    'identity',
    [
      ['flag', 'identity'],
      ['word', 'truncate[1]'],
      ['d20', 'identity'],
    ],
    [['local', 'month']],
  ],
  ['bytes', [['bytes', 'truncate[1]']], [['day', 'identity']]],
];

for (const [name, first, second] of specs)
  test(`every type through the life of a table: ${name}`, { skip }, async () => {
    // Spark has no type for times of day.
    const columns = allColumns({ hasTime: false });
    const table = await TypedTable.create(lake, name, columns, first);
    const maker = new RowMaker(seededRandom(name.length), columns);
    await table.append(maker.rows(150, days));
    await table.append(maker.rows(100, days));
    await assertRead(table, 'after appends');
    // A column that rows are divided by cannot be dropped before.
    await table.partitionBy([]);
    await table.evolve();
    await table.partitionBy(second);
    const late = new RowMaker(seededRandom(7), await table.columns(), 1000);
    await table.append(late.rows(100, days));
    await assertRead(table, 'after evolution');
    await table.compact();
    await assertRead(table, 'after compaction');
    await table.expire();
    await assertRead(table, 'after expiry');
  });

test('no filter loses a row', { skip }, async () => {
  const columns = allColumns({ hasTime: false });
  for (const [at, partitions] of specs.map(([, first]) => first).entries()) {
    const table = await TypedTable.create(lake, `filtered${at}`, columns, partitions);
    const maker = new RowMaker(seededRandom(5 + at), columns);
    for (const day of days) await table.append(maker.rows(20, [day]));
    const filters = randomFilters(seededRandom(6 + at), columns, table.rows, 'spark', 60);
    const answers = await spark.idsOf({ table: `folder.typed.${table.name.name}` }, filters);
    for (const [which, { scanned, expected }] of answers.entries())
      assert.deepEqual(scanned, expected, filters[which]);
  }
});

test('Spark shows snapshots, files and partitions as they are', { skip }, async () => {
  const columns = allColumns({ hasTime: false });
  const table = await TypedTable.create(lake, 'described', columns, [['at', 'day']]);
  await table.append(new RowMaker(seededRandom(1), columns).rows(30, days));
  const [counted] = await spark.run(
    'SELECT count(*) AS files, sum(record_count) AS records FROM folder.typed.described.files',
  );
  assert.deepEqual(counted, { files: String((await table.files()).length), records: '30' });
  const [snapshot] = await spark.run('SELECT operation FROM folder.typed.described.snapshots');
  assert.deepEqual(snapshot, { operation: 'append' });
});
