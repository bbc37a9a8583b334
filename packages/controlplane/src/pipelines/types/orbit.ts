import { boolean, count, list, mapping, required, text } from '../shape.ts';
import { broker, kafkaCredentials } from './kafka-source.ts';

/** Pipelines that copy another Kafka cluster with its offsets. */
export const orbit = mapping({
  source_bootstrap_brokers: required(list(broker, 1)),
  source_cluster_credentials: kafkaCredentials,
  topic_mappings: required(
    list(
      mapping({
        source_regex: required(text),
        destination_prefix: text,
        begin_fetch_at_latest_offset: boolean,
        irreversible_disable_orbit_management: boolean,
        auto_migration: mapping({ enabled: boolean }),
      }),
      1,
    ),
  ),
  cluster_config: mapping({ copy_source_cluster_configuration: boolean }),
  consumer_groups: mapping({ copy_offsets_enabled: boolean, destination_group_prefix: text }),
  service: mapping({
    cluster_fetch_concurrency: count,
    fetch_config: mapping({ fetch_max_bytes: count, fetch_max_partition_bytes: count }),
  }),
});
