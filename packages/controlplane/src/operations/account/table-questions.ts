import { timeText } from '@weir/core';
import type { Tables } from '../../accounts/workspaces/tables.ts';
import type { CallContext } from '../call-context.ts';
import { askedTable, askTables, type CatalogSecrets, type QuestionsPort } from '../cluster/ask-tables.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { tablesPlaceOf } from './tables.ts';

interface TableQuestionHandlersOptions {
  readonly tables: Pick<Tables, 'list' | 'get'>;
  readonly secrets: CatalogSecrets;
  /** Absent if nothing answers. */
  readonly portOf?: ((clusterId: string) => QuestionsPort) | undefined;
  readonly freshUuid: () => string;
}

interface TableInput {
  readonly virtual_cluster_id: string;
  readonly table_uuid: string;
}

/** Operations about tables that agents answer from the bucket. */
export function tableQuestionHandlers({ tables, secrets, portOf, freshUuid }: TableQuestionHandlersOptions) {
  const portFor = (clusterId: string): QuestionsPort => {
    if (portOf === undefined) throw new OperationFailed('no_query_engine');
    return portOf(clusterId);
  };
  const optionsOf = ({ stop }: CallContext) => ({ queryId: freshUuid(), stop });
  const tableOf = async ({ virtual_cluster_id, table_uuid }: TableInput, { accountId }: CallContext) => {
    const place = tablesPlaceOf(virtual_cluster_id, accountId);
    return await askedTable(await tables.get(place, table_uuid), place, secrets);
  };
  return {
    async 'dl/describe_table'(input, context) {
      const table = await tableOf(input, context);
      const port = portFor(input.virtual_cluster_id);
      const found = await askTables(port, { kind: 'describeTable', table }, optionsOf(context));
      return {
        metadata_location: found.metadataLocation,
        schemas: found.schemas.map(({ id, isCurrent, columns }) => ({
          schema_id: id,
          is_current: isCurrent,
          fields: columns.map(({ id: columnId, name, type, isRequired }) => ({
            id: columnId,
            name,
            type,
            required: isRequired,
          })),
        })),
        partition_fields: found.partitionFields.map((field) => ({ ...field })),
        properties: { ...found.properties },
        snapshots: found.snapshots.map(({ id, timestampMs, operation, schemaId, summary }) => ({
          snapshot_id: id,
          committed_at: timeText(timestampMs),
          timestamp_ms: timestampMs,
          operation,
          schema_id: schemaId,
          summary: { ...summary },
        })),
        snapshot_count: found.snapshotCount,
        refs: found.refs.map(({ name, type, snapshotId }) => ({ name, type, snapshot_id: snapshotId })),
      };
    },

    async 'dl/list_table_files'(input, context) {
      const table = await tableOf(input, context);
      const question = { kind: 'tableFiles', table, limit: input.limit } as const;
      const { files, isComplete } = await askTables(
        portFor(input.virtual_cluster_id),
        question,
        optionsOf(context),
      );
      return { files: files.map((file) => ({ ...file })), is_complete: isComplete };
    },

    async 'dl/query_table'({ virtual_cluster_id, sql, limit }, context) {
      const place = tablesPlaceOf(virtual_cluster_id, context.accountId);
      // A question has room for those that the query may mean.
      const lower = sql.toLowerCase();
      const named = (await tables.list(place)).filter(({ name }) => lower.includes(name.toLowerCase()));
      const asked = await Promise.all(named.map((table) => askedTable(table, place, secrets)));
      const question = { kind: 'tableSql', sql, tables: asked, limit } as const;
      const found = await askTables(portFor(virtual_cluster_id), question, optionsOf(context));
      context.read(readOf(found.rows.length));
      return {
        columns: found.columns.map((column) => ({ ...column })),
        rows: found.rows.map((row) => row.map(cellOf)),
        is_complete: found.isComplete,
        took_ms: found.ms,
      };
    },

    async 'dl/list_table_failures'(input, context) {
      const table = await tableOf(input, context);
      const question = { kind: 'tableFailures', table, limit: input.limit } as const;
      const { failures, isComplete } = await askTables(
        portFor(input.virtual_cluster_id),
        question,
        optionsOf(context),
      );
      context.read(readOf(failures.length));
      return {
        failures: failures.map(({ timestampMs, failedAtMs, headers, ...rest }) => ({
          ...rest,
          timestamp_ms: timestampMs,
          headers: headers.map((header) => ({ ...header })),
          failed_at: timeText(failedAtMs),
        })),
        is_complete: isComplete,
      };
    },
  } satisfies SomeHandlers;
}

/** For the audit log: rows have no place in a topic. */
function readOf(count: number): Parameters<CallContext['read']>[0] {
  return { recordCount: count, scannedCount: count, partitions: [], otherPartitionCount: 0 };
}

/** Nested values are JSON text: clients print cells, and a cell has one of few types. */
function cellOf(value: unknown): string | number | boolean | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}
