import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '@weir/core';
import {
  currentSchema,
  type DataFile,
  defaultSpec,
  describeFile,
  FileChange,
  newestSummary,
  type Value,
} from '@weir/iceberg';
import { TestTable } from '../../testing/test-table.ts';
import { retainRows } from './retain-rows.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const retention = { column: 'kafka_timestamp', ms: 7 * dayMs };
const columns = [
  { name: 'id', isRequired: false, type: { kind: 'long' } as const },
  { name: 'kafka_timestamp', isRequired: false, type: { kind: 'timestamptz' } as const },
];

interface TimedFile {
  /** Milliseconds since 1970; null is a row without a time. */
  readonly timesMs: readonly (number | null)[];
  /** Whether the writer knew bounds. */
  readonly hasBounds: boolean;
}

/** A file that is only described: retention reads no rows. */
async function describe(
  table: TestTable,
  name: string,
  { timesMs, hasBounds }: TimedFile,
): Promise<DataFile> {
  const metadata = await table.metadata();
  const spec = defaultSpec(metadata);
  const known = timesMs.filter((ms) => ms !== null);
  const micros = (ms: number) => BigInt(ms) * 1000n;
  const first = known[0];
  const partition: (Value | null)[] = spec.fields.map(() =>
    first === undefined ? null : Math.floor(first / dayMs),
  );
  return describeFile(
    {
      path: `${table.location}/data/${name}.parquet`,
      format: 'PARQUET',
      partition,
      recordCount: timesMs.length,
      fileBytes: 1000,
      columns: new Map([
        [
          2,
          hasBounds
            ? {
                valueCount: timesMs.length,
                nullCount: timesMs.length - known.length,
                ...(known.length > 0 && {
                  least: micros(Math.min(...known)),
                  greatest: micros(Math.max(...known)),
                }),
              }
            : {},
        ],
      ]),
    },
    { schema: currentSchema(metadata), spec },
  );
}

function randomFile(random: Random, nowMs: number, isPartitioned: boolean): TimedFile {
  // Days around the retention, so that many are close to it.
  const startMs = nowMs - (5 + random.below(5)) * dayMs;
  const midnightMs = Math.floor(startMs / dayMs) * dayMs;
  const hasNulls = !isPartitioned && random.below(4) === 0;
  const timesMs = Array.from({ length: 1 + random.below(4) }, () =>
    hasNulls && random.below(2) === 0
      ? null
      : isPartitioned
        ? midnightMs + random.below(dayMs)
        : startMs + random.below(2 * dayMs),
  );
  return { timesMs, hasBounds: random.below(3) > 0 };
}

for (const partitions of [[], ['day(kafka_timestamp)']]) {
  test(`retention removes whole files and never a younger row, partitions: ${partitions}`, async (t) => {
    const random = seededRandom(9);
    let [removedCount, keptCount] = [0, 0];
    for (let round = 0; round < 10; round++) {
      const table = await TestTable.create(columns, { partitions, seed: round });
      t.after(() => table.close());
      const files = new Map<string, TimedFile>();
      const added: DataFile[] = [];
      for (let at = 0; at < 12; at++) {
        const timed = randomFile(random, table.clock.nowMs(), partitions.length > 0);
        const file = await describe(table, `f${at}`, timed);
        files.set(file.path, timed);
        added.push(file);
      }
      const summary = { 'service.source-offsets': '7' };
      await table.commit(new FileChange({ operation: 'append', added, summary }, table));
      const beforeMs = table.clock.nowMs() - retention.ms;
      const { removedFiles, removedRows } = await retainRows(table.maintenance({ retention }));
      const afterMs = table.clock.nowMs() - retention.ms;
      const live = new Set((await table.liveFiles()).map(({ path }) => path));
      let rows = 0;
      for (const [path, { timesMs, hasBounds }] of files) {
        if (live.has(path)) {
          const isExpired = timesMs.every((ms) => ms !== null && ms < beforeMs);
          assert.ok(!isExpired || !hasBounds, 'a file of old rows alone goes');
          continue;
        }
        rows += timesMs.length;
        assert.ok(
          timesMs.every((ms) => ms !== null && ms < afterMs),
          'no younger row goes',
        );
      }
      assert.deepEqual([removedFiles, removedRows], [files.size - live.size, rows]);
      const metadata = await table.metadata();
      assert.equal(newestSummary(metadata, 'service.source-offsets')?.value, '7');
      removedCount += removedFiles;
      keptCount += live.size;
    }
    assert.ok(removedCount > 10 && keptCount > 10, `${removedCount} removed, ${keptCount} kept`);
  });
}

test('files whose bounds are not known go with their day', async (t) => {
  const table = await TestTable.create(columns, { partitions: ['day(kafka_timestamp)'] });
  t.after(() => table.close());
  const nowMs = table.clock.nowMs();
  for (const [name, ageMs] of [
    ['old', 9 * dayMs],
    ['young', 6 * dayMs],
  ] as const) {
    const added = [await describe(table, name, { timesMs: [nowMs - ageMs], hasBounds: false })];
    await table.commit(new FileChange({ operation: 'append', added }, table));
  }
  assert.deepEqual(await retainRows(table.maintenance({ retention })), { removedFiles: 1, removedRows: 1 });
  assert.deepEqual(
    (await table.liveFiles()).map(({ path }) => path.split('/').at(-1)),
    ['young.parquet'],
  );
});

test('without retention, or without its column, nothing is removed', async (t) => {
  const table = await TestTable.create(columns);
  t.after(() => table.close());
  const added = [await describe(table, 'old', { timesMs: [0], hasBounds: true })];
  await table.commit(new FileChange({ operation: 'append', added }, table));
  for (const settings of [
    {},
    { retention: { ...retention, column: 'id' } },
    { retention: { ...retention, column: 'none' } },
  ])
    assert.deepEqual(await retainRows(table.maintenance(settings)), { removedFiles: 0, removedRows: 0 });
});

test('a file that another writer removed meanwhile is not waited for', async (t) => {
  const table = await TestTable.create(columns);
  t.after(() => table.close());
  const added = [
    await describe(table, 'a', { timesMs: [0], hasBounds: true }),
    await describe(table, 'b', { timesMs: [0], hasBounds: true }),
  ];
  await table.commit(new FileChange({ operation: 'append', added }, table));
  const removal = new FileChange({ operation: 'delete', removed: [added[0]!.path] }, table);
  const inner = table.maintenance({ retention });
  let loads = 0;
  const maintenance = {
    ...inner,
    catalog: {
      ...inner.catalog,
      load: async (name: typeof table.name) => {
        // Between planning and the commit.
        if (++loads === 2) await table.commit(removal);
        return table.catalog.load(name);
      },
      commit: table.catalog.commit.bind(table.catalog),
    },
  };
  assert.deepEqual(await retainRows(maintenance), { removedFiles: 1, removedRows: 1 });
  assert.deepEqual(await table.liveFiles(), []);
});
