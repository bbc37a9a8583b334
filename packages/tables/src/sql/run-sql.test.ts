import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { MiB, systemClock } from '@weir/core';
import { parsePrimitive, type Type } from '@weir/iceberg';
import type { Column } from '../parquet/parquet-writer.ts';
import { runSql, type SqlDeps } from './run-sql.ts';
import type { SqlAnswer, SqlLimits, SqlRequest, SqlTable } from './sql-messages.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-sql-'));
const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const writer = await instance.connect();
after(() => {
  writer.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

let nextFile = 1;
async function parquet(select: string, fieldIds: string): Promise<string> {
  const path = join(folder, `${nextFile++}.parquet`);
  await writer.run(`COPY (${select}) TO '${path}' (FORMAT parquet, FIELD_IDS ${fieldIds})`);
  return path;
}

const local = (path: string) => ({ path, uri: `s3://lake/${path}`, sequenceNumber: 1n, partition: '[0]' });

const primitive = (text: string) => parsePrimitive(text, 'test');
const column = (id: number, name: string, type: string | Type): Column => ({
  id,
  name,
  isRequired: false,
  type: typeof type === 'string' ? primitive(type) : type,
});

async function query(sql: string, tables: readonly SqlTable[], options: Partial<SqlDeps> = {}) {
  const tableNames = tables.map(({ name }) => name);
  const result = await runSql(
    { sql, tableNames, rowsMax: 100, timeMsMax: 10_000 },
    {
      clock: systemClock,
      signal: new AbortController().signal,
      withTables: (parsed, run) => run(tables.filter(({ name }) => parsed.tables.includes(name))),
      ...options,
    },
  );
  const { rowsJson, ...rest } = result;
  return { ...rest, rows: JSON.parse(rowsJson) as unknown[][] };
}

test('columns are found by id in files of older schemas: renamed, added, promoted, dropped, nested', async () => {
  const old = await parquet(
    `SELECT 1::INTEGER AS a, 'x' AS gone, {'city': 'Bonn', 'zip': 5} AS addr, [{'k': 1}] AS items,
            MAP {'m': {'k': 2}} AS by_name
     UNION ALL SELECT 2, NULL, NULL, NULL, NULL`,
    `{a: 1, gone: 2, addr: {__duckdb_field_id: 3, city: 4, zip: 5},
      items: {__duckdb_field_id: 6, element: {__duckdb_field_id: 7, k: 8}},
      by_name: {__duckdb_field_id: 9, key: 10, value: {__duckdb_field_id: 11, k: 12}}}`,
  );
  // A new column has the name of a dropped one.
  const now = await parquet(
    `SELECT 3::BIGINT AS n, 'new' AS gone, {'zip': 7::BIGINT, 'town': 'Köln', 'new': true} AS addr,
            [{'key': 9::BIGINT}] AS items, MAP {'m': {'key': 8::BIGINT}} AS by_name`,
    `{n: 1, gone: 20, addr: {__duckdb_field_id: 3, zip: 5, town: 4, new: 21},
      items: {__duckdb_field_id: 6, element: {__duckdb_field_id: 7, key: 8}},
      by_name: {__duckdb_field_id: 9, key: 10, value: {__duckdb_field_id: 11, key: 12}}}`,
  );
  const struct = (...columns: Column[]): Type => ({ kind: 'struct', columns });
  const columns = [
    column(1, 'n', 'long'),
    column(20, 'gone', 'string'),
    column(
      3,
      'addr',
      struct(column(5, 'zip', 'long'), column(4, 'town', 'string'), column(21, 'new', 'boolean')),
    ),
    column(6, 'items', {
      kind: 'list',
      elementId: 7,
      isElementRequired: false,
      element: struct(column(8, 'key', 'long')),
    }),
    column(9, 'by_name', {
      kind: 'map',
      keyId: 10,
      key: primitive('string'),
      valueId: 11,
      isValueRequired: false,
      value: struct(column(12, 'key', 'long')),
    }),
  ];
  const table = { name: 'k1__orders', columns, data: [old, now].map(local), deletes: [] };
  const { rows, columns: found, isComplete } = await query('SELECT * FROM k1__orders ORDER BY n', [table]);
  assert.deepEqual(rows, [
    ['1', null, { zip: '5', town: 'Bonn', new: null }, [{ key: '1' }], [{ key: 'm', value: { key: '2' } }]],
    ['2', null, null, null, null],
    ['3', 'new', { zip: '7', town: 'Köln', new: true }, [{ key: '9' }], [{ key: 'm', value: { key: '8' } }]],
  ]);
  assert.deepEqual(found.slice(0, 2), [
    { name: 'n', type: 'BIGINT' },
    { name: 'gone', type: 'VARCHAR' },
  ]);
  assert.equal(isComplete, true);
});

const values: readonly [expression: string, json: unknown][] = [
  ['9007199254740993::BIGINT', '9007199254740993'],
  ['170141183460469231731687303715884105727::HUGEINT', '170141183460469231731687303715884105727'],
  ['12345678901234567890.123456789::DECIMAL(38, 9)', '12345678901234567890.123456789'],
  ['7::INTEGER', 7],
  ['true', true],
  ['0.1::DOUBLE', 0.1],
  ["'nan'::DOUBLE", 'NaN'],
  ["'-inf'::DOUBLE", '-Infinity'],
  ["'ä😀'", 'ä😀'],
  ["DATE '1969-12-31'", '1969-12-31'],
  ["TIMESTAMP '2026-01-02 03:04:05.000006'", '2026-01-02 03:04:05.000006'],
  ["TIMESTAMPTZ '2026-01-02 03:04:05.000006+02:00'", '2026-01-02 01:04:05.000006+00'],
  ["TIME '01:02:03.5'", '01:02:03.5'],
  ["'01111111-2222-3333-4444-555555555555'::UUID", '01111111-2222-3333-4444-555555555555'],
  ["'\\xAB'::BLOB", '\\xAB'],
  ['[1, NULL]', [1, null]],
  ['NULL', null],
];

test('values of all types are exact as JSON; a table without files has no rows', async () => {
  const empty = { name: 'empty', columns: [column(1, 'id', 'long')], data: [], deletes: [] };
  const { rows } = await query(
    `SELECT ${values.map(([sql]) => sql).join(', ')} WHERE NOT EXISTS (SELECT id FROM empty)`,
    [empty],
  );
  assert.deepEqual(
    rows[0],
    values.map(([, json]) => json),
  );
});

test('a query that is no longer wanted ends, and a crash is one line', async () => {
  const stop = new AbortController();
  const withTables: SqlDeps['withTables'] = async (_, run) => {
    const running = run([]);
    stop.abort();
    return await running;
  };
  await assert.rejects(query('SELECT 1', [], { signal: stop.signal, withTables }), {
    name: 'SqlFailed',
    message: 'the process of the query ended (the query is no longer wanted)',
  });
});

/** Without the check of the syntax tree: what the settings of the process refuse on their own. */
const attacks: readonly [sql: string, refusal: RegExp][] = [
  ["SELECT * FROM read_text('/etc/passwd')", /file system operations are disabled/],
  ["SELECT * FROM read_csv('/proc/self/environ')", /file system operations are disabled/],
  ["SELECT * FROM glob('/etc/*')", /file system operations are disabled/],
  ["SELECT * FROM '/etc/passwd.csv'", /file system operations are disabled|does not exist/],
  ["SELECT * FROM read_parquet('https://127.0.0.1/x.parquet')", /disabled|httpfs/],
  ["COPY (SELECT 1) TO '/tmp/weir-attack'", /only one SELECT|disabled/],
  ["ATTACH '/tmp/weir-attack.db'", /only one SELECT|disabled/],
  ['INSTALL httpfs', /only one SELECT|disabled/],
  ['LOAD httpfs', /only one SELECT|disabled/],
  ['SET enable_external_access = true', /only one SELECT|configuration has been locked/],
  ["SET allowed_paths = ['/etc/passwd']", /only one SELECT|configuration has been locked/],
  ['PRAGMA enable_profiling', /only one SELECT|configuration has been locked/],
  ['CREATE TABLE x AS SELECT 1', /only one SELECT/],
  ["CREATE SECRET (TYPE s3, KEY_ID 'x')", /only one SELECT|disabled|not found|Secret/],
  ["EXPORT DATABASE '/tmp/weir-attack'", /only one SELECT|disabled/],
  ['SELECT 1; SELECT 2', /only one SELECT/],
  ['SELECT $1', /the query has parameters/],
];

const usual = { memoryBytesMax: 64 * MiB, threads: 1, timeMsMax: 10_000, rowsMax: 3, answerBytesMax: 1000 };

/** A query, limits that differ, and what comes of it. */
const limited: readonly [sql: string, limits: Partial<SqlLimits>, outcome: unknown][] = [
  ['SELECT i FROM range(3) t(i)', {}, { rowsJson: '[["0"],["1"],["2"]]', isComplete: true }],
  ['SELECT i FROM range(4) t(i)', {}, { rowsJson: '[["0"],["1"],["2"]]', isComplete: false }],
  ["SELECT repeat('x', 300) FROM range(10)", { rowsMax: 10 }, { rowCount: 3, isComplete: false }],
  [
    "SELECT repeat('x', 3000)",
    {},
    { error: 'limit', message: 'the first row of the result is larger than 1kB; select fewer columns' },
  ],
  [
    'SELECT count(DISTINCT i * 7) FROM range(50000000) t(i)',
    { memoryBytesMax: 16 * MiB, timeMsMax: 60_000 },
    {
      error: 'limit',
      message:
        'the query needs more than 16MiB of memory; read fewer rows or columns, or group by fewer values',
    },
  ],
  [
    'SELECT count(*) FROM range(100000) a, range(100000) b, range(1000) c',
    { timeMsMax: 100 },
    { error: 'time' },
  ],
];

test('the process limits rows, bytes, memory and time, and refuses files, settings and extensions', async (t) => {
  const entry = fileURLToPath(import.meta.resolve('./sql-process.ts'));
  const child = fork(entry, [], { env: {}, serialization: 'advanced' });
  t.after(() => child.kill());
  const run = async (sql: string, limits: Partial<SqlLimits> = {}) => {
    const request: SqlRequest = { kind: 'run', sql, tables: [], limits: { ...usual, ...limits } };
    child.send(request);
    const [answer] = (await once(child, 'message')) as [SqlAnswer];
    return answer;
  };
  for (const [sql, limits, outcome] of limited) {
    const answer = await run(sql, limits);
    assert.partialDeepStrictEqual(answer.kind === 'result' ? answer.result : answer, outcome as object, sql);
  }
  for (const [sql, refusal] of attacks) {
    const answer = await run(sql);
    assert.equal(answer.kind, 'failed', sql);
    assert.match(answer.kind === 'failed' ? answer.message : '', refusal, sql);
  }
  child.disconnect();
  await once(child, 'exit');
});
