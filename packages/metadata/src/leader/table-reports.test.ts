import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableState } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { coreLimits } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TableReports } from './table-reports.ts';

function stateOf(tableUuid: string, changes: Partial<TableState> = {}): TableState {
  return {
    tableUuid,
    tableName: `k__${tableUuid}`,
    topic: tableUuid,
    configurationId: 'pci_1',
    hasConfiguration: true,
    partitions: [{ partition: 0, nextOffset: 5, endOffset: 7 }],
    partitionCount: 1,
    stoppedPartitionCount: 0,
    lagRecords: 2,
    keptRecordCount: 0,
    droppedRecordCount: 0,
    isFailing: false,
    ...changes,
  };
}

test('the newest report of a table counts, whichever agent sent it, and silence forgets it', () => {
  const clock = new HandClock();
  const reports = new TableReports(clock);
  reports.receive({ agentId: 'a', tables: [stateOf('one'), stateOf('two')] });
  clock.advance(100_000);
  reports.receive({ agentId: 'b', tables: [stateOf('one', { lagRecords: 9 })] });
  assert.deepEqual(
    reports
      .list()
      .map(({ tableUuid, agentId, lagRecords, partitions }) => [
        tableUuid,
        agentId,
        lagRecords,
        partitions.length,
      ]),
    [
      ['two', 'a', 2, 0],
      ['one', 'b', 9, 0],
    ],
  );
  assert.equal(reports.get('one')?.partitions.length, 1);
  assert.equal(reports.get('one')?.reportedMs, clock.nowMs());
  clock.advance(100_000);
  assert.equal(reports.get('two'), undefined);
  assert.deepEqual(
    reports.list().map(({ tableUuid }) => tableUuid),
    ['one'],
  );
});

test('a replay is reported by any agent, until it ends or is silent', () => {
  const clock = new HandClock();
  const reports = new TableReports(clock);
  const seen = () => [reports.get('one')?.replay, ...reports.list().map(({ replay }) => replay)];
  const replays = [
    { tableUuid: 'one', lagRecords: 5, lagMs: 7_000 },
    { tableUuid: 'unknown', lagRecords: 1 },
  ];
  reports.receive({ agentId: 'b', tables: [], replays });
  reports.receive({ agentId: 'a', tables: [stateOf('one')] });
  assert.deepEqual(seen(), [undefined, undefined], 'of a table that was not known');
  reports.receive({ agentId: 'b', tables: [], replays });
  clock.advance(100_000);
  reports.receive({ agentId: 'a', tables: [stateOf('one')] });
  const running = { lagRecords: 5, lagMs: 7_000 };
  assert.deepEqual(seen(), [running, running]);
  clock.advance(100_000);
  assert.deepEqual(seen(), [undefined, undefined]);
  const many = Array.from({ length: clusterLimits.reportedTablesMax + 1 }, () => replays[0]!);
  assert.throws(() => reports.receive({ agentId: 'b', tables: [], replays: many }), /at most 200 tables/);
});

test('reports are bounded in tables, partitions and texts', () => {
  const reports = new TableReports(new HandClock());
  const many = (count: number, start = 0) =>
    Array.from({ length: count }, (_, n) => stateOf(`t${start + n}`));
  assert.throws(
    () => reports.receive({ agentId: 'a', tables: many(clusterLimits.reportedTablesMax + 1) }),
    /at most 200 tables/,
  );
  const partitions = Array.from({ length: 300 }, (_, partition) => ({
    partition,
    nextOffset: 0,
    endOffset: partition,
    isStopped: partition === 3,
  }));
  reports.receive({ agentId: 'a', tables: [stateOf('t0', { partitions, lastError: 'x'.repeat(5_000) })] });
  const found = reports.get('t0')!;
  assert.equal(found.partitions.length, clusterLimits.reportedTablePartitionsMax);
  assert.deepEqual(
    found.partitions.slice(0, 3).map(({ partition }) => partition),
    [3, 299, 298],
  );
  assert.equal(found.lastError?.length, clusterLimits.reportedTableTextCharsMax);
  const { tablesPerClusterMax } = coreLimits;
  for (let n = 0; n < tablesPerClusterMax + 200; n += 200)
    reports.receive({ agentId: 'a', tables: many(200, n) });
  assert.equal(reports.list().length, tablesPerClusterMax);
  reports.receive({ agentId: 'b', tables: [stateOf('t0')] });
  assert.equal(reports.get('t0')?.agentId, 'b', 'a known table is reported on');
});
