import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { removeIntegerAnnotations, withoutIntegerAnnotations } from './plain-integers.ts';

const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();

test('integers lose their annotations, and nothing else changes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'footer-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'a.parquet');
  // The type, and what the schema says of it afterwards.
  const types: [type: string, converted: string | null][] = [
    ['INTEGER', null],
    ['BIGINT', null],
    ['DECIMAL(9, 2)', 'DECIMAL'],
    ['DECIMAL(18, 2)', 'DECIMAL'],
    ['DATE', 'DATE'],
    ['TIME', 'TIME_MICROS'],
    ['TIMESTAMP', 'TIMESTAMP_MICROS'],
    ['VARCHAR', 'UTF8'],
    ['DOUBLE', null],
    ['BOOLEAN', null],
    ['UUID', null],
    // More columns than a short list has.
    ...Array.from({ length: 20 }, (): [string, null] => ['INTEGER', null]),
  ];
  const selected = types.map(
    ([type], at) => `(CASE WHEN i % 3 > 0 THEN ${sample(type)} END)::${type} AS v${at}`,
  );
  const ids = types.map((_, at) => `v${at}: ${1000 + at}`);
  await connection.run(
    `COPY (SELECT ${selected.join(', ')}, [i, NULL] AS list, {a: i, b: {c: i::INT}} AS deep FROM range(5000) t(i))
     TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048, FIELD_IDS {${ids.join(', ')}})`,
  );
  const rows = `SELECT * FROM '${path}'`;
  const before = await query(rows);
  const groups = `SELECT row_group_id, column_id, num_values, data_page_offset, stats_min_value, stats_max_value FROM parquet_metadata('${path}')`;
  const groupsBefore = await query(groups);
  const bytes = (await stat(path)).size;
  await removeIntegerAnnotations(path);
  assert.ok((await stat(path)).size < bytes);
  assert.deepEqual(await query(rows), before);
  assert.deepEqual(await query(groups), groupsBefore);
  const schema = await query(
    `SELECT name, converted_type, field_id::INT FROM parquet_schema('${path}') WHERE name LIKE 'v%'`,
  );
  assert.deepEqual(
    schema,
    types.map(([, converted], at) => [`v${at}`, converted, 1000 + at]),
  );
  const inside = await query(
    `SELECT name, converted_type, logical_type FROM parquet_schema('${path}') WHERE name IN ('a', 'c', 'element')`,
  );
  assert.deepEqual(inside, [
    ['element', null, null],
    ['a', null, null],
    ['c', null, null],
  ]);
  // Once more is no change.
  const once = await readFile(path);
  await removeIntegerAnnotations(path);
  assert.ok((await readFile(path)).equals(once));

  // Whatever is not a footer is refused, and not followed.
  for (let cut = 1; cut < once.length; cut += 97) {
    const footer = once.subarray(once.length - cut);
    try {
      withoutIntegerAnnotations(footer);
    } catch (error) {
      assert.equal((error as Error).name, 'ParquetWriteFailed');
    }
  }
  await writeFile(path, 'PAR1 nonsense');
  await assert.rejects(removeIntegerAnnotations(path), { name: 'ParquetWriteFailed' });
});

function sample(type: string): string {
  if (type === 'DATE') return "DATE '2020-01-01'";
  if (type === 'TIME') return "TIME '01:02:03'";
  if (type === 'TIMESTAMP') return "TIMESTAMP '1960-01-01 00:00:00'";
  if (type === 'UUID') return "'5892a6a3-e895-1d2e-f2f5-224899e093da'";
  return 'i % 2';
}
