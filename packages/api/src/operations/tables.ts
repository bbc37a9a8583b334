import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { count, examples, flag, list, nanosecondsField, text, time, word } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

/** What the health of a table says. */
const tableHealths = ['healthy', 'initializing', 'paused', 'inactive', 'degraded', 'failing'] as const;
export type TableHealth = (typeof tableHealths)[number];

/** Why a table is not healthy. */
const tableHealthReasons = [
  'pipeline_paused',
  'not_configured',
  'no_agent',
  'waiting_for_agent',
  'no_report',
  'no_commit',
  'configuration_pending',
  'falling_behind',
  'partition_stopped',
  'source_failing',
  'records_failing',
  'storage_failing',
  'catalog_failing',
  'ingestion_failing',
] as const;
export type TableHealthReason = (typeof tableHealthReasons)[number];

export const tableUuid = () =>
  word(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 36, 'is not the UUID of a table');

const tableName = () => text(apiLimits.tableNameCharsMax);
const line = () => text(apiLimits.tableMessageCharsMax);

const catalog = z
  .object({
    type: z.enum(['rest', 'glue']).describe('A server of the Iceberg REST protocol, or AWS Glue.'),
    address: text(apiLimits.apiUrlCharsMax).describe('Its address; of Glue the region.'),
    table: text(apiLimits.tableMessageCharsMax).describe('The table there, after its namespace.'),
  })
  .meta({ id: 'TableCatalog', description: 'The catalog that a configuration names for a table.' });

const table = z
  .object({
    table_name: tableName().describe('The name: the source cluster, two underscores and the topic.'),
    table_uuid: text(36).describe('The table. A table that is made again has another UUID.'),
    table_location: text(apiLimits.apiUrlCharsMax).describe(
      'Where its files are; below the bucket of the agents if it begins without a scheme.',
    ),
    catalog: catalog.optional().describe('The catalog that has it, unless that is the bucket.'),
    source_stream_name: tableName().describe('The topic that its records come from.'),
    source_cluster_name: tableName().describe('The source cluster of the topic, as its pipeline names it.'),
    pipeline_id: id('pipeline').describe('The pipeline that writes it, or did last.'),
    stats_estimated_byte_count: count().describe('The size of its files; 0 while it is not known.'),
    stats_estimated_row_count: count().describe('The number of its rows; 0 while it is not known.'),
    created_at_unix_nanos: nanosecondsField().describe('When it was created, in nanoseconds.'),
    created_at: time().describe('The same as text.'),
  })
  .meta({ id: 'Table', description: 'A table of a data lake cluster.' });

const health = z
  .object({
    status: z
      .enum(tableHealths)
      .describe(
        'Whether rows arrive: `initializing` before the first commit, `paused` with its pipeline, `inactive` if no deployed configuration names it, `degraded` if it is late or a partition is stopped, `failing` if nothing is written.',
      ),
    message: line().describe('What is wrong, in one line; empty if it is healthy.'),
    reasons: list(z.enum(tableHealthReasons), tableHealthReasons.length).describe('Codes for the same.'),
  })
  .meta({ id: 'TableHealth', description: 'The health of a table.' });

const partition = z.object({
  partition: count().describe('The partition of the topic.'),
  next_offset: count().describe('The offset of the first record that the table does not have yet.'),
  end_offset: count().optional().describe('The end of the partition, if known.'),
  lag_records: count().describe('How many records the table lacks.'),
  is_stopped: z
    .boolean()
    .optional()
    .describe('Whether it waits for another configuration at a record that cannot be a row.'),
  error: line().optional().describe('Why it is stopped or not read.'),
});

const status = z
  .object({
    health: health.describe('Whether rows arrive.'),
    iceberg_metadata_matches_deployed_config: z
      .boolean()
      .describe('Whether the table has the schema and the partitioning of the deployed configuration.'),
    agent_id: text(128).optional().describe('The agent that writes it.'),
    reported_at: time().optional().describe('When the agent last reported; what follows is of that time.'),
    partitions: list(partition, apiLimits.tableTopicPartitionsShownMax)
      .optional()
      .describe('Partitions of the topic, in `dl/get_table`: if there are many, those farthest behind.'),
    topic_partitions_count: count().optional().describe('How many partitions the topic has.'),
    lag_records: count().optional().describe('How many records of all partitions the table lacks.'),
    ingestion_lag_seconds: z
      .number()
      .min(0)
      .optional()
      .describe('The age of the oldest record that the table lacks.'),
    query_lag_seconds: z
      .number()
      .min(0)
      .optional()
      .describe('The age of the oldest record that readers of the table cannot see.'),
    rows: count().optional().describe('Rows of the newest snapshot.'),
    bytes: count().optional().describe('The size of its files.'),
    files: count().optional().describe('Its files.'),
    snapshots: count().optional().describe('Snapshots of the table.'),
    partitions_count: count().optional().describe('Values of the partition fields of the table.'),
    dlq_records: count().optional().describe('Records that are kept because they could not be rows.'),
    replay_requested_at: time()
      .optional()
      .describe('When a user asked for a replay of kept records that has not ended.'),
    dropped_records: count()
      .optional()
      .describe('Records that could not be rows and were dropped, since the agent began to write the table.'),
    last_commit_at: time().optional().describe('When rows were last added.'),
    last_error: line().optional().describe('What went wrong last.'),
    last_error_at: time().optional().describe('When, by the clock of the agent.'),
    schema_id: count().optional().describe('The current schema.'),
    metadata_location: text(apiLimits.apiUrlCharsMax).optional().describe('The newest metadata file.'),
  })
  .meta({ id: 'TableStatus', description: 'How a table is written.' });

const exampleTable = {
  table_name: 'ecommerce__orders',
  table_uuid: '0f1e2d3c-4b5a-4968-8776-000000000016',
  table_location: 's3://lake/service/_tableflow/ecommerce__orders-0f1e2d3c-4b5a-4968-8776-000000000016',
  source_stream_name: 'orders',
  source_cluster_name: 'ecommerce',
  pipeline_id: examples.pipeline,
  stats_estimated_byte_count: 52_428_800,
  stats_estimated_row_count: 1_200_000,
  created_at_unix_nanos: 1_769_860_800_000_000_000n,
  created_at: examples.time,
};

const target = { table_uuid: tableUuid().describe('The table.') };

export const tableOperations = [
  defineClusterOperation({
    name: 'dl/list_tables',
    title: 'List tables',
    summary: 'List the tables of a data lake cluster.',
    input: clusterInput({ include_status: flag('Whether to add how each table is written.') }),
    output: z.object({
      tables: list(
        table.extend({ status: status.optional().describe('How it is written, if requested.') }),
        coreLimits.tablesPerClusterMax,
      ).describe('The tables by name.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: { output: { tables: [exampleTable] } },
  }),
  defineClusterOperation({
    name: 'dl/get_table',
    title: 'Get a table',
    summary: 'Describe a table of a data lake cluster.',
    input: clusterInput({
      table_uuid: tableUuid().optional().describe('The table.'),
      table_name: tableName().optional().describe('The table by its name, instead of its UUID.'),
      include_status: flag('Whether to add how it is written.'),
    }).refine((given) => (given.table_uuid === undefined) !== (given.table_name === undefined), {
      error: 'one of table_uuid and table_name is required',
    }),
    output: z.object({
      table: table.describe('The table.'),
      status: status.optional().describe('How it is written, if requested.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { table_uuid: exampleTable.table_uuid, include_status: true },
      output: {
        table: exampleTable,
        status: {
          health: { status: 'healthy', message: '', reasons: [] },
          iceberg_metadata_matches_deployed_config: true,
          agent_id: examples.agent,
          reported_at: examples.time,
          partitions: [{ partition: 0, next_offset: 1_200_000, end_offset: 1_200_040, lag_records: 40 }],
          topic_partitions_count: 1,
          lag_records: 40,
          ingestion_lag_seconds: 12,
          query_lag_seconds: 12,
          rows: 1_200_000,
          bytes: 52_428_800,
          files: 12,
          snapshots: 40,
          partitions_count: 3,
          dlq_records: 0,
          dropped_records: 0,
          last_commit_at: examples.time,
          schema_id: 0,
          metadata_location: `${exampleTable.table_location}/metadata/v40.metadata.json`,
        },
      },
    },
  }),
  defineClusterOperation({
    name: 'dl/delete_table',
    title: 'Delete a table',
    summary: 'Delete a table of a data lake cluster with its files. It cannot be restored.',
    description:
      'Agents stop writing it, and delete its files and its kept records after a minute. If a running pipeline still names the table, it is made again at once, empty and with another UUID, from the beginning of its topic.',
    input: clusterInput(target),
    errors: ['unsupported_cluster_type'],
    example: { input: { table_uuid: exampleTable.table_uuid } },
  }),
  defineClusterOperation({
    name: 'dl/replay_table_failures',
    title: 'Replay failed records',
    summary: 'Start a replay of the records that a table keeps because they could not be rows.',
    description:
      'An agent reads the kept records again by the deployed configuration, for instance after it was corrected. Those that can be rows now are added to the table, each once, and are no longer kept; the others stay, with their new error. It is done when `replay_requested_at` is gone from the status, and the result is an event of the type `tableflow_logs`. While the pipeline of the table is paused it waits.',
    input: clusterInput(target),
    errors: ['unsupported_cluster_type'],
    example: { input: { table_uuid: exampleTable.table_uuid } },
  }),
] as const;
