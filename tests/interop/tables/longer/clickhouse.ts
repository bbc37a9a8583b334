/** Tables that our writer and our catalog made, read by ClickHouse, as chdb has it: all columns that are not nested. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { seededRandom } from '@weir/core';
import { pythonWith } from '../../python/venv.ts';
import { AnsweringProcess } from '../answering-process.ts';
import { allColumns, type Column, RowMaker, shownRows } from '../typed-rows.ts';
import { type Partition, TypedLake, TypedTable } from '../typed-table.ts';

const { missing, python } = pythonWith('chdb');
const skip = missing;

class ClickHouse extends AnsweringProcess {
  query(sql: string) {
    return this.call('query', { sql }) as Promise<readonly Record<string, unknown>[]>;
  }
}

let lake: TypedLake;
let clickHouse: ClickHouse;
before(async () => {
  if (python === undefined) return;
  lake = await TypedLake.open(tmpdir());
  // It reads files below its folder only.
  clickHouse = new ClickHouse(
    python,
    ['-B', join(import.meta.dirname, 'clickhouse_reader.py')],
    lake.root.slice('file://'.length),
  );
});
after(async () => {
  clickHouse?.close();
  await lake?.close();
});

const isPlain = ({ type }: Column) => !['struct', 'list', 'map'].includes(type.kind);

/** An expression that shows a value as `shownRows` does. */
function shownSql({ name, type }: Column): string {
  const bits = (width: number) =>
    `if(isNaN(${name}), 'NaN', leftPad(lower(hex(reinterpretAsUInt${width}(${name}))), ${width / 4}, '0'))`;
  switch (type.kind) {
    case 'boolean':
      return name;
    case 'float':
      return bits(32);
    case 'double':
      return bits(64);
    case 'date':
      return `toString(toInt32(${name}))`;
    case 'time':
      return `toString(toInt64(${name}))`;
    case 'timestamp':
    case 'timestamptz':
      return `toString(toUnixTimestamp64Micro(${name}))`;
    case 'binary':
      return `lower(hex(${name}))`;
    case 'decimal':
      return `toDecimalString(${name}, ${type.scale})`;
    default:
      return `toString(${name})`;
  }
}

async function assertRead(table: TypedTable, when: string): Promise<void> {
  const columns = (await table.columns()).filter(isPlain);
  const shown = columns.map((column) => `${shownSql(column)} AS \`shown ${column.name}\``);
  const rows = await clickHouse.query(
    `SELECT ${shown.join(', ')} FROM icebergLocal('typed/${table.name.name}') ORDER BY id
     SETTINGS use_iceberg_metadata_files_cache = 0`,
  );
  const expected = shownRows(columns, table.rows);
  assert.equal(rows.length, expected.length, when);
  for (const [at, row] of rows.entries()) {
    const found = Object.fromEntries(columns.map(({ name }) => [name, row[`shown ${name}`]]));
    assert.deepEqual(found, expected[at], `${when}, row ${at}`);
  }
}

// name, the first spec, and that after evolution
const specs: [string, Partition[], Partition[]][] = [
  ['whole', [], [['id', 'bucket[3]']]],
  ['days', [['at', 'day']], [['at', 'hour']]],
  ['identity', [['word', 'truncate[1]']], [['day', 'year']]],
];

for (const [name, first, second] of specs)
  test(`ClickHouse reads a table through its life: ${name}`, { skip }, async () => {
    const columns = allColumns({ hasTime: false });
    const days = [-3, 0, 20_000, 20_001];
    const table = await TypedTable.create(lake, name, columns, first);
    const maker = new RowMaker(seededRandom(name.length), columns);
    await table.append(maker.rows(150, days));
    await table.append(maker.rows(100, days));
    await assertRead(table, 'after appends');
    await table.partitionBy([]);
    await table.evolve();
    await table.partitionBy(second);
    await table.append(new RowMaker(seededRandom(7), await table.columns(), 1000).rows(100, days));
    await assertRead(table, 'after evolution');
    await table.compact();
    await assertRead(table, 'after compaction');
    await table.expire();
    await assertRead(table, 'after expiry');
  });
