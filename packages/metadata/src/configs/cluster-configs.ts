import { caps } from '@weir/core';
import type { ConfigAlias, ConfigRow } from './config-row.ts';
import { bool, int, long, oneOf } from './config-type.ts';

/** Every config of the cluster, which Kafka knows as dynamic defaults of brokers. */
export const clusterConfigs = {
  'auto.create.topics.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether a topic is made when a client asks for one that is not there.',
  },
  'default.replication.factor': {
    type: int({ min: 1 }),
    default: '3',
    readOnly: true,
    doc: 'What tools that ask are told. Object storage does the replication.',
  },
  'delete.topic.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether topics can be deleted.',
  },
  'log.retention.ms': {
    type: long({ min: -1 }),
    default: '86400000',
    doc: 'How long topics keep records unless they say otherwise; -1 is for ever.',
  },
  'message.max.bytes': {
    type: int({ min: 0 }),
    doc: 'The largest record of topics that do not say otherwise. Unset, the limit of the agent counts.',
  },
  'num.partitions': {
    type: int({ min: 1, max: caps.partitionsPerTopicMax }),
    default: '1',
    doc: 'The number of partitions of topics that are made without one.',
  },
  'offsets.retention.minutes': {
    type: int({ min: 1 }),
    default: '10080',
    doc: 'How long the offsets of a group are kept after its last member left.',
  },
  'service.default.partitions_auto_scaler.enabled': {
    type: bool,
    default: 'false',
    doc: 'Whether topics get more partitions by themselves unless they say otherwise.',
  },
  'service.default.partitions_auto_scaler.max_partition_count': {
    type: int({ min: 1 }),
    doc: 'The auto-scaler never makes more partitions of a topic than this, unless the topic says otherwise.',
  },
  'service.default.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second': {
    type: long({ min: 1 }),
    doc: 'The throughput of one partition, before compression, that the auto-scaler aims at.',
  },
  'service.default.topic.type': {
    type: oneOf('classic', 'lightning'),
    default: 'classic',
    doc: 'The type of topics that do not say otherwise.',
  },
  'service.soft.delete.topic.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether the data of a deleted topic is kept for a while.',
  },
  'service.soft.delete.topic.ttl.ms': {
    type: long({ min: 0 }),
    default: '86400000',
    doc: 'How long the data of a deleted topic is kept.',
  },
} as const satisfies Record<string, ConfigRow>;

export type ClusterConfigName = keyof typeof clusterConfigs;

/** Finer units first: when several names of one config are set together, the finest counts, as in Kafka. */
export const clusterConfigAliases = {
  'log.retention.minutes': { of: 'log.retention.ms', times: 60_000 },
  'log.retention.hours': { of: 'log.retention.ms', times: 3_600_000 },
  'service.soft.delete.topic.ttl.hours': { of: 'service.soft.delete.topic.ttl.ms', times: 3_600_000 },
  'service.default.partitions_auto_scaler.max_partitions': {
    of: 'service.default.partitions_auto_scaler.max_partition_count',
  },
} satisfies Record<string, ConfigAlias & { readonly of: ClusterConfigName }>;
