import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Metrics, seededRandom, silentLog, systemClock, systemEnvironment } from '@weir/core';
import {
  changesTowards,
  commitChange,
  commitJson,
  createTable,
  currentSchema,
  type DataFile,
  defaultSpec,
  describeFile,
  Expiry,
  FileChange,
  type FileChangeParts,
  ManifestRewrite,
  nameMappingOf,
  newestSummary,
  ObjectStoreCatalog,
  orphanFiles,
  PartitionEvolution,
  type PrimitiveType,
  PropertyChange,
  parsePrimitive,
  parseTransform,
  planFiles,
  printJson,
  printNameMapping,
  project,
  RestCatalog,
  SchemaEvolution,
  snapshotOfRef,
  storeFiles,
  type TableChange,
  type TableMetadata,
  type Type,
  transformValue,
  unreachableFiles,
  type Value,
  valueBytes,
  type WrittenColumn,
} from '@weir/iceberg';
import { RestServer } from '@weir/iceberg/testing';
import { createBucket, openStore } from '@weir/storage';
import { pythonWith } from '../python/venv.ts';
import { IcebergReader, type WrittenType } from './iceberg-reader.ts';

/**
 * Tables that Weir writes, read by pyiceberg: row by row after appends, evolution, compaction and expiry. The data
 * files come from pyarrow, which stands for the writer of Parquet files.
 */
const { missing, python } = pythonWith('pyiceberg');
const skip = missing;

const folder = mkdtempSync(join(tmpdir(), 'weir-iceberg-'));
let reader: IcebergReader;
before(() => {
  if (python !== undefined) reader = new IcebergReader(python);
});
after(() => {
  reader?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Row {
  readonly id: string;
  readonly n: number | null;
  readonly ts: string;
  readonly price: string | null;
  readonly note: string | null;
  readonly tags: readonly (string | null)[] | null;
}

const microsPerDay = 86_400_000_000n;

/** Rows of a day with nulls, negative decimals, characters beyond the BMP and times before 1970. */
function rowsOf(day: number, count: number, first: number): Row[] {
  return Array.from({ length: count }, (_, at) => ({
    id: String(9_007_199_254_740_993n + BigInt(first + at)),
    n: at % 4 === 0 ? null : at - 5,
    ts: String(BigInt(day) * microsPerDay + BigInt(at) * 1_000_001n),
    price: at % 5 === 0 ? null : `-${at}.${String(at).padStart(4, '0')}`,
    note: at % 3 === 0 ? null : `😀 note ${at} ${'x'.repeat(20)}`,
    tags: at % 7 === 0 ? null : at % 7 === 1 ? [] : [`t${at}`, null],
  }));
}

const primitive = (text: string) => parsePrimitive(text, 'test');
const tags: Type = { kind: 'list', elementId: 0, isElementRequired: false, element: primitive('string') };

/** One table, and the files that its rows are in. */
class WrittenTable {
  readonly location: string;
  readonly #name;
  readonly #catalog;
  readonly #deps;
  #files = 0;

  static async create(
    name: string,
    partitions: { path: string[]; transform: string }[],
  ): Promise<WrittenTable> {
    await createBucket(`file://${folder}`);
    const store = await openStore(`file://${folder}`, {
      clock: systemClock,
      random: seededRandom(1),
      log: silentLog,
      environment: systemEnvironment,
      metrics: new Metrics(),
    });
    const table = new WrittenTable(name, storeFiles(store, `file://${folder}`));
    const column = (of: string, type: Type, isRequired = false) => ({ id: 0, name: of, isRequired, type });
    await createTable(
      table.#catalog,
      table.#name,
      {
        columns: [
          column('id', primitive('long'), true),
          column('n', primitive('int')),
          column('ts', primitive('timestamptz')),
          column('price', primitive('decimal(20, 4)')),
          column('note', primitive('string')),
          column('tags', tags),
        ],
        partitions: partitions.map(({ path, transform }) => ({
          path,
          transform: parseTransform(transform, 'test'),
        })),
      },
      table.#deps,
    );
    mkdirSync(join(table.location.slice('file://'.length), 'data'), { recursive: true });
    return table;
  }

  private constructor(name: string, files: ReturnType<typeof storeFiles>) {
    this.#name = { namespace: ['shop'], name };
    this.location = `file://${folder}/shop/${name}`;
    this.#deps = { files, clock: systemClock, random: seededRandom(name.length), log: silentLog };
    this.#catalog = new ObjectStoreCatalog({ ...this.#deps, root: `file://${folder}` });
  }

  get catalog() {
    return this.#catalog;
  }

  get files() {
    return this.#deps.files;
  }

  async metadata(): Promise<TableMetadata> {
    return (await this.#catalog.load(this.#name)).metadata;
  }

  async commit(change: TableChange): Promise<TableMetadata> {
    return (await commitChange(this.#catalog, this.#name, change, this.#deps)).metadata;
  }

  fileChange(parts: FileChangeParts): FileChange {
    return new FileChange(parts, this.#deps);
  }

  change(parts: FileChangeParts): Promise<TableMetadata> {
    return this.commit(this.fileChange(parts));
  }

  rewriteManifests(): Promise<TableMetadata> {
    return this.commit(new ManifestRewrite({}, this.#deps));
  }

  /** Writes rows of one partition with the current schema, and describes the file. */
  async write(
    rows: readonly object[],
    partition: readonly (Value | null)[],
    { hasIds = true } = {},
  ): Promise<DataFile> {
    const metadata = await this.metadata();
    const schema = currentSchema(metadata);
    const columns = schema.columns.map(({ id, name, isRequired, type }): WrittenType => {
      const isList = type.kind === 'list';
      const text = isList ? 'list<string>' : type.kind === 'decimal' ? 'decimal(20, 4)' : type.kind;
      if (!hasIds) return { name, type: text, required: isRequired };
      return { id, name, type: text, required: isRequired, ...(isList && { elementId: type.elementId }) };
    });
    const path = `${this.location}/data/${this.#files++}.parquet`;
    const { bytes } = await reader.writeFile(path.slice('file://'.length), columns, rows);
    const metrics = new Map<number, WrittenColumn>();
    for (const { id, name, type } of schema.columns)
      if (type.kind !== 'list')
        metrics.set(
          id,
          metricsOf(
            type as PrimitiveType,
            rows.map((row) => (row as Record<string, unknown>)[name] ?? null),
          ),
        );
    return describeFile(
      { path, format: 'PARQUET', partition, recordCount: rows.length, fileBytes: bytes, columns: metrics },
      { schema, spec: defaultSpec(metadata) },
    );
  }
}

function metricsOf(type: PrimitiveType, texts: readonly unknown[]): WrittenColumn {
  const values = texts.filter((text) => text !== null).map((text) => valueIn(type, text));
  const compare = (one: Value, other: Value) =>
    type.kind === 'string'
      ? Buffer.compare(Buffer.from(one as string), Buffer.from(other as string))
      : one < other
        ? -1
        : 1;
  values.sort(compare);
  return {
    valueCount: texts.length,
    nullCount: texts.length - values.length,
    least: values[0],
    greatest: values.at(-1),
  };
}

function valueIn(type: PrimitiveType, text: unknown): Value {
  if (type.kind === 'decimal') return BigInt((text as string).replace('.', ''));
  if (type.kind === 'long' || type.kind === 'timestamptz') return BigInt(text as string | number);
  return text as Value;
}

/** Rows as the Python program prints them: integers are texts. */
const shown = (rows: readonly object[]) =>
  rows
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [key, Number.isInteger(value) ? String(value) : value]),
      ),
    )
    .sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
const sorted = (rows: readonly Record<string, unknown>[]) =>
  rows.toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));

test('pyiceberg reads what was appended, and plans only the files that a filter needs', {
  skip,
}, async () => {
  const table = await WrittenTable.create('appended', [{ path: ['ts'], transform: 'day' }]);
  assert.deepEqual((await reader.readTable(table.location)).rows, []);
  const days = [-3, 0, 20_000];
  const rows = days.map((day, at) => rowsOf(day, 50, 100 * at));
  for (const [at, day] of days.entries())
    await table.change({ operation: 'append', added: [await table.write(rows[at]!, [day])] });
  const whole = await reader.readTable(table.location);
  assert.deepEqual(sorted(whole.rows), shown(rows.flat()));
  assert.deepEqual([whole.files, whole.operation], [3, 'append']);
  // filter, rows, files
  const cases: [string, (row: Row) => boolean, number][] = [
    ["ts >= '2020-01-01T00:00:00+00:00'", ({ ts }) => BigInt(ts) > 18_262n * microsPerDay, 1],
    ["ts < '1970-01-01T00:00:00+00:00'", ({ ts }) => BigInt(ts) < 0n, 1],
    ['id = 9007199254741100', ({ id }) => id === '9007199254741100', 1],
    ['id < 9007199254740993', () => false, 0],
    ['price < -48', ({ price }) => price !== null && Number(price) < -48, 3],
    ['price > 0', () => false, 0],
    ["note = '😀 note 1 xxxxxxxxxxxxxxxxxxxx'", ({ note }) => note?.startsWith('😀 note 1 ') === true, 3],
    ["note > 'z'", ({ note }) => note !== null, 3],
    ["note < 'a'", () => false, 0],
    ['id is null', () => false, 0],
  ];
  for (const [filter, matches, files] of cases) {
    const read = await reader.readTable(table.location, { filter });
    assert.deepEqual(sorted(read.rows), shown(rows.flat().filter(matches)), filter);
    assert.equal(read.files, files, filter);
  }
});

test('pyiceberg reads a table through its life', { skip }, async () => {
  const table = await WrittenTable.create('lived', []);
  const first = rowsOf(19_000, 20, 0);
  const second = rowsOf(19_001, 20, 100);
  const a = await table.write(first, []);
  await table.change({ operation: 'append', added: [a], summary: { 'source-offsets': '{"0":20}' } });
  const b = await table.write(second, []);
  const early = await table.change({ operation: 'append', added: [b] });
  const tagged = snapshotOfRef(early)!.id;
  assert.equal(newestSummary(early, 'source-offsets')?.value, '{"0":20}');

  // Evolution: old files stay as they are.
  await table.commit(
    new SchemaEvolution(
      [
        ...changesTowards(currentSchema(early), [
          { id: 0, name: 'n', isRequired: false, type: primitive('long') },
          ...currentSchema(early).columns.filter(({ name }) => name !== 'n'),
        ]),
        { change: 'rename', path: ['note'], to: 'remark' },
        { change: 'add', path: ['extra'], type: primitive('double'), position: 'first' },
        { change: 'drop', path: ['price'] },
      ],
      await table.metadata(),
    ),
  );
  await table.commit(
    new PartitionEvolution([{ path: ['id'], transform: parseTransform('bucket[4]', 'test') }]),
  );
  const evolve = ({ price: _price, note, ...row }: Row) => ({ ...row, remark: note });
  const late = rowsOf(19_002, 40, 200).map((row) => ({ ...evolve(row), extra: 1.5, n: '9007199254740993' }));
  const buckets = Map.groupBy(late, ({ id }) =>
    transformValue(parseTransform('bucket[4]', 'test'), primitive('long'), BigInt(id)),
  );
  const added = await Promise.all([...buckets].map(([bucket, rows]) => table.write(rows, [bucket])));
  await table.change({ operation: 'append', added });
  const expected = shown([...[...first, ...second].map((row) => ({ ...evolve(row), extra: null })), ...late]);
  const evolved = await reader.readTable(table.location);
  assert.deepEqual(sorted(evolved.rows), expected);
  assert.deepEqual(evolved.types, {
    extra: 'double',
    id: 'long',
    n: 'long',
    ts: 'timestamptz',
    remark: 'string',
    tags: 'list<string>',
  });
  // Hidden partitions: one bucket, and the files of before.
  const { files, rows: found } = await reader.readTable(table.location, { filter: `id = ${late[0]!.id}` });
  assert.deepEqual([found.length, files], [1, 1]);

  // Compaction, and manifests by partition.
  const merged = await Promise.all(
    [
      ...Map.groupBy(expected, ({ id }) =>
        transformValue(parseTransform('bucket[4]', 'test'), primitive('long'), BigInt(id as string)),
      ),
    ].map(([bucket, rows]) => table.write(rows, [bucket])),
  );
  const planned = await planFiles(table.files, await table.metadata(), snapshotOfRef(await table.metadata()));
  await table.change({
    operation: 'replace',
    added: merged,
    removed: planned.data.map(({ file }) => file.path),
    plannedOn: snapshotOfRef(await table.metadata())!.id,
  });
  const compacted = await reader.readTable(table.location);
  assert.deepEqual(sorted(compacted.rows), expected);
  assert.deepEqual([compacted.files, compacted.operation], [4, 'replace']);
  await table.change({
    operation: 'append',
    added: [
      await table.write(
        [{ ...late[0]!, id: '1' }],
        [transformValue(parseTransform('bucket[4]', 'test'), primitive('long'), 1n)],
      ),
    ],
  });
  await table.rewriteManifests();
  await table.commit(new PropertyChange({ set: { owner: 'shop' } }));
  assert.equal((await reader.readTable(table.location)).rows.length, 81);

  // Time travel before and after expiry.
  const past = await reader.readTable(table.location, { snapshot: String(tagged) });
  assert.equal(past.rows.length, 40);
  const before = await table.metadata();
  const after = await table.commit(
    new Expiry({ nowMs: before.lastUpdatedMs + 1, maxSnapshotAgeMs: 0, minSnapshotsToKeep: 1 }),
  );
  const unreachable = await unreachableFiles(table.files, before, after);
  assert.ok(unreachable.includes(a.path) && unreachable.includes(b.path));
  await table.files.delete(unreachable);
  const orphans = orphanFiles(table.files, after, {
    nowMs: after.lastUpdatedMs + 7_200_000,
    minAgeMs: 3_600_000,
  });
  assert.deepEqual(await Array.fromAsync(orphans), []);
  const last = await reader.readTable(table.location);
  assert.equal(last.rows.length, 81);
  assert.equal(last.snapshots.length, 1);
  assert.deepEqual(last.refs, { main: last.snapshots[0] });
});

test('pyiceberg reads files without ids by the name mapping, and selects the same columns', {
  skip,
}, async () => {
  const table = await WrittenTable.create('mapped', []);
  const schema = currentSchema(await table.metadata());
  await table.commit(
    new PropertyChange({ set: { 'schema.name-mapping.default': printNameMapping(nameMappingOf(schema)) } }),
  );
  const rows = rowsOf(1, 10, 0).map((row) => ({ ...row, tags: null }));
  await table.change({ operation: 'append', added: [await table.write(rows, [], { hasIds: false })] });
  assert.deepEqual(sorted((await reader.readTable(table.location)).rows), shown(rows));
  assert.deepEqual(
    await reader.selectedNames(table.location, ['note', 'id', 'tags.element']),
    project(
      schema,
      ['note', 'id', 'tags.element'].map((path) => schema.find(path.split('.'))!.id),
    ).columns.map(({ name }) => name),
  );
});

test('pyiceberg reads commits of the REST protocol', { skip }, async () => {
  const table = await WrittenTable.create('committed', []);
  const change = table.fileChange({ operation: 'append', added: [await table.write(rowsOf(1, 3, 0), [])] });
  const commit = await change.on(await table.metadata());
  const { requirements, updates, snapshot } = await reader.readCommit(
    printJson({ identifier: { namespace: ['shop'], name: 'committed' }, ...commitJson(commit) }),
  );
  assert.deepEqual(requirements, ['AssertTableUUID', 'AssertRefSnapshotId']);
  assert.deepEqual(updates, ['AddSnapshotUpdate', 'SetSnapshotRefUpdate']);
  assert.equal(snapshot, String(change.snapshotId));
});

test('a table that pyiceberg writes through a catalog server is read and written by ours', {
  skip,
}, async (t) => {
  const table = await WrittenTable.create('beside', []);
  const server = new RestServer(table.catalog, 'lake');
  t.after(() => server.close());
  const uri = await server.start();
  const { snapshots } = await reader.writeOverRest(uri);
  const catalog = new RestCatalog({ uri, clock: systemClock, random: seededRandom(3) });
  const name = { namespace: ['foreign'], name: 'written' };
  assert.deepEqual(await catalog.list(['foreign']), [name]);
  const { metadata } = await catalog.load(name);
  assert.equal(metadata.snapshots.length, snapshots);
  // Manifests of pyiceberg are read, and pruned by its bounds: 5 to 9, and 100.
  const idsOf = async (value: number) => {
    const { data } = await planFiles(table.files, metadata, snapshotOfRef(metadata), {
      op: '>',
      id: 1,
      value,
    });
    return data.map(({ file }) => file.recordCount);
  };
  assert.deepEqual(
    [await idsOf(0), await idsOf(9), await idsOf(100)].map((counts) => counts.toSorted()),
    [[1n, 5n], [1n], []],
  );
  // Compaction by us, of what pyiceberg wrote.
  const { data } = await planFiles(table.files, metadata, snapshotOfRef(metadata));
  const rows = [5, 6, 7, 8, 9, 100].map((id) => ({
    id,
    note: id === 100 ? 'late' : id % 3 === 0 ? null : `😀 ${id}`,
    n: id === 100 ? String(2n ** 60n) : null,
  }));
  const schema = currentSchema(metadata);
  const columns = schema.columns.map(({ id, name: of, type, isRequired }) => ({
    id,
    name: of,
    type: type.kind,
    required: isRequired,
  }));
  const path = `${metadata.location}/data/merged.parquet`;
  const { bytes } = await reader.writeFile(path.slice('file://'.length), columns, rows);
  const merged = describeFile(
    {
      path,
      format: 'PARQUET',
      partition: [],
      recordCount: 6,
      fileBytes: bytes,
      columns: new Map([[1, { valueCount: 6, nullCount: 0, least: 5, greatest: 100 }]]),
    },
    { schema, spec: defaultSpec(metadata) },
  );
  const change = table.fileChange({
    operation: 'replace',
    added: [merged],
    removed: data.map(({ file }) => file.path),
    plannedOn: snapshotOfRef(metadata)!.id,
  });
  await commitChange(catalog, name, change, {
    files: table.files,
    clock: systemClock,
    random: seededRandom(4),
    log: silentLog,
  });
  assert.deepEqual(sorted(await reader.readOverRest(uri)), shown(rows));
});

test('pyiceberg agrees on the bytes of values and on transforms', { skip }, async () => {
  // type, value as text and as value, transforms
  const cases: [string, string, Value, string[]][] = [
    ['boolean', 'true', true, []],
    ['int', '-34', -34, ['bucket[16]', 'truncate[10]']],
    ['long', '8349964745853934338', 8349964745853934338n, ['bucket[16]', 'truncate[1000]']],
    ['float', '1.5', 1.5, []],
    ['double', '-0.25', -0.25, []],
    ['date', '-1', -1, ['bucket[16]', 'year', 'month', 'day']],
    ['date', '17486', 17486, ['year', 'month', 'day', 'bucket[7]']],
    ['time', '81068123456', 81068123456n, ['bucket[16]']],
    ['timestamp', '-1', -1n, ['year', 'month', 'day', 'hour', 'bucket[16]']],
    ['timestamptz', '1510871468123456', 1510871468123456n, ['year', 'month', 'day', 'hour', 'bucket[16]']],
    ['string', 'iceberg 😀😀', 'iceberg 😀😀', ['bucket[16]', 'truncate[9]']],
    ['uuid', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', ['bucket[16]']],
    ['fixed[4]', '000102ff', Buffer.from('000102ff', 'hex'), ['bucket[16]']],
    ['binary', '000102', Buffer.from('000102', 'hex'), ['bucket[16]', 'truncate[2]']],
    ['decimal(9, 2)', '14.20', 1420n, ['bucket[16]']],
    [
      'decimal(38, 10)',
      '-1234567890123456789012345678.0123456789',
      -12345678901234567890123456780123456789n,
      ['bucket[16]'],
    ],
  ];
  const asked = cases.flatMap(([type, value, , transforms]) =>
    [undefined, ...transforms].map((transform) => ({ type, value, transform })),
  );
  const ours = cases.flatMap(([type, , value, transforms]) => [
    valueBytes(primitive(type), value).toString('hex'),
    ...transforms.map((text) => {
      const result = transformValue(parseTransform(text, 'test'), primitive(type), value);
      return result instanceof Uint8Array ? Buffer.from(result).toString('hex') : String(result);
    }),
  ]);
  assert.deepEqual(ours, await reader.singleValues(asked));
});
