import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindText, lagText, sentenceOf, troubledTables, worstLagSeconds } from './table-words.ts';
import type { Table, TableStatus } from './use-tables.ts';

const statusOf = (health: TableStatus['health']['status'], some: Partial<TableStatus> = {}): TableStatus => ({
  health: { status: health, message: '', reasons: [] },
  iceberg_metadata_matches_deployed_config: true,
  ...some,
});
const tableOf = (table_name: string, status: TableStatus) => ({ table_name, status }) as Table;

test('lag as people read it', () => {
  assert.equal(lagText(null), '–');
  assert.equal(lagText(0.2), '200 ms');
  assert.equal(lagText(90), '1 min 30 s');
  assert.equal(worstLagSeconds([]), null);
  assert.equal(worstLagSeconds([{}, { status: statusOf('healthy') }]), null);
  const lags = [3, 40, 12].map((query_lag_seconds) => ({
    status: statusOf('healthy', { query_lag_seconds }),
  }));
  assert.equal(worstLagSeconds(lags), 40);
  assert.equal(behindText(statusOf('healthy', { lag_records: 0, query_lag_seconds: 0 })), '');
  assert.equal(behindText(statusOf('healthy', { lag_records: 1 })), '1 record behind');
  assert.equal(
    behindText(statusOf('degraded', { lag_records: 25_000, query_lag_seconds: 61 })),
    '25K records behind, 1 min 1 s',
  );
});

test('messages as sentences', () => {
  assert.equal(sentenceOf('the table waits for an agent'), 'The table waits for an agent.');
  assert.equal(sentenceOf('Wait!'), 'Wait!');
});

test('failing tables come before late ones, and the latest first', () => {
  const tables = [
    tableOf('fine', statusOf('healthy')),
    tableOf('late', statusOf('degraded', { query_lag_seconds: 10 })),
    tableOf('paused', statusOf('paused')),
    tableOf('later', statusOf('degraded', { query_lag_seconds: 100 })),
    tableOf('broken', statusOf('failing')),
  ];
  assert.deepEqual(
    troubledTables(tables).map(({ table_name }) => table_name),
    ['broken', 'later', 'late'],
  );
});
