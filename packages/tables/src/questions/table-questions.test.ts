import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import type { AskedTable, TableAnswer, TableQuestion } from '@weir/cluster';
import { seededRandom, silentLog, systemClock } from '@weir/core';
import {
  commitChange,
  createTable,
  type DataFile,
  FileChange,
  ObjectStoreCatalog,
  parsePrimitive,
  parseTransform,
  SchemaEvolution,
  storeDataFiles,
  storeFiles,
  valueBytes,
} from '@weir/iceberg';
import { emptyMemoryStore } from '@weir/storage/testing';
import { TableQuestions } from './table-questions.ts';

const root = 's3://lake/service/_tableflow';
const orders: AskedTable = { tableName: 'k1__orders', tableUuid: 'u-1' };
const missing: AskedTable = { tableName: 'k1__new', tableUuid: 'u-2' };
const location = `${root}/k1__orders-u-1`;

const directory = mkdtempSync(join(tmpdir(), 'weir-questions-'));
const store = emptyMemoryStore();
const bucket = 's3://lake';
const files = { ...storeFiles(store, bucket), ...storeDataFiles(store, bucket) };
const random = seededRandom(1);
const deps = { files, clock: systemClock, random };
const catalog = new ObjectStoreCatalog({ ...deps, root, log: silentLog });
const questions = new TableQuestions({
  placeOf: async ({ tableName, tableUuid }) => ({
    files,
    catalog,
    name: { namespace: [], name: `${tableName}-${tableUuid}` },
  }),
  directory: join(directory, 'copies'),
  clock: systemClock,
  log: silentLog,
});
const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const writer = await instance.connect();
after(async () => {
  writer.closeSync();
  instance.closeSync();
  await questions.close();
  rmSync(directory, { recursive: true, force: true });
});

const int = { kind: 'int' } as const;

/** A file with a row for each number, with bounds for them. */
async function dataFile(name: string, least: number, greatest: number, column: string): Promise<DataFile> {
  const local = join(directory, name);
  const select = `SELECT range::INTEGER AS ${column} FROM range(${least}, ${greatest + 1})`;
  await writer.run(`COPY (${select}) TO '${local}' (FORMAT parquet, FIELD_IDS {${column}: 1})`);
  const content = readFileSync(local);
  const path = `${location}/data/${name}`;
  await files.write(path, content);
  const [lower, upper] = [least, greatest].map((value) => valueBytes(int, value));
  return {
    content: 'data',
    path,
    format: 'PARQUET',
    specId: 0,
    partition: [Math.floor(least / 100) * 100],
    recordCount: BigInt(greatest - least + 1),
    fileBytes: BigInt(content.length),
    columns: new Map([[1, { lower, upper }]]),
  };
}

const name = { namespace: [], name: 'k1__orders-u-1' };
await createTable(
  catalog,
  name,
  {
    columns: [{ id: 1, name: 'n', isRequired: false, type: int }],
    partitions: [{ path: ['n'], transform: parseTransform('truncate[100]', 'test') }],
    properties: { owner: 'shop' },
  },
  deps,
);
const commit = (change: Parameters<typeof commitChange>[2]) =>
  commitChange(catalog, name, change, { ...deps, log: silentLog });
const append = (added: DataFile) =>
  commit(
    new FileChange({ operation: 'append', added: [added], summary: { 'service.commit-id': 'c' } }, deps),
  );
await append(await dataFile('a.parquet', 1, 3, 'n'));
const { metadata } = await catalog.load(name);
await commit(
  new SchemaEvolution(
    [
      { change: 'rename', path: ['n'], to: 'number' },
      { change: 'add', path: ['note'], type: parsePrimitive('string', 'test') },
    ],
    metadata,
  ),
);
await append(await dataFile('b.parquet', 200, 201, 'number'));
const { metadataPath } = await catalog.load(name);

const options = { signal: new AbortController().signal, limitMs: 20_000 };
async function ask(question: TableQuestion): Promise<TableAnswer> {
  return JSON.parse(await questions.answer(JSON.stringify(question), options));
}

async function answerOf(question: TableQuestion): Promise<unknown> {
  const answer = await ask(question);
  assert.equal(answer.kind, 'answered', JSON.stringify(answer));
  return answer.kind === 'answered' ? answer.answer : undefined;
}

test('metadata is passed on as it is, unless the caller has it', async () => {
  const text = (await files.read(metadataPath, 1_000_000))!.toString();
  assert.deepEqual(await answerOf({ kind: 'tableMetadata', table: orders }), {
    location: metadataPath,
    metadata: text,
  });
  assert.deepEqual(await answerOf({ kind: 'tableMetadata', table: orders, knownLocation: metadataPath }), {
    location: metadataPath,
  });
});

test('a table is described: schemas, partitions, snapshots', async () => {
  const described = await answerOf({ kind: 'describeTable', table: orders });
  assert.partialDeepStrictEqual(described as object, {
    location,
    metadataLocation: metadataPath,
    schemas: [
      {
        isCurrent: true,
        columns: [
          { id: 1, name: 'number', type: 'int', isRequired: false },
          { id: 2, name: 'note', type: 'string', isRequired: false },
        ],
      },
      { isCurrent: false, columns: [{ id: 1, name: 'n', type: 'int', isRequired: false }] },
    ],
    partitionFields: [{ name: 'n_trunc', column: 'number', transform: 'truncate[100]' }],
    properties: { owner: 'shop' },
    snapshotCount: 2,
    snapshots: [
      {
        operation: 'append',
        summary: { 'added-records': '2', 'total-records': '5', 'service.commit-id': 'c' },
      },
      { operation: 'append', summary: { 'added-records': '3' } },
    ],
    refs: [{ name: 'main', type: 'branch' }],
  });
});

test('files are listed with their partition, up to the limit', async () => {
  const all = (await answerOf({ kind: 'tableFiles', table: orders, limit: 10 })) as { files: object[] };
  assert.deepEqual(
    all.files.map((file) => ({ ...file, bytes: 0 })),
    [
      { path: `${location}/data/b.parquet`, partition: 'n_trunc=200', records: 2, bytes: 0 },
      { path: `${location}/data/a.parquet`, partition: 'n_trunc=0', records: 3, bytes: 0 },
    ],
  );
  assert.partialDeepStrictEqual((await answerOf({ kind: 'tableFiles', table: orders, limit: 1 })) as object, {
    isComplete: false,
    files: [{ partition: 'n_trunc=200' }],
  });
});

test('SQL reads files of all schemas, and only those that a condition does not rule out', async () => {
  const tables = [orders, missing];
  const sql = 'SELECT count(*), sum(number), max(note) FROM "k1__orders" WHERE number >= 100';
  const answer = await answerOf({ kind: 'tableSql', sql, tables, limit: 10 });
  assert.partialDeepStrictEqual(answer as object, { rows: [['2', '401', null]], isComplete: true });
  assert.equal(readdirSync(join(directory, 'copies')).length, 1, 'one of two files was copied');
  const all = await answerOf({
    kind: 'tableSql',
    sql: 'SELECT sum(number) FROM k1__orders',
    tables,
    limit: 10,
  });
  assert.partialDeepStrictEqual(all as object, { rows: [['407']] });
});

const refused: readonly [question: TableQuestion, reason: string, message: RegExp][] = [
  [
    { kind: 'describeTable', table: missing },
    'notFound',
    /^k1__new: nothing was committed to the table yet$/,
  ],
  [{ kind: 'tableSql', sql: 'DROP TABLE x', tables: [], limit: 1 }, 'invalid', /^only SELECT can be run/],
  [
    { kind: 'tableSql', sql: 'SELECT * FROM k1__new', tables: [missing], limit: 1 },
    'notFound',
    /^k1__new: nothing was committed/,
  ],
  [{ kind: 'unknown' } as never, 'invalid', /^the agent does not know such a question$/],
];

for (const [question, reason, message] of refused)
  test(`refused: ${JSON.stringify(question).slice(0, 60)}`, async () => {
    const answer = await ask(question);
    assert.equal(answer.kind, 'refused');
    assert.deepEqual(answer.kind === 'refused' && [answer.reason, message.test(answer.message)], [
      reason,
      true,
    ]);
  });

test('a table without kept records has none', async () => {
  assert.deepEqual(await answerOf({ kind: 'tableFailures', table: orders, limit: 10 }), {
    failures: [],
    isComplete: true,
  });
});

test('SQL does not find rows that another program deleted, and refuses deletes that are not understood', async () => {
  const local = join(directory, 'deletes.parquet');
  const select = `SELECT '${location}/data/b.parquet' AS file_path, 1::BIGINT AS pos`;
  const ids = '{file_path: 2147483546, pos: 2147483545}';
  await writer.run(`COPY (${select}) TO '${local}' (FORMAT parquet, FIELD_IDS ${ids})`);
  const content = readFileSync(local);
  const deletes: DataFile = {
    content: 'position-deletes',
    path: `${location}/data/deletes.parquet`,
    format: 'PARQUET',
    specId: 0,
    partition: [200],
    recordCount: 1n,
    fileBytes: BigInt(content.length),
    columns: new Map(),
  };
  await files.write(deletes.path, content);
  await commit(new FileChange({ operation: 'overwrite', added: [deletes] }, deps));
  const question = { kind: 'tableSql', tables: [orders], limit: 10 } as const;
  const numbers = 'SELECT number FROM k1__orders ORDER BY ALL';
  assert.partialDeepStrictEqual((await answerOf({ ...question, sql: numbers })) as object, {
    rows: [[1], [2], [3], [200]],
  });
  const vector = { ...deletes, path: `${location}/data/vector.puffin`, format: 'PUFFIN' };
  await commit(new FileChange({ operation: 'overwrite', added: [vector] }, deps));
  const answer = await ask({ ...question, sql: numbers });
  assert.deepEqual(answer, {
    kind: 'refused',
    reason: 'invalid',
    message: `${vector.path}: another program deleted rows by a file of PUFFIN; only Parquet is read`,
  });
  // A condition that rules out the file needs none of its deletes.
  const few = await answerOf({ ...question, sql: `SELECT number FROM k1__orders WHERE number < 100` });
  assert.equal((few as { rows: object[] }).rows.length, 3);
});
