import { count, list, mapping, oneOf, required, text } from '../shape.ts';
import { broker, kafkaCredentials } from './kafka-source.ts';

const table = mapping({
  source_cluster_name: required(text),
  source_topic: required(text),
  source_format: oneOf('json', 'avro', 'protobuf'),
  wire_format: text,
  schema_mode: oneOf('inline', 'registry'),
  input_schema: text,
  /** The older form. */
  schema: mapping({
    fields: required(list(mapping({ name: required(text), type: required(text), id: count }))),
  }),
  schema_registry_url: text,
  basic_auth_username_env: text,
  basic_auth_password_env: text,
  partitioning_scheme: oneOf('none', 'hour', 'day', 'month'),
  transforms: list(mapping({ transform_type: required(oneOf('bento')), transform: required(text) })),
  compression: text,
  destination_bucket_url: text,
  dlq_mode: oneOf('skip', 'stop', 'keep'),
  dlq_keep_settings: mapping({ retention: text }),
  retention: text,
});

/**
 * Pipelines that write topics to tables. Each part of a configuration has some of the fields, and all parts together
 * the required ones.
 */
export const dataLake = mapping({
  source_clusters: required(
    list(
      mapping({
        name: required(text),
        bootstrap_brokers: required(list(broker, 1)),
        credentials: kafkaCredentials,
      }),
      1,
    ),
  ),
  destination_bucket_url: text,
  tables: required(list(table)),
});
