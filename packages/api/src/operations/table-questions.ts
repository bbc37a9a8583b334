import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { count, dictionary, examples, integer, list, prose, text, time } from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { tableUuid } from './tables.ts';

/** What only the bucket knows of tables. Agents answer it, and an agent that is not there answers nothing. */

const questionErrors = ['unsupported_cluster_type', 'no_query_engine', 'too_many_queries'] as const;

/** Texts of other programs. */
const anyText = () => prose(apiLimits.describedTableTextCharsMax);

const target = { table_uuid: tableUuid().describe('The table.') };
const exampleUuid = '0f1e2d3c-4b5a-4968-8776-000000000016';
const exampleLocation = `s3://lake/service/_tableflow/ecommerce__orders-${exampleUuid}`;

const column = z.object({
  id: count().describe('Its id, which stays the same if it is renamed.'),
  name: anyText().describe('Its name.'),
  type: anyText().describe('Its type, as Iceberg writes it.'),
  required: z.boolean().describe('Whether every row has a value.'),
});

const schema = z
  .object({
    schema_id: count().describe('The schema.'),
    is_current: z.boolean().describe('Whether it is the current one.'),
    fields: list(column, apiLimits.describedTableColumnsMax).describe('Its columns.'),
  })
  .meta({ id: 'TableSchema', description: 'A schema that a table has or had.' });

const partitionField = z.object({
  name: anyText().describe('The name of the field.'),
  column: anyText().describe('The column that it is derived from.'),
  transform: anyText().describe('How, such as `day` or `bucket[16]`.'),
});

const summary = () => dictionary(anyText(), anyText(), apiLimits.describedTablePropertiesMax);

const snapshot = z
  .object({
    snapshot_id: text(20).describe('The snapshot; as text, since it has 64 bits.'),
    committed_at: time().describe('When it was committed.'),
    timestamp_ms: count().describe('The same in milliseconds.'),
    operation: text(32).nullable().describe('`append`, `replace` (a compaction), `overwrite` or `delete`.'),
    schema_id: count().nullable().describe('The schema of that time.'),
    summary: summary().describe(
      'Counts, and what its writer noted: `service.source-offsets` are next offsets.',
    ),
  })
  .meta({ id: 'TableSnapshot', description: 'A state of a table.' });

const ref = z.object({
  name: anyText().describe('The branch or tag.'),
  type: text(32).describe('`branch` or `tag`.'),
  snapshot_id: text(20).describe('Its snapshot.'),
});

const file = z
  .object({
    path: anyText().describe('The URI of the file.'),
    partition: anyText().describe('The partition of its rows, such as `kafka_timestamp_day=2026-01-31`.'),
    records: count().describe('Its rows.'),
    bytes: count().describe('Its size.'),
  })
  .meta({ id: 'TableFile', description: 'A data file of a table.' });

const cell = z.union([prose(apiLimits.tableCellCharsMax), z.number(), z.boolean(), z.null()]);

const part = z.object({
  base64: anyText().describe('The beginning, in base64.'),
  bytes: count().describe('The size of all of it.'),
});

const failure = z
  .object({
    topic: anyText().describe('The topic.'),
    partition: count().describe('The partition.'),
    offset: count().describe('The offset.'),
    timestamp_ms: z.int().describe('The timestamp of the record.'),
    key: part.nullable().describe('Its key.'),
    value: part.nullable().describe('Its value.'),
    headers: list(
      z.object({
        name: anyText().describe('The name.'),
        value: anyText().nullable().describe('The beginning of the value, in base64.'),
      }),
      coreLimits.tableFailureHeadersMax,
    ).describe('Its first headers.'),
    step: text(32).describe('Where it failed: `decode`, `transform`, `convert` or `size`.'),
    error: anyText().describe('Why.'),
    failed_at: time().describe('When.'),
  })
  .meta({ id: 'TableFailure', description: 'A record that could not be a row of its table and was kept.' });

export const tableQuestionOperations = [
  defineClusterOperation({
    name: 'dl/describe_table',
    title: 'Describe a table',
    summary: 'Describe schemas, partitioning, properties and snapshots of a table, from its newest metadata.',
    input: clusterInput(target),
    output: z.object({
      metadata_location: anyText().describe('The newest metadata file.'),
      schemas: list(schema, coreLimits.tableSchemasShownMax).describe('Its schemas, the current one first.'),
      partition_fields: list(partitionField, apiLimits.describedTablePropertiesMax).describe(
        'How rows are divided.',
      ),
      properties: summary().describe('Properties of the table.'),
      snapshots: list(snapshot, coreLimits.tableSnapshotsShownMax).describe(
        'Its snapshots, the newest first.',
      ),
      snapshot_count: count().describe('How many there are, also of those that are not listed.'),
      refs: list(ref, apiLimits.describedTablePropertiesMax).describe('Branches and tags.'),
    }),
    errors: questionErrors,
    example: {
      input: { table_uuid: exampleUuid },
      output: {
        metadata_location: `${exampleLocation}/metadata/v40.metadata.json`,
        schemas: [
          {
            schema_id: 0,
            is_current: true,
            fields: [{ id: 1, name: 'total', type: 'decimal(9, 2)', required: false }],
          },
        ],
        partition_fields: [{ name: 'kafka_timestamp_day', column: 'kafka_timestamp', transform: 'day' }],
        properties: {},
        snapshots: [
          {
            snapshot_id: '3051729675574597004',
            committed_at: examples.time,
            timestamp_ms: 1_769_860_800_000,
            operation: 'append',
            schema_id: 0,
            summary: { 'added-records': '1200', 'service.source-offsets': '{"0":1200}' },
          },
        ],
        snapshot_count: 40,
        refs: [{ name: 'main', type: 'branch', snapshot_id: '3051729675574597004' }],
      },
    },
  }),
  defineClusterOperation({
    name: 'dl/list_table_files',
    title: 'List the files of a table',
    summary: 'List the data files of the newest snapshot of a table, the newest first.',
    description:
      'Partitions show values of rows, so that the call needs the grant `read_records` or `admin`.',
    access: 'records',
    input: clusterInput({
      ...target,
      limit: integer(1, coreLimits.tableFilesShownMax)
        .default(1_000)
        .describe('The maximum number to return.'),
    }),
    output: z.object({
      files: list(file, coreLimits.tableFilesShownMax).describe('The files.'),
      is_complete: z.boolean().describe('Whether these are all.'),
    }),
    errors: questionErrors,
    example: {
      input: { table_uuid: exampleUuid, limit: 10 },
      output: {
        files: [
          {
            path: `${exampleLocation}/data/kafka_timestamp_day=2026-01-31/1.parquet`,
            partition: 'kafka_timestamp_day=2026-01-31',
            records: 1_200,
            bytes: 52_428,
          },
        ],
        is_complete: true,
      },
    },
  }),
  defineClusterOperation({
    name: 'dl/query_table',
    title: 'Query tables by SQL',
    summary: 'Read rows of the tables of a data lake cluster by a SELECT, in the SQL of DuckDB.',
    description:
      'Tables have the names of `dl/list_tables`; one with dots or dashes needs double quotes. Records that were kept are the table `<name>__dlq`. A query is bounded: in time, memory, bytes of data files and of the result; comparing a column with a constant reads fewer files. It needs the grant `read_records` or `admin`, and is audited.',
    access: 'records',
    input: clusterInput({
      sql: prose(coreLimits.tableSqlBytesMax)
        .min(1)
        .describe(
          'One SELECT, such as `SELECT count(*) FROM "ecommerce__orders"`. DESCRIBE and SUMMARIZE are allowed too.',
        ),
      limit: integer(1, coreLimits.tableSqlRowsMax)
        .default(1_000)
        .describe('The maximum number of rows to return.'),
    }),
    output: z.object({
      columns: list(
        z.object({
          name: anyText().describe('The name.'),
          type: anyText().describe('The type, as DuckDB writes it.'),
        }),
        apiLimits.describedTableColumnsMax,
      ).describe('The columns of the result.'),
      rows: list(list(cell, apiLimits.describedTableColumnsMax), coreLimits.tableSqlRowsMax).describe(
        'Its rows: values in the order of the columns. Integers beyond 32 bits, decimals, times and binary values are text, so that they are exact; lists, maps and structs are JSON text.',
      ),
      is_complete: z.boolean().describe('Whether these are all rows.'),
      took_ms: count().describe('How long it took on the agent.'),
    }),
    errors: [...questionErrors, 'limit_exceeded'],
    example: {
      input: { sql: 'SELECT status, count(*) AS n FROM "ecommerce__orders" GROUP BY status ORDER BY n DESC' },
      output: {
        columns: [
          { name: 'status', type: 'VARCHAR' },
          { name: 'n', type: 'BIGINT' },
        ],
        rows: [
          ['paid', '1100'],
          ['new', '100'],
        ],
        is_complete: true,
        took_ms: 412,
      },
    },
  }),
  defineClusterOperation({
    name: 'dl/list_table_failures',
    title: 'List failed records of a table',
    summary: 'List records that could not be rows of a table and were kept, the newest failure first.',
    description:
      'Only tables with `dlq_mode: keep` keep them. It needs the grant `read_records` or `admin`, and is audited.',
    access: 'records',
    input: clusterInput({
      ...target,
      limit: integer(1, coreLimits.tableFailuresShownMax)
        .default(100)
        .describe('The maximum number to return.'),
    }),
    output: z.object({
      failures: list(failure, coreLimits.tableFailuresShownMax).describe('The records.'),
      is_complete: z.boolean().describe('Whether these are all.'),
    }),
    errors: [...questionErrors, 'limit_exceeded'],
    example: {
      input: { table_uuid: exampleUuid },
      output: {
        failures: [
          {
            topic: 'orders',
            partition: 0,
            offset: 42,
            timestamp_ms: 1_769_860_800_000,
            key: null,
            value: { base64: 'e30=', bytes: 2 },
            headers: [],
            step: 'convert',
            error: 'total: a value is required',
            failed_at: examples.time,
          },
        ],
        is_complete: true,
      },
    },
  }),
] as const;
