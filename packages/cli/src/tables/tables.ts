import type { OutputOf } from '@weir/api';
import { coreLimits } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { lakeId, namedTable } from './lake-cluster.ts';

/** Prints the tables of a data lake cluster and how they are written. */
export const listTables: Handler<'cli tables list'> = async (values, deps) => {
  const client = apiClient(values, deps);
  const virtual_cluster_id = await lakeId(client, values.cluster);
  const found = await orFailure(client.call('dl/list_tables', { virtual_cluster_id, include_status: true }));
  return printResult(values, deps, {
    json: found,
    text: () =>
      table(
        ['TABLE', 'TOPIC', 'HEALTH', 'ROWS', 'LAG', 'KEPT'],
        found.tables.map(({ table_name, source_stream_name, status }) => [
          table_name,
          source_stream_name,
          status?.health.status ?? '-',
          shownCount(status?.rows),
          shownCount(status?.lag_records),
          shownCount(status?.dlq_records),
        ]),
      ),
  });
};

/** Prints columns, partitioning and the newest snapshots of a table. */
export const describeTable: Handler<'cli tables describe'> = async (values, deps) => {
  const client = apiClient(values, deps);
  const virtual_cluster_id = await lakeId(client, values.cluster);
  const { table_uuid } = await namedTable(client, virtual_cluster_id, values.table!);
  const found = await orFailure(client.call('dl/describe_table', { virtual_cluster_id, table_uuid }));
  return printResult(values, deps, { json: found, text: () => describedText(found) });
};

/** Prints the data files of a table. */
export const tableFiles: Handler<'cli tables files'> = async (values, deps) => {
  const client = apiClient(values, deps);
  const virtual_cluster_id = await lakeId(client, values.cluster);
  const { table_uuid } = await namedTable(client, virtual_cluster_id, values.table!);
  const limit = values.rows;
  const found = await orFailure(
    client.call('dl/list_table_files', { virtual_cluster_id, table_uuid, limit }),
  );
  const status = printResult(values, deps, {
    json: found,
    text: () =>
      table(
        ['ROWS', 'BYTES', 'PARTITION', 'FILE'],
        found.files.map(({ records, bytes, partition, path }) => [
          String(records),
          String(bytes),
          partition === '' ? '-' : partition,
          path,
        ]),
      ),
  });
  if (!found.is_complete) deps.output.err(cutLine('files', limit));
  return status;
};

/** Prints the result of a query over tables. */
export const queryTables: Handler<'cli tables query'> = async (values, deps) => {
  const client = apiClient(values, deps);
  const virtual_cluster_id = await lakeId(client, values.cluster);
  const limit = values.rows;
  const found = await orFailure(
    client.call('dl/query_table', { virtual_cluster_id, sql: values.sql!, limit }),
  );
  const status = printResult(values, deps, {
    json: found,
    text: () =>
      table(
        found.columns.map(({ name }) => name),
        found.rows.map((row) => row.map((cell) => (cell === null ? 'NULL' : String(cell)))),
      ),
  });
  if (!found.is_complete) deps.output.err(cutLine('query', limit));
  return status;
};

/** Prints records that could not be rows of a table and were kept. */
export const tableFailures: Handler<'cli tables failures'> = async (values, deps) => {
  const client = apiClient(values, deps);
  const virtual_cluster_id = await lakeId(client, values.cluster);
  const { table_uuid } = await namedTable(client, virtual_cluster_id, values.table!);
  const limit = Math.min(values.rows, coreLimits.tableFailuresShownMax);
  const found = await orFailure(
    client.call('dl/list_table_failures', { virtual_cluster_id, table_uuid, limit }),
  );
  const status = printResult(values, deps, {
    json: found,
    text: () =>
      table(
        ['FAILED AT', 'PARTITION', 'OFFSET', 'STEP', 'ERROR'],
        found.failures.map(({ failed_at, partition, offset, step, error }) => [
          failed_at,
          String(partition),
          String(offset),
          step,
          error,
        ]),
      ),
  });
  if (!found.is_complete) deps.output.err(cutLine('failures', limit));
  return status;
};

/** Asks for rows of the records that were kept. */
export const replayTable: Handler<'cli tables replay'> = async (values, deps) => {
  const client = apiClient(values, deps);
  const virtual_cluster_id = await lakeId(client, values.cluster);
  const { table_uuid, table_name } = await namedTable(client, virtual_cluster_id, values.table!);
  await orFailure(client.call('dl/replay_table_failures', { virtual_cluster_id, table_uuid }));
  return printResult(values, deps, {
    json: { table_uuid, table_name },
    text: () =>
      `An agent replays the kept records of ${table_name}; see "weir cli tables failures -table ${table_name}" for those that fail again.\n`,
  });
};

function describedText(found: OutputOf<'dl/describe_table'>): string {
  const current = found.schemas.find(({ is_current }) => is_current);
  const partitioned = found.partition_fields.map(({ column, transform }) => `${transform}(${column})`);
  return [
    `metadata     ${found.metadata_location}\n`,
    `schema       ${current?.schema_id ?? '-'}, of ${found.schemas.length}\n`,
    `partitions   ${partitioned.join(', ') || 'none'}\n`,
    `snapshots    ${found.snapshot_count}\n`,
    '\n',
    table(
      ['ID', 'COLUMN', 'TYPE', 'REQUIRED'],
      (current?.fields ?? []).map(({ id, name, type, required }) => [
        String(id),
        name,
        type,
        required ? 'yes' : 'no',
      ]),
    ),
    '\n',
    table(
      ['SNAPSHOT', 'COMMITTED AT', 'OPERATION', 'ADDED', 'ROWS'],
      found.snapshots
        .slice(0, snapshotsShown)
        .map(({ snapshot_id, committed_at, operation, summary }) => [
          snapshot_id,
          committed_at,
          operation ?? '-',
          summary['added-records'] ?? '0',
          summary['total-records'] ?? '-',
        ]),
    ),
  ].join('');
}

const snapshotsShown = 10;

function shownCount(count: number | undefined): string {
  return count === undefined ? '-' : String(count);
}

function cutLine(tool: string, limit: number): string {
  return `weir cli tables ${tool}: there are more than the ${limit} rows shown, or they are too large; see -rows\n`;
}
