import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { Collected, catalogueWith, runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { parsePostgresDsn } from './postgres-dsn.ts';
import { insertStatements, selectText } from './sql-statements.ts';

const local = () => ({ ...testServices(), environment: {} });

function fileOf(t: TestContext): { path: string; rows: (query: string) => unknown[] } {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sql-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'test.db');
  return {
    path,
    rows(query) {
      const database = new DatabaseSync(path);
      try {
        return database
          .prepare(query)
          .all()
          .map((row) => ({ ...row }));
      } finally {
        database.close();
      }
    },
  };
}

const numbers = (count: number, batchSize = 1) => `
input:
  generate:
    mapping: 'root = {"id": counter(), "name": "n"}'
    interval: ""
    count: ${count}
    batch_size: ${batchSize}
`;

const create = 'CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, name TEXT)';

test('rows are inserted, one statement for a batch', async (t) => {
  const { path, rows } = fileOf(t);
  await runPipeline(
    `${numbers(4, 4)}
output:
  sql_insert:
    driver: sqlite
    dsn: file:${path}
    init_statement: ${create}
    table: t
    columns: [id, name]
    args_mapping: root = [this.id, this.name + "x"]
    suffix: ON CONFLICT DO NOTHING
`,
    { services: local() },
  );
  assert.deepEqual(
    rows('SELECT * FROM t'),
    [1, 2, 3, 4].map((id) => ({ id, name: 'nx' })),
  );
});

test('of a batch, messages whose statement fails are written again, and the others are not', async (t) => {
  const { path, rows } = fileOf(t);
  const collected = new Collected();
  // The second is refused until the others have been written, because of the trigger.
  await runPipeline(
    `${numbers(3, 3)}
output:
  sql_raw:
    driver: sqlite
    dsn: ${path}
    init_statement: |
      ${create};
      CREATE TABLE log (id INTEGER);
      CREATE TRIGGER refuse BEFORE INSERT ON t WHEN NEW.id = 2 AND NOT EXISTS (SELECT 1 FROM t WHERE id = 3)
      BEGIN SELECT RAISE(ABORT, 'not yet'); END;
      CREATE TRIGGER note AFTER INSERT ON t BEGIN INSERT INTO log VALUES (NEW.id); END;
    query: INSERT INTO t VALUES (?, ?)
    args_mapping: root = [this.id, this.name]
`,
    { collected, services: local() },
  );
  assert.deepEqual(rows('SELECT id FROM log'), [{ id: 1 }, { id: 3 }, { id: 2 }]);
});

test('processors insert and select, and a failure stays with its message', async (t) => {
  const { path } = fileOf(t);
  const connection = `driver: sqlite\n        dsn: ${path}`;
  const collected = await runPipeline(
    `${numbers(2, 2)}
pipeline:
  processors:
    - sql_raw:
        ${connection}
        init_statement: ${create}
        query: DELETE FROM t WHERE id = ?
        args_mapping: root = if this.id == 1 { throw("no arguments") } else { [this.id] }
        exec_only: true
    - sql_insert:
        ${connection}
        table: t
        columns: [id, name]
        args_mapping: root = [this.id, null]
    - sql_select:
        ${connection}
        table: t
        columns: [id, name]
        where: id = ?
        args_mapping: root = [this.id]
output: {collect: {}}
`,
    { services: local() },
  );
  assert.deepEqual(collected.texts, ['[{"id":1,"name":null}]', '[{"id":2,"name":null}]']);
  assert.deepEqual(
    collected.batches[0]!.map(({ error }) => error?.type),
    ['sql_raw', undefined],
  );
});

test('inputs deliver a message for each row, and end', async (t) => {
  const { path } = fileOf(t);
  const database = new DatabaseSync(path);
  database.exec(
    `${create}; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) INSERT INTO t SELECT i, 'x' || i FROM n`,
  );
  database.close();
  for (const input of [
    'sql_raw: {query: "SELECT id FROM t WHERE id > ? ORDER BY id", args_mapping: "root = [10]", ',
    'sql_select: {table: t, columns: [id], where: "id > ?", args_mapping: "root = [10]", suffix: ORDER BY id, ',
  ]) {
    const collected = await runPipeline(
      `input: {${input} driver: sqlite, dsn: "${path}"}}\noutput: {collect: {}}\n`,
      { services: local() },
    );
    assert.equal(collected.texts.length, 590);
    assert.equal(collected.texts[0], '{"id":11}');
  }
});

test('statements have the placeholders of their database', () => {
  const table = { table: 't', columns: ['a', 'b'] };
  const postgres = { placeholders: 'dollar', argumentsMax: 4 } as const;
  assert.deepEqual(
    insertStatements(
      { ...table, prefix: 'WITH x AS (SELECT 1)', suffix: 'RETURNING a' },
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      postgres,
    ),
    [
      {
        text: 'WITH x AS (SELECT 1) INSERT INTO t (a,b) VALUES ($1,$2),($3,$4) RETURNING a',
        args: [1, 2, 3, 4],
        isDynamic: true,
      },
      {
        text: 'WITH x AS (SELECT 1) INSERT INTO t (a,b) VALUES ($1,$2) RETURNING a',
        args: [5, 6],
        isDynamic: false,
      },
    ],
  );
  assert.equal(
    selectText({ ...table, where: 'a = ? AND j ?? ?' }, 'dollar'),
    'SELECT a, b FROM t WHERE a = $1 AND j ? $2',
  );
  assert.equal(selectText({ ...table, where: 'a = ?' }, 'question'), 'SELECT a, b FROM t WHERE a = ?');
});

test('a DSN of PostgreSQL names no file, and errors do not repeat it', () => {
  assert.deepEqual(parsePostgresDsn('postgres://us%20er:p%40ss@db.example/x?search_path=s'), {
    host: 'db.example',
    port: 5432,
    user: 'us er',
    password: 'p@ss',
    database: 'x',
    sslMode: 'require',
    settings: { search_path: 's' },
  });
  for (const dsn of [
    'host=secret',
    'postgres:///var/run',
    'postgres://u:secret@h/d?sslrootcert=/etc/x',
    'postgres://u:secret@h/d?sslmode=prefer',
    'postgres://h/secret',
  ])
    assert.throws(
      () => parsePostgresDsn(dsn),
      (error: Error) => !error.message.includes('secret'),
      dsn,
    );
});

test('what this release does not do is refused with one line', () => {
  const cases: readonly [fields: string, expected: RegExp][] = [
    ['driver: mysql, dsn: x', /mysql is not available in this release/],
    ['driver: sqlite, dsn: x', /which managed pipelines do not have/],
    ['driver: postgres, dsn: x, iam_enabled: true', /iam_enabled is not available/],
    ['driver: postgres, dsn: x, init_files: [a.sql]', /init_files/],
  ];
  for (const [fields, expected] of cases) {
    const { problems } = readConfiguration(
      `input: {generate: {mapping: root = 1}}\noutput: {sql_raw: {query: SELECT 1, ${fields}}}\n`,
      { catalogue: catalogueWith(), isLocal: false },
    );
    assert.match(problems.map(({ message }) => message).join(), expected, fields);
  }
});
