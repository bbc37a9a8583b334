import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { MiB, seededRandom } from '@weir/core';
import {
  currentSchema,
  type DataFile,
  FileChange,
  newestSummary,
  type Type,
  type Value,
  valueBytes,
} from '@weir/iceberg';
import { oneOf, randomType, randomValue, widened } from '../../testing/evolving-values.ts';
import { TestTable } from '../../testing/test-table.ts';
import { DuckDbRewriter } from '../parquet/duckdb-rewrite.ts';
import type { Column, RowValue } from '../parquet/parquet-writer.ts';
import { type CompactionTools, compact } from './compact.ts';

const dayMs = 86_400_000;
const optional = (name: string, type: Type): Omit<Column, 'id'> => ({ name, isRequired: false, type });

async function toolsFor(t: TestContext, table: TestTable): Promise<() => Promise<CompactionTools>> {
  const directory = await mkdtemp(join(table.directory, 'merged-'));
  const rewriter = await DuckDbRewriter.open({
    directory,
    memoryBytesMax: 64 * MiB,
    spillBytesMax: 64 * MiB,
  });
  t.after(() => {
    rewriter.close();
    table.close();
  });
  return async () => ({ rewriter, directory });
}

const randomRows = (random: ReturnType<typeof seededRandom>, columns: readonly Column[], count: number) =>
  Array.from({ length: count }, () =>
    columns.map(({ type, isRequired }): RowValue => randomValue(random, type, isRequired)),
  );

type Change = Parameters<TestTable['evolve']>[0][number];

/** A change of the schema that is allowed now; names are used again after a column was dropped or renamed. */
function randomChange(random: ReturnType<typeof seededRandom>, columns: readonly Column[]): Change {
  const path = (column: Column) => [column.name];
  const free = ['p', 'q', 'r', 'S', 's', '1'].filter(
    (name) => !columns.some((column) => column.name === name),
  );
  const column = oneOf(random, columns);
  const position = oneOf(random, ['first', 'last'] as const);
  const struct = columns.find(({ type }) => type.kind === 'struct');
  switch (random.below(6)) {
    case 0:
      if (columns.length > 3) return { change: 'drop', path: path(column) };
      break;
    case 1:
      if (free.length > 0) return { change: 'rename', path: path(column), to: oneOf(random, free) };
      break;
    case 2: {
      const wide = columns.find(({ type }) => widened(type) !== undefined);
      if (wide !== undefined) return { change: 'widen', path: path(wide), type: widened(wide.type)! };
      break;
    }
    case 3:
      return { change: 'move', path: path(column), position };
    case 4:
      if (struct?.type.kind === 'struct') {
        const inside = struct.type.columns;
        const names = ['a', 'B', 'c', 'D'].filter((name) => !inside.some((one) => one.name === name));
        if (inside.length > 1 && random.below(2) === 0)
          return { change: 'drop', path: [struct.name, oneOf(random, inside).name] };
        if (names.length > 0 && random.below(2) === 0)
          return { change: 'rename', path: [struct.name, oneOf(random, inside).name], to: names[0]! };
        if (names.length > 0)
          return { change: 'add', path: [struct.name, names[0]!], type: randomType(random, 1), position };
      }
      break;
  }
  if (free.length > 0)
    return { change: 'add', path: [oneOf(random, free)], type: randomType(random), position };
  return { change: 'move', path: path(column), position };
}

// Those with 51, 98 and 104 have 0 and -0 in one column.
for (const seed of [3, 7, 51, 98, 104, 182]) {
  test(`rows are the same after evolution and compaction, seed ${seed}`, async (t) => {
    const random = seededRandom(seed);
    const table = await TestTable.create(
      ['p', 'q', 'r', 'S'].map((name) => optional(name, randomType(random))),
      { seed },
    );
    const tools = await toolsFor(t, table);
    for (let file = 0; file < 4; file++) {
      const { columns } = currentSchema(await table.metadata());
      await table.append(randomRows(random, columns, 1 + random.below(6)));
      for (let change = random.below(4); change > 0; change--)
        await table.evolve([randomChange(random, currentSchema(await table.metadata()).columns)]);
    }
    const expected = await table.expected();
    assert.deepEqual(await table.rows(), expected, 'before');
    table.clock.laterMs = 2 * dayMs;
    const { mergedFiles, writtenFiles, failures } = await compact(table.maintenance(), tools);
    assert.deepEqual([mergedFiles, writtenFiles, failures], [4, 1, []]);
    assert.deepEqual(await table.rows(), expected, 'after');
    assert.equal(
      newestSummary(await table.metadata(), 'service.source-offsets')?.value,
      `{"0":"${table.nextOffset}"}`,
    );
  });
}

const plain = [optional('id', { kind: 'long' }), optional('note', { kind: 'string' })];

/** A table of small files that get no more company. */
async function smallFiles(
  t: TestContext,
  count: number,
  options: Parameters<typeof TestTable.create>[1] = {},
) {
  const table = await TestTable.create(plain, options);
  const tools = await toolsFor(t, table);
  for (let at = 0; at < count; at++) await table.append([[BigInt(at), `note ${at}`]]);
  table.clock.laterMs = 2 * dayMs;
  return { table, tools };
}

/** Tools that do something before each file is merged. */
const interrupted = (tools: () => Promise<CompactionTools>, run: () => Promise<void>) => async () => {
  const { rewriter, directory } = await tools();
  return {
    directory,
    rewriter: {
      rewrite: async (rewrite: Parameters<typeof rewriter.rewrite>[0]) => {
        await run();
        return rewriter.rewrite(rewrite);
      },
    },
  };
};

test('an append during a compaction is kept, and its offsets are not passed over', async (t) => {
  const { table, tools } = await smallFiles(t, 3);
  const { mergedFiles } = await compact(
    table.maintenance(),
    interrupted(tools, () => table.append([[100n, 'late']])),
  );
  assert.equal(mergedFiles, 3);
  assert.equal((await table.liveFiles()).length, 2);
  assert.deepEqual(await table.rows(), await table.expected());
  assert.equal(newestSummary(await table.metadata(), 'service.source-offsets')?.value, '{"0":"4"}');
});

test('of two compactions the second is refused, plans again, and leaves no files', async (t) => {
  const { table, tools } = await smallFiles(t, 3);
  let first: Awaited<ReturnType<typeof compact>> | undefined;
  const second = await compact(
    table.maintenance(),
    interrupted(tools, async () => {
      first ??= await compact(table.maintenance(), tools);
    }),
  );
  assert.deepEqual([first?.mergedFiles, second.mergedFiles, second.failures], [3, 0, []]);
  assert.equal((await table.liveFiles()).length, 1);
  assert.deepEqual(await table.rows(), await table.expected());
  const data = (await table.paths()).filter((path) => path.startsWith('data/'));
  assert.equal(data.length, 4, 'three that were merged, and the new one');
});

test('a compaction that is aborted changes nothing', async (t) => {
  const { table, tools } = await smallFiles(t, 3);
  const before = await table.paths();
  const abort = new AbortController();
  const running = compact(
    table.maintenance({}, abort.signal),
    interrupted(tools, async () => abort.abort()),
  );
  await assert.rejects(running, { name: 'AbortError' });
  assert.deepEqual(await table.paths(), before);
});

test('files that cannot be merged are left as they are, and the others are merged', async (t) => {
  const { table, tools } = await smallFiles(t, 3);
  const metadata = await table.metadata();
  const written = await table.write(metadata, [[7n, 'x']]);
  const path = `${table.location}/data/foreign.parquet`;
  const local = join(table.directory, 'foreign.parquet');
  const foreign = await (await DuckDBInstance.create(':memory:')).connect();
  await foreign.run(`COPY (SELECT 7::BIGINT AS id, 'x' AS note) TO '${local}' (FORMAT parquet)`);
  const content = await readFile(local);
  await table.files.write(path, content);
  const added = [{ ...written, path, fileBytes: BigInt(content.length) }];
  await table.commit(new FileChange({ operation: 'append', added }, table));
  table.clock.laterMs = 4 * dayMs;
  const { mergedFiles, failures } = await compact(table.maintenance(), tools);
  assert.deepEqual([mergedFiles, failures], [3, []]);
  assert.equal((await table.liveFiles()).length, 2);
});

test('files that are not as the table says are not merged', async (t) => {
  const { table, tools } = await smallFiles(t, 2);
  const metadata = await table.metadata();
  // what is wrong, the failure
  const cases: [(file: DataFile) => Promise<DataFile>, RegExp][] = [
    [async (file) => ({ ...file, recordCount: 5n }), /compaction read 2 rows of .* and the table says 6/],
    [
      async (file) => ({ ...file, fileBytes: file.fileBytes + 1n }),
      /the file has \d+ bytes, and the table says/,
    ],
    [
      async (file) => {
        await table.files.delete([file.path]);
        return file;
      },
      /the file is missing/,
    ],
  ];
  for (const [spoil, failure] of cases) {
    for (const { path } of await table.liveFiles())
      await table.commit(new FileChange({ operation: 'delete', removed: [path] }, table));
    const whole = await table.write(metadata, [[1n, 'a']]);
    const spoiled = await spoil(await table.write(metadata, [[2n, 'b']]));
    await table.commit(new FileChange({ operation: 'append', added: [whole, spoiled] }, table));
    const paths = await table.paths();
    table.clock.laterMs += 2 * dayMs;
    const { mergedFiles, failures } = await compact(table.maintenance(), tools);
    assert.equal(mergedFiles, 0);
    assert.match(failures.join(), failure);
    assert.deepEqual(await table.paths(), paths);
  }
});

test('files of different partitions stay apart, also those of null and of the text null', async (t) => {
  const { table, tools } = await smallFiles(t, 0, { partitions: ['identity(note)'] });
  for (const id of [1n, 2n])
    for (const note of ['null', null, 'a/b']) await table.append([[id, note]], [note]);
  table.clock.laterMs = 4 * dayMs;
  const { mergedFiles, writtenFiles } = await compact(table.maintenance(), tools);
  assert.deepEqual([mergedFiles, writtenFiles], [6, 3]);
  assert.deepEqual(await table.rows(), await table.expected());
  assert.deepEqual(
    (await table.liveFiles()).map(({ partition, recordCount }) => [partition[0], recordCount]),
    [
      ['null', 2n],
      [null, 2n],
      ['a/b', 2n],
    ],
  );
});

test('new files have the bounds and counts of their rows', async (t) => {
  const { table, tools } = await smallFiles(t, 4);
  await table.evolve([{ change: 'add', path: ['x'], type: { kind: 'double' } }]);
  await table.append([
    [-5n, null, Number.NaN],
    [9n, 'z', -0],
  ]);
  table.clock.laterMs = 4 * dayMs;
  await compact(table.maintenance(), tools);
  const [file] = await table.liveFiles();
  const metrics = (id: number) => {
    const { valueCount, nullCount, nanCount, lower, upper } = file!.columns.get(id)!;
    return [valueCount, nullCount, nanCount, Buffer.from(lower!), Buffer.from(upper!)];
  };
  const bytes = (kind: 'long' | 'string' | 'double', value: Value) => valueBytes({ kind }, value);
  assert.deepEqual(metrics(1), [6n, 0n, undefined, bytes('long', -5n), bytes('long', 9n)]);
  assert.deepEqual(metrics(2), [6n, 1n, undefined, bytes('string', 'note 0'), bytes('string', 'z')]);
  assert.deepEqual(metrics(3), [6n, 4n, 1n, bytes('double', -0), bytes('double', 0)]);
  assert.equal(file!.splitOffsets?.length, 1);
});
