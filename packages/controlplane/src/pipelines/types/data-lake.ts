import { count, filledList, list, mapping, oneOf, text } from '../schema.ts';
import { broker, kafkaCredentials } from './kafka-source.ts';

const optionalText = text.optional();

const table = mapping({
  source_cluster_name: text,
  source_topic: text,
  source_format: oneOf(['json', 'avro', 'protobuf']).optional(),
  wire_format: optionalText,
  schema_mode: oneOf(['inline', 'registry']).optional(),
  input_schema: optionalText,
  /** The older form. */
  schema: mapping({ fields: list(mapping({ name: text, type: text, id: count.optional() })) }).optional(),
  schema_registry_url: optionalText,
  basic_auth_username_env: optionalText,
  basic_auth_password_env: optionalText,
  partitioning_scheme: oneOf(['none', 'hour', 'day', 'month']).optional(),
  transforms: list(mapping({ transform_type: oneOf(['bento']), transform: text })).optional(),
  compression: optionalText,
  destination_bucket_url: optionalText,
  dlq_mode: oneOf(['skip', 'stop', 'keep']).optional(),
  dlq_keep_settings: mapping({ retention: optionalText }).optional(),
  retention: optionalText,
});

/**
 * Pipelines that write topics to tables. Each part of a configuration has some of the fields, and all parts together
 * the required ones.
 */
export const dataLake = mapping({
  source_clusters: filledList(
    mapping({
      name: text,
      bootstrap_brokers: filledList(broker),
      credentials: kafkaCredentials.optional(),
    }),
  ),
  destination_bucket_url: optionalText,
  tables: list(table),
});
