import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFrame, encodeFrame, replyLimits } from '@weir/rpc/testing';
import { clusterLimits } from '../limits.ts';
import { type TableState, tableCalls, tablesReports } from './table-calls.ts';

const overTheWire = (value: unknown) => decodeFrame(encodeFrame('result', 1, value), replyLimits).body;

const table: TableState = {
  tableUuid: 'u',
  tableName: 'k__t',
  topic: 't',
  configurationId: 'c',
  hasConfiguration: true,
  partitions: [{ partition: 0, nextOffset: 5, endOffset: -1, isStopped: true, error: 'no' }],
  partitionCount: 1,
  stoppedPartitionCount: 1,
  lagRecords: 0,
  ingestionLagMs: 5,
  keptRecordCount: 1,
  droppedRecordCount: 0,
  isFailing: false,
  lastError: 'denied',
  lastErrorCause: 'storage',
};

// A valid argument, and the problem when one member is changed.
const calls: readonly [method: keyof typeof tableCalls, arg: unknown, wrong: unknown, problem: RegExp][] = [
  ['reportTables', { agentId: 'a', tables: [table] }, { agentId: 'a' }, /tables: not a list/],
  [
    'reportTables',
    { agentId: 'a', tables: [] },
    { agentId: 'a', tables: [{ ...table, lastErrorCause: 'weather' }] },
    /lastErrorCause: not one of/,
  ],
  [
    'reportTables',
    { agentId: 'a', tables: [{ ...table, partitions: [] }] },
    { agentId: 'a', tables: [{ ...table, partitions: [{ partition: 0, nextOffset: 0.5, endOffset: 1 }] }] },
    /nextOffset: not a whole number/,
  ],
  ['describeReportedTable', 'u', 5, /not a text/],
];

for (const [method, arg, wrong, problem] of calls) {
  test(`${method} takes what it should and not ${String(problem)}`, () => {
    const { args } = tableCalls[method];
    assert.equal(args(overTheWire([arg]), method), undefined);
    assert.match(args(overTheWire([wrong]), method) ?? '', problem);
  });
}

test('the tables of an agent are split into reports with a bounded number of tables and partitions', () => {
  const { reportedTablesMax, reportedPartitionsMax, reportedTablePartitionsMax } = clusterLimits;
  const partitions = Array.from({ length: 150 }, (_, partition) => ({
    partition,
    nextOffset: 0,
    endOffset: partition,
  }));
  assert.deepEqual(tablesReports('a', []), []);
  const small = tablesReports('a', Array(reportedTablesMax + 1).fill(table));
  assert.deepEqual(
    small.map(({ tables }) => tables.length),
    [reportedTablesMax, 1],
  );
  const large = tablesReports('a', Array(30).fill({ ...table, partitions }));
  const perReport = reportedPartitionsMax / reportedTablePartitionsMax;
  assert.deepEqual(
    large.map(({ tables }) => tables.length),
    [perReport, 30 - perReport],
  );
  assert.equal(
    large[0]?.tables[0]?.partitions[0]?.partition,
    149,
    'those that are farthest behind are first',
  );
});
