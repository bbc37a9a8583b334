import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { checkedSelect } from './checked-select.ts';

const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();
after(() => {
  connection.closeSync();
  instance.closeSync();
});

async function check(sql: string) {
  const found = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  return checkedSelect(sql, String(found.getRows()[0]![0]), ['k1__orders', 'k1__users', 'k1__a.b-c']);
}

const read: readonly [sql: string, tables: readonly string[]][] = [
  ['SELECT 1', []],
  ['SELECT * FROM k1__orders', ['k1__orders']],
  ['FROM K1__ORDERS', ['k1__orders']],
  ['SELECT * FROM "k1__a.b-c"', ['k1__a.b-c']],
  ['SELECT * FROM k1__orders JOIN k1__users USING (id)', ['k1__orders', 'k1__users']],
  ['SELECT (SELECT max(id) FROM k1__users) FROM k1__orders', ['k1__orders', 'k1__users']],
  ['SELECT 1 WHERE EXISTS (FROM k1__users)', ['k1__users']],
  [
    'WITH big AS (SELECT * FROM k1__orders) SELECT * FROM big UNION ALL FROM k1__users',
    ['k1__orders', 'k1__users'],
  ],
  ['WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT * FROM n', []],
  ['SELECT * FROM range(10), unnest([1, 2])', []],
  ['DESCRIBE k1__orders', ['k1__orders']],
  ['SUMMARIZE k1__orders', ['k1__orders']],
  ["FROM (PIVOT k1__orders ON status IN ('new') USING sum(id))", ['k1__orders']],
];

for (const [sql, tables] of read)
  test(`${sql}: ${tables.join(', ') || 'no table'}`, async () => {
    assert.deepEqual((await check(sql)).tables, tables);
  });

const onlySelect = /^only SELECT can be run; tables are written by their pipelines$/;
const noFunction = /\(\): no such function may be used here/;
const noTable = /^there is no table ".*" in the cluster/;

/** What an attacker would try, and the refusal. */
const attacks: readonly [sql: string, refusal: RegExp][] = [
  ['', /^the query is empty/],
  ['SELECT 1; SELECT 2', /^there are 2 statements/],
  ["SELECT 1; COPY (SELECT 1) TO '/tmp/x'", onlySelect],
  ['SELEC 1', /^line 1, column 1: syntax error at or near "SELEC"/],
  ["SELECT 'ä',\n FROM WHERE", /^line 2, column 7: syntax error/],
  ["COPY k1__orders TO '/tmp/x.csv'", onlySelect],
  ["COPY k1__orders FROM '/etc/passwd'", onlySelect],
  ["ATTACH '/tmp/x.db'", onlySelect],
  ['INSTALL httpfs', onlySelect],
  ['LOAD httpfs', onlySelect],
  ['PRAGMA database_list', onlySelect],
  ['SET enable_external_access = true', onlySelect],
  ['RESET lock_configuration', onlySelect],
  ['CREATE TABLE x (a INT)', onlySelect],
  ["CREATE SECRET (TYPE s3, KEY_ID 'x')", onlySelect],
  ['DROP VIEW k1__orders', onlySelect],
  ['INSERT INTO k1__orders VALUES (1)', onlySelect],
  ['DELETE FROM k1__orders', onlySelect],
  ["EXPORT DATABASE '/tmp/x'", onlySelect],
  ["IMPORT DATABASE '/tmp/x'", /^(?:only SELECT can be run|.*(?:IO|Permission) Error)/],
  ['CALL pragma_version()', onlySelect],
  ['EXPLAIN ANALYZE SELECT 1', onlySelect],
  ['CHECKPOINT', onlySelect],
  ['SHOW TABLES', /^SHOW: not available/],
  ["SELECT * FROM read_csv('/etc/passwd')", noFunction],
  ["SELECT * FROM READ_TEXT('/etc/passwd')", noFunction],
  ["SELECT * FROM read_blob('/proc/self/environ')", noFunction],
  ["SELECT * FROM read_json('/etc/x')", noFunction],
  ["SELECT * FROM read_parquet('/tmp/*.parquet')", noFunction],
  ["SELECT * FROM parquet_metadata('/tmp/x.parquet')", noFunction],
  ["SELECT * FROM glob('/**')", noFunction],
  ["SELECT * FROM sniff_csv('/etc/passwd')", noFunction],
  ["SELECT * FROM query('SELECT 1')", noFunction],
  ["SELECT * FROM query_table('k1__orders')", noFunction],
  ['SELECT * FROM duckdb_settings()', noFunction],
  ['SELECT * FROM duckdb_secrets()', noFunction],
  ['SELECT * FROM pragma_database_list()', noFunction],
  ["SELECT * FROM json_execute_serialized_sql('{}')", noFunction],
  ["SELECT * FROM enable_logging('QueryLog')", noFunction],
  ["SELECT (SELECT content FROM read_text('/etc/passwd'))", noFunction],
  ["WITH x AS (FROM read_text('/etc/passwd')) SELECT * FROM x", noFunction],
  ["SELECT * FROM '/etc/passwd'", noTable],
  ["SELECT * FROM '/tmp/x.parquet'", noTable],
  ["SELECT * FROM 's3://bucket/x.parquet'", noTable],
  ['SELECT * FROM "k2__other"', noTable],
  ['SELECT * FROM information_schema.tables', noTable],
  ['SELECT * FROM duckdb_tables', noTable],
  ['SELECT * FROM sqlite_master', noTable],
  ['SELECT * FROM system.main.k1__orders', noTable],
  ["SELECT current_setting('allowed_paths')", /^current_setting\(\): the function may not be used here$/],
  ["SELECT getenv('HOME')", /^getenv\(\): the function may not be used here$/],
];

for (const [sql, refusal] of attacks)
  test(`refused: ${sql}`, async () => {
    await assert.rejects(check(sql), { message: refusal });
  });

const conditions: readonly [where: string, conditions: readonly unknown[]][] = [
  ['a = 5', [['a', '=', 5]]],
  ['5 < a', [['a', '>', 5]]],
  [
    "k1__orders.a >= 5 AND b <= 'x'",
    [
      ['a', '>=', 5],
      ['b', '<=', 'x'],
    ],
  ],
  ["ts >= TIMESTAMP '2026-01-01 10:00:00'", [['ts', '>=', '2026-01-01 10:00:00']]],
  ["ts >= DATE '2026-01-01'", [['ts', '>=', '2026-01-01']]],
  // A date cuts the time off, which a comparison of texts would not.
  ["ts >= DATE '2026-01-01 10:00:00'", []],
  ['a = 5 OR b = 6', []],
  ['NOT a = 5', []],
  ['a = b', []],
  ['a + 1 = 5', []],
  ['a = NULL', []],
  ["lower(b) = 'x'", []],
  ['a IN (SELECT a FROM k1__orders)', []],
];

for (const [where, expected] of conditions)
  test(`conditions of ${where}`, async () => {
    const found = (await check(`SELECT * FROM k1__orders WHERE ${where}`)).conditions;
    assert.deepEqual(
      found.map(({ column, op, value }) => [column, op, value]),
      expected,
    );
  });

test('a query with more than one table leaves no files out', async () => {
  const { conditions: found } = await check(
    'SELECT * FROM k1__orders LEFT JOIN k1__users USING (id) WHERE a = 5',
  );
  assert.deepEqual(found, []);
});
