import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { listedAccess } from '../../../packages/pipelines/src/component/outbound-access.ts';
import { KeptFailures } from '../../../packages/pipelines/testing/kept-failures.ts';
import { runPipeline, testServices } from '../../../packages/pipelines/testing/run-pipeline.ts';
import { startPostgres } from '../postgres/server.ts';

/** Components of databases against a real server of PostgreSQL. */
const server = await startPostgres();

if ('missing' in server) {
  test('PostgreSQL in pipelines', { skip: server.missing }, () => {});
} else {
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  after(async () => {
    await sql.end();
    await server.stop();
  });
  const connection = `driver: postgres\n    dsn: ${server.url}?sslmode=disable`;
  const numbers = (count: number, batchSize = 1) => `
input:
  generate:
    mapping: 'root = {"id": counter(), "name": "n", "at": "2024-01-31T10:00:00.5Z", "ok": true}'
    interval: ""
    count: ${count}
    batch_size: ${batchSize}
`;

  test('rows of all types come out as the driver of Bento returns them', async () => {
    const collected = await runPipeline(`
input:
  sql_raw:
    ${connection}
    query: |
      SELECT 1 AS i, 9007199254740993 AS big, 1.5::float8 AS f, 1.50::numeric AS n, true AS b, 'x' AS t, NULL AS z,
        '{"a":1}'::jsonb AS j, 'ab'::bytea AS y, '2024-01-31 10:00:00.5+00'::timestamptz AS at, '2024-01-31'::date AS d,
        'c2a4a4c0-0000-4000-8000-000000000000'::uuid AS u, ARRAY[1,2] AS l, $1::int AS arg
    args_mapping: root = [7]
output: {collect: {}}
`);
    assert.equal(
      collected.texts[0],
      '{"i":1,"big":9007199254740993,"f":1.5,"n":"1.50","b":true,"t":"x","z":null,"j":"{\\"a\\": 1}","y":"ab","at":"2024-01-31T10:00:00.5Z","d":"2024-01-31T00:00:00Z","u":"c2a4a4c0-0000-4000-8000-000000000000","l":"{1,2}","arg":7}',
    );
  });

  test('arguments get the type of their column', async () => {
    await sql`CREATE TABLE kinds (id int8, name text, at timestamptz, ok bool, doc jsonb, raw bytea, n numeric)`;
    await runPipeline(`${numbers(3, 3)}
output:
  sql_insert:
    ${connection}
    table: kinds
    columns: [id, name, at, ok, doc, raw, n]
    args_mapping: 'root = [this.id, this.ok, this.at, this.ok, this.format_json(no_indent: true), content(), 1.25]'
`);
    const rows =
      await sql`SELECT id::int, name, at::text, ok, doc->>'name' AS doc, convert_from(raw, 'UTF8') LIKE '{%' AS raw, n::text FROM kinds`;
    assert.deepEqual(rows.map((row) => ({ ...row }))[0], {
      id: 1,
      name: 'true',
      at: '2024-01-31 10:00:00.5+00',
      ok: true,
      doc: 'n',
      raw: true,
      n: '1.25',
    });
    assert.equal(rows.length, 3);
  });

  test('more rows than one statement has arguments for are inserted together', async () => {
    await sql`CREATE TABLE many (id int, name text)`;
    await runPipeline(`${numbers(40_000, 20_000)}
output:
  sql_insert:
    ${connection}
    table: many
    columns: [id, name]
    args_mapping: root = [this.id, this.name]
    batching: {count: 40000, period: 10s}
`);
    const [row] = await sql`SELECT count(*)::int AS count, count(DISTINCT id)::int AS ids FROM many`;
    assert.deepEqual({ ...row }, { count: 40_000, ids: 40_000 });
  });

  test('a pipeline goes on after a crash of the server, and every message is written', async () => {
    await sql`CREATE TABLE crashed (id int PRIMARY KEY)`;
    const running = runPipeline(`${numbers(300).replace('interval: ""', 'interval: 5ms')}
output:
  sql_raw:
    ${connection}
    query: INSERT INTO crashed SELECT $1::int ON CONFLICT DO NOTHING
    args_mapping: root = [this.id]
`);
    await server.crash();
    await running;
    const [row] = await sql`SELECT count(*)::int AS count FROM crashed`;
    assert.equal(row!.count, 300);
  });

  test('a server that the operator does not allow is not connected to', async () => {
    const failures = new KeptFailures();
    await runPipeline(
      `${numbers(1)}
output:
  keep_failures:
    output:
      sql_raw:
        driver: postgres
        dsn: ${server.url}?sslmode=disable
        query: CREATE TABLE must_not_exist (id int)
`,
      { specs: [failures.spec], services: { ...testServices(), outbound: listedAccess() } },
    );
    assert.match(failures.errors.join(), /may not connect to/);
    const found = await sql`SELECT 1 FROM pg_tables WHERE tablename = 'must_not_exist'`;
    assert.equal(found.length, 0);
  });
}
