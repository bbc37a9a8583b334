import {
  boolean,
  broker,
  count,
  filledList,
  kafkaCredentials,
  mapping,
  text,
} from '@weir/pipelines/yaml-schema';

/** Pipelines that copy another Kafka cluster with its offsets. */
export const orbit = mapping({
  source_bootstrap_brokers: filledList(broker),
  source_cluster_credentials: kafkaCredentials.optional(),
  topic_mappings: filledList(
    mapping({
      source_regex: text,
      destination_prefix: text.optional(),
      begin_fetch_at_latest_offset: boolean.optional(),
      irreversible_disable_orbit_management: boolean.optional(),
      auto_migration: mapping({ enabled: boolean.optional() }).optional(),
    }),
  ),
  cluster_config: mapping({ copy_source_cluster_configuration: boolean.optional() }).optional(),
  consumer_groups: mapping({ copy_offsets_enabled: boolean, destination_group_prefix: text })
    .partial()
    .optional(),
  service: mapping({
    cluster_fetch_concurrency: count.optional(),
    fetch_config: mapping({ fetch_max_bytes: count, fetch_max_partition_bytes: count }).partial().optional(),
  }).optional(),
});
