import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataLimits } from '../limits.ts';
import { type SampledTable, TableSeries } from './table-series.ts';

function tableOf(tableName: string, changes: Partial<SampledTable> = {}): SampledTable {
  return {
    tableUuid: `u-${tableName}`,
    tableName,
    agentId: 'a',
    reportedMs: 0,
    partitionCount: 2,
    lagRecords: 0,
    queryLagMs: 0,
    byteCount: 1_000,
    readOffsetSum: 0,
    committedRowCount: 0,
    committedByteCount: 0,
    ...changes,
  };
}

/** What one sample puts, as `metric table=value`. */
function stage() {
  const dropped: string[] = [];
  const series = new TableSeries((name) => dropped.push(name));
  const sample = (tables: readonly SampledTable[], nowMs: number) => {
    const put: Record<string, number> = {};
    const total = series.sample(tables, nowMs, (metric, value, { table } = {}) => {
      if (value !== null) put[table === undefined ? metric : `${metric} ${table}`] = value;
    });
    return { put, total };
  };
  return { sample, dropped };
}

test('tables have lag, size and rates, and the cluster has those of all', () => {
  const { sample } = stage();
  const first = sample([tableOf('orders', { lagRecords: 5, queryLagMs: 2_500 }), tableOf('views')], 1_000);
  assert.equal(first.total, 5);
  assert.deepEqual(first.put, {
    'lag orders': 5,
    'lag_seconds orders': 2.5,
    'stored_bytes orders': 1_000,
    'lag views': 0,
    'lag_seconds views': 0,
    'stored_bytes views': 1_000,
    lag: 5,
    lag_seconds: 2.5,
    stored_bytes: 2_000,
  });
  const later = { reportedMs: 10_000 };
  const second = sample(
    [
      tableOf('orders', { ...later, readOffsetSum: 500, committedRowCount: 400, committedByteCount: 9_000 }),
      tableOf('views', { ...later, readOffsetSum: 10 }),
    ],
    11_000,
  );
  const rates = {
    'in_records_per_second orders': 50,
    'out_records_per_second orders': 40,
    'out_bytes_per_second orders': 900,
    'in_records_per_second views': 1,
    in_records_per_second: 51,
    out_records_per_second: 40,
    out_bytes_per_second: 900,
  };
  for (const [name, value] of Object.entries(rates)) assert.equal(second.put[name], value, name);
});

test('rates are of one agent and go with its reports', () => {
  const { sample } = stage();
  const rate = 'in_records_per_second orders';
  // biome-ignore format: a table
  const rows: [at: number, changes: Partial<SampledTable>, expected: number | undefined, what: string][] = [
    [0,      { reportedMs: 0, readOffsetSum: 100 },                       undefined, 'the first report'],
    [10_000, { reportedMs: 10_000, readOffsetSum: 200 },                  10,        'the next'],
    [20_000, { reportedMs: 10_000, readOffsetSum: 200 },                  10,        'no report since'],
    [30_000, { reportedMs: 30_000, readOffsetSum: 400 },                  10,        'over twice the time'],
    [40_000, { reportedMs: 40_000, readOffsetSum: 100 },                  undefined, 'it read again from before'],
    [50_000, { reportedMs: 50_000, readOffsetSum: 900, agentId: 'b' },    undefined, 'another agent'],
    [60_000, { reportedMs: 60_000, readOffsetSum: 950, agentId: 'b', partitionCount: 3 }, undefined, 'a partition more'],
    [70_000, { reportedMs: 70_000, readOffsetSum: undefined, agentId: 'b', partitionCount: 3 }, undefined, 'an agent of an earlier release'],
  ];
  for (const [nowMs, changes, expected, what] of rows)
    assert.equal(sample([tableOf('orders', changes)], nowMs).put[rate], expected, what);
});

test('a table that nothing writes has no samples', () => {
  const { sample } = stage();
  assert.deepEqual(sample([tableOf('orders', { reportedMs: 0 })], 30_001), { put: {}, total: undefined });
  assert.deepEqual(sample([], 40_000), { put: {}, total: undefined });
});

test('tables with the largest lag have series; those that are not written make room first', () => {
  const { sample, dropped } = stage();
  const { sampledTablesMax: max } = metadataLimits;
  const many = Array.from({ length: max }, (_, n) => tableOf(`t${n}`, { lagRecords: n + 1 }));
  const shownIn = (put: Record<string, number>) => Object.keys(put).filter((name) => name.startsWith('lag '));
  assert.equal(shownIn(sample(many, 0).put).length, max);
  const idle = sample([...many, tableOf('idle')], 0);
  assert.equal(shownIn(idle.put).length, max);
  assert.equal(idle.put['lag idle'], undefined);
  assert.equal(idle.total, (max * (max + 1)) / 2, 'the whole has all of them');
  assert.deepEqual(dropped, []);
  const behind = sample([...many, tableOf('behind', { lagRecords: 50 })], 0);
  assert.equal(behind.put['lag behind'], 50);
  assert.deepEqual(dropped, ['t0']);
  const gone = sample([...many.slice(0, -1), tableOf('behind', { lagRecords: 50 })], 0);
  assert.equal(gone.put['lag t0'], 1);
  assert.deepEqual(dropped, ['t0', `t${max - 1}`], 'the one that is not written any more');
});
