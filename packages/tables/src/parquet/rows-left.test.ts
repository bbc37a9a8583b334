/** Rows that other programs deleted by files: held to a model that goes through all rows and all deletes. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { seededRandom } from '@weir/core';
import {
  currentSchema,
  defaultSpec,
  FileChange,
  PartitionEvolution,
  parsePrimitive,
  parseTransform,
} from '@weir/iceberg';
import { DeletingWriter } from '../../testing/delete-files.ts';
import { TestTable } from '../../testing/test-table.ts';
import { compact } from '../maintenance/compact.ts';
import { DuckDbRewriter } from './duckdb-rewrite.ts';
import type { RowValue } from './parquet-writer.ts';

const dayMs = 86_400_000;
const memory = { memoryBytesMax: 128 * 1024 * 1024, spillBytesMax: 128 * 1024 * 1024 };

const plain = [
  { name: 'id', isRequired: false, type: parsePrimitive('long', 'test') },
  { name: 'kind', isRequired: false, type: parsePrimitive('string', 'test') },
  { name: 'note', isRequired: false, type: parsePrimitive('string', 'test') },
] as const;

interface ModelRow {
  /** By ids of columns. */
  readonly values: ReadonlyMap<number, RowValue>;
  readonly uri: string;
  readonly place: number;
  readonly sequence: bigint;
  readonly specId: number;
  readonly kind: string | undefined;
}

async function opened(t: TestContext, partitions: readonly string[] = []) {
  const table = await TestTable.create(plain, { partitions });
  const writer = await DeletingWriter.open(table);
  const rewriter = await DuckDbRewriter.open({ directory: table.directory, ...memory });
  t.after(() => {
    rewriter.close();
    writer.close();
    table.close();
  });
  return { table, writer, tools: async () => ({ rewriter, directory: table.directory }) };
}

const sqlOf = (value: RowValue | undefined, column: string) => {
  const text = value === null || value === undefined ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`;
  return `${text}::${column === 'id' ? 'BIGINT' : 'VARCHAR'}`;
};

/** A table with its model. */
class Modelled {
  readonly #table: TestTable;
  readonly #writer: DeletingWriter;
  rows: ModelRow[] = [];

  constructor(table: TestTable, writer: DeletingWriter) {
    this.#table = table;
    this.#writer = writer;
  }

  async #sequence(): Promise<bigint> {
    return (await this.#table.metadata()).lastSequenceNumber;
  }

  async append(kind: string, rows: readonly (readonly RowValue[])[]): Promise<void> {
    const metadata = await this.#table.metadata();
    const { columns } = currentSchema(metadata);
    const isDivided = defaultSpec(metadata).fields.length > 0;
    const file = await this.#table.write(metadata, rows, isDivided ? [kind] : []);
    await this.#table.commit(new FileChange({ operation: 'append', added: [file] }, this.#table));
    const sequence = await this.#sequence();
    for (const [place, row] of rows.entries())
      this.rows.push({
        values: new Map(columns.map(({ id }, at) => [id, row[at] ?? null])),
        uri: file.path,
        place,
        sequence,
        specId: file.specId,
        kind: isDivided ? kind : undefined,
      });
  }

  async deletePlaces(rows: readonly ModelRow[]): Promise<void> {
    const [{ specId, kind }] = rows as [ModelRow];
    await this.#writer.deletePlaces(
      rows.map(({ uri, place }) => [uri, place] as const),
      { specId, partition: kind === undefined ? [] : [kind] },
    );
    this.rows = this.rows.filter((row) => !rows.includes(row));
  }

  async deleteValues(
    columns: readonly { readonly id: number; readonly name: string }[],
    values: readonly (readonly (RowValue | undefined)[])[],
    whose: { readonly specId: number; readonly kind: string | undefined },
  ): Promise<void> {
    const partition = whose.kind === undefined ? [] : [whose.kind];
    await this.#writer.deleteValues(
      columns,
      values.map((row) => row.map((value, at) => sqlOf(value, columns[at]!.name))),
      { specId: whose.specId, partition },
    );
    const sequence = await this.#sequence();
    this.rows = this.rows.filter(
      (row) =>
        row.sequence >= sequence ||
        (whose.kind !== undefined && (row.specId !== whose.specId || row.kind !== whose.kind)) ||
        !values.some((deleted) =>
          columns.every(({ id }, at) => (row.values.get(id) ?? null) === (deleted[at] ?? null)),
        ),
    );
  }

  async assertSame(when: string): Promise<void> {
    const { columns } = currentSchema(await this.#table.metadata());
    const expected = this.rows.map(({ values }) =>
      JSON.stringify(
        columns.map(({ id }) => {
          const value = values.get(id) ?? null;
          return typeof value === 'bigint' ? String(value) : value;
        }),
      ),
    );
    assert.deepEqual(await this.#writer.rows(), expected.sort(), when);
  }
}

for (const seed of [1, 2, 3])
  test(`queries and compaction leave out what was deleted, seed ${seed}`, async (t) => {
    const random = seededRandom(seed);
    const { table, writer, tools } = await opened(t);
    const model = new Modelled(table, writer);
    const [id, kind, note] = currentSchema(await table.metadata()).columns;
    const kinds = ['a', 'b', "c'd"];
    const any = <Value>(values: readonly Value[]) => values[random.below(values.length)]!;
    const values = (columnCount: number) => [
      BigInt(random.below(12)),
      any([...kinds, null]),
      any(['x', 'y', null]),
      ...(columnCount > 3 ? [any(['e', null])] : []),
    ];
    for (let step = 0; step < 30; step++) {
      const metadata = await table.metadata();
      const { columns } = currentSchema(metadata);
      // Deletes of the first spec are about all files, those of later ones about their partition.
      if (step === 8)
        await table.commit(
          new PartitionEvolution([{ path: ['kind'], transform: parseTransform('identity', 'test') }]),
        );
      else if (step === 14)
        await table.evolve([
          { change: 'rename', path: ['note'], to: 'text' },
          { change: 'add', path: ['extra'], type: parsePrimitive('string', 'test') },
        ]);
      else if (step === 22) await table.evolve([{ change: 'drop', path: ['text'] }]);
      else if (step % 3 === 0 || model.rows.length === 0) {
        const part = any(kinds);
        const shape = columns.map((column) => column.id);
        const count = 1 + random.below(6);
        await model.append(
          part,
          Array.from({ length: count }, () => {
            const row = new Map([id!, kind!, note!].map((one, at) => [one.id, values(4)[at]!]));
            row.set(kind!.id, part);
            return shape.map((one) => row.get(one) ?? any(['e', null]));
          }),
        );
      } else if (step % 3 === 1) {
        const one = any(model.rows);
        const same = model.rows.filter((row) => row.specId === one.specId && row.kind === one.kind);
        await model.deletePlaces([...new Set([one, any(same), any(same)])]);
      } else {
        const one = any(model.rows);
        const extra = columns.find(({ name }) => name === 'extra');
        const compared = any([[id!], [id!, kind!], [note!], ...(extra === undefined ? [] : [[extra, id!]])]);
        const rows = [one, any(model.rows)].map((row) =>
          compared.map((column) => row.values.get(column.id) ?? null),
        );
        await model.deleteValues(compared, rows, any([one, { specId: 0, kind: undefined }]));
      }
      await model.assertSame(`step ${step}`);
    }
    table.clock.laterMs = 4 * dayMs;
    const { mergedFiles, failures } = await compact(table.maintenance(), tools);
    assert.deepEqual(failures, []);
    assert.ok(mergedFiles > 0);
    await model.assertSame('after compaction');
  });

test('compaction removes files of deletes that are about no file any more, and later ones are about its own', async (t) => {
  const { table, writer, tools } = await opened(t);
  const model = new Modelled(table, writer);
  const [id] = currentSchema(await table.metadata()).columns;
  for (const at of [1n, 2n, 3n])
    await model.append('a', [
      [at, 'a', null],
      [at + 10n, 'a', null],
    ]);
  await model.deletePlaces([model.rows[0]!]);
  const everywhere = { specId: 0, kind: undefined };
  await model.deleteValues([id!], [[12n]], everywhere);
  await model.append('a', [[12n, 'a', 'again']]);
  await model.assertSame('before');
  table.clock.laterMs = 4 * dayMs;
  const result = await compact(table.maintenance(), tools);
  assert.deepEqual(
    [result.mergedFiles, result.writtenFiles, result.deletedRows, result.removedDeletes, result.failures],
    [4, 1, 2, 2, []],
  );
  assert.equal((await table.liveFiles())[0]!.recordCount, 5n);
  await model.assertSame('after compaction');
  const { snapshots } = await table.metadata();
  assert.deepEqual(
    snapshots.slice(-2).map(({ operation, summary }) => [operation, summary['total-delete-files']]),
    [
      ['replace', '2'],
      ['replace', '0'],
    ],
  );
  await model.deleteValues([id!], [[12n]], everywhere);
  assert.equal(model.rows.length, 4);
  await model.assertSame('deleted later');
});

test('files of which every row was deleted are merged into none', async (t) => {
  const { table, writer, tools } = await opened(t);
  const model = new Modelled(table, writer);
  const [id] = currentSchema(await table.metadata()).columns;
  for (const at of [1n, 2n]) await model.append('a', [[at, 'a', null]]);
  await model.deleteValues([id!], [[1n], [2n]], { specId: 0, kind: undefined });
  table.clock.laterMs = 4 * dayMs;
  const { writtenFiles, deletedRows, removedDeletes } = await compact(table.maintenance(), tools);
  assert.deepEqual([writtenFiles, deletedRows, removedDeletes], [0, 2, 1]);
  assert.deepEqual(await table.liveFiles(), []);
  await model.assertSame('nothing is left');
});

test('deletes that are not understood keep rows from being read and merged', async (t) => {
  const { table, writer, tools } = await opened(t);
  const model = new Modelled(table, writer);
  for (const at of [1n, 2n]) await model.append('a', [[at, 'a', null]]);
  const [{ uri }] = model.rows as [ModelRow];
  const whose = { specId: 0, partition: [] };
  await writer.deletePlaces([[uri, 0]], whose, { format: 'PUFFIN', referencedDataFile: uri });
  await assert.rejects(writer.rows(), /deleted rows by a file of PUFFIN; only Parquet is read/);
  table.clock.laterMs = 4 * dayMs;
  const before = await table.liveFiles();
  const { mergedFiles } = await compact(table.maintenance(), tools);
  assert.equal(mergedFiles, 0);
  assert.deepEqual(await table.liveFiles(), before);
});

test('rows that are deleted during a compaction stay deleted', async (t) => {
  const { table, writer, tools } = await opened(t);
  const model = new Modelled(table, writer);
  const [id] = currentSchema(await table.metadata()).columns;
  for (const at of [1n, 2n, 3n]) await model.append('a', [[at, 'a', null]]);
  table.clock.laterMs = 4 * dayMs;
  let deletes = 0;
  const during = async () => {
    const { rewriter, directory } = await tools();
    return {
      directory,
      rewriter: {
        rewrite: async (rewrite: Parameters<typeof rewriter.rewrite>[0]) => {
          if (deletes++ === 0) await model.deleteValues([id!], [[2n]], { specId: 0, kind: undefined });
          return await rewriter.rewrite(rewrite);
        },
      },
    };
  };
  const { mergedFiles, deletedRows } = await compact(table.maintenance(), during);
  assert.deepEqual([mergedFiles, deletedRows, deletes], [3, 1, 2]);
  await model.assertSame('after compaction');
  const data = (await table.paths()).filter((path) => /^data\/(?!deletes-)/.test(path));
  assert.equal(data.length, 4, 'three that were merged, and the new one');
});
