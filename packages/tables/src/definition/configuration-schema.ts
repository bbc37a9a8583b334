import {
  broker,
  count,
  filledList,
  kafkaCredentials,
  list,
  mapping,
  oneOf,
  text,
} from '@weir/pipelines/yaml-schema';
import { catalogFields } from './catalog-fields.ts';

const optionalText = text.optional();

const sourceName = text.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, {
  error: 'is not a letter or digit and up to 127 more letters, digits, dots, underscores and hyphens',
});
const topicName = text.regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, {
  error: 'is not the name of a topic: up to 249 letters, digits, dots, underscores and hyphens',
});
const variable = text.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
  error: 'is not the name of an environment variable',
});

const table = mapping({
  source_cluster_name: text,
  source_topic: topicName,
  source_format: oneOf(['json', 'avro', 'protobuf']).optional(),
  wire_format: oneOf(['raw', 'schema_registry']).optional(),
  schema_mode: oneOf(['inline', 'registry']).optional(),
  input_schema: optionalText,
  message_name: optionalText,
  /** The older form. */
  schema: mapping({
    fields: filledList(mapping({ name: text, type: text, id: count.optional() })),
  }).optional(),
  schema_registry_url: optionalText,
  schema_registry_subject: optionalText,
  basic_auth_username_env: variable.optional(),
  basic_auth_password_env: variable.optional(),
  partitioning_scheme: oneOf(['none', 'hour', 'day', 'month']).optional(),
  partition_by: list(text).optional(),
  transforms: list(mapping({ transform_type: oneOf(['bento']), transform: text })).optional(),
  compression: oneOf(['zstd', 'snappy', 'gzip', 'none']).optional(),
  commit_interval: optionalText,
  destination_bucket_url: optionalText,
  catalog: catalogFields.optional(),
  dlq_mode: oneOf(['skip', 'stop', 'keep']).optional(),
  dlq_keep_settings: mapping({ retention: optionalText }).optional(),
  retention: optionalText,
});

/**
 * Pipelines that write topics to tables. Each part of a configuration has some of the fields, and all parts together
 * the required ones.
 */
export const tablesConfiguration = mapping({
  source_clusters: filledList(
    mapping({
      name: sourceName,
      bootstrap_brokers: filledList(broker),
      credentials: kafkaCredentials.optional(),
    }),
  ),
  destination_bucket_url: optionalText,
  catalog: catalogFields.optional(),
  tables: list(table),
});

export type TablesConfiguration = ReturnType<(typeof tablesConfiguration)['parse']>;
export type TableFields = TablesConfiguration['tables'][number];
export type SourceFields = TablesConfiguration['source_clusters'][number];
