import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MiB, seededRandom } from '@weir/core';
import { currentSchema, newestSummary, parsePrimitive, type Type } from '@weir/iceberg';
import { oneOf, randomType, randomValue, widened } from '../../testing/evolving-values.ts';
import { TestTable } from '../../testing/test-table.ts';
import { DuckDbRewriter } from '../parquet/duckdb-rewrite.ts';
import type { Column, RowValue } from '../parquet/parquet-writer.ts';
import { type CompactionTools, compact } from './compact.ts';

const dayMs = 86_400_000;
const primitive = (text: string) => parsePrimitive(text, 'test');
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

for (let seed = 1; seed <= 12; seed++) {
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
