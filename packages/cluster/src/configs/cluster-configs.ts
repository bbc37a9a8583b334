import { coreLimits } from '@weir/core';
import { clusterLimits } from '../limits.ts';
import type { ConfigAlias, ConfigRow } from './config-row.ts';
import { anyOf, bool, double, int, long, oneOf, url } from './config-type.ts';
import { eventConfigs } from './event-configs.ts';
import { noLightning } from './topic-configs.ts';

/**
 * Cluster configs that have an effect here or that topics inherit; in Kafka they are dynamic broker defaults. Kafka's
 * other broker configs are in broker-configs.ts.
 */
export const clusterConfigs = {
  'auto.create.topics.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether metadata requests of clients create missing topics.',
  },
  'compression.gzip.level': {
    type: int({ min: -1, max: 9 }),
    default: '-1',
    doc: 'Default gzip compression level of topics, 1 to 9; -1 is the codec default.',
    withoutEffect: true,
  },
  'compression.lz4.level': {
    type: int({ min: 1, max: 17 }),
    default: '9',
    doc: 'Default lz4 compression level of topics.',
    withoutEffect: true,
  },
  'compression.type': {
    type: oneOf('producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'),
    default: 'producer',
    doc: 'Default compression.type of topics. Batches always keep the codec of the producer.',
    withoutEffect: true,
  },
  'compression.zstd.level': {
    type: int({ min: -131_072, max: 22 }),
    default: '3',
    doc: 'Default zstd compression level of topics.',
    withoutEffect: true,
  },
  'default.replication.factor': {
    type: int({ min: 1 }),
    default: '3',
    readOnly: true,
    doc: 'The replication factor reported to tools. The object store replicates the data.',
  },
  'delete.topic.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether topics can be deleted.',
  },
  'group.consumer.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '1000',
    doc: 'Default minimum interval between two assignments of a consumer group; the first assignment is immediate.',
  },
  'group.consumer.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    default: '5000',
    doc: 'Default heartbeat interval of members of consumer groups.',
  },
  'group.consumer.max.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '15000',
    doc: 'The maximum assignment interval that the config of a consumer group can set.',
  },
  'group.consumer.max.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    default: '15000',
    doc: 'The maximum heartbeat interval that the config of a consumer group can set.',
  },
  'group.consumer.max.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '60000',
    doc: 'The maximum session timeout that the config of a consumer group can set.',
  },
  'group.consumer.max.size': {
    type: int({ min: 1, max: coreLimits.groupMembersMax }),
    default: String(coreLimits.groupMembersMax),
    doc: 'The maximum number of members of a consumer group.',
  },
  'group.consumer.migration.policy': {
    type: oneOf('bidirectional', 'upgrade', 'downgrade', 'disabled'),
    default: 'bidirectional',
    doc: 'Whether a classic group is converted online when the first member with the consumer protocol joins (upgrade), and converted back when the last one leaves (downgrade).',
  },
  'group.consumer.min.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '0',
    doc: 'The minimum assignment interval that the config of a consumer group can set.',
  },
  'group.consumer.min.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    default: '5000',
    doc: 'The minimum heartbeat interval that the config of a consumer group can set.',
  },
  'group.consumer.min.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '45000',
    doc: 'The minimum session timeout that the config of a consumer group can set.',
  },
  'group.consumer.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '45000',
    doc: 'Default session timeout of members of consumer groups.',
  },
  'group.initial.rebalance.delay.ms': {
    type: int({ min: 0 }),
    default: '3000',
    doc: 'How long the first rebalance of an empty group waits for more members to join.',
  },
  'group.max.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '1800000',
    doc: 'The maximum session timeout of members of classic groups.',
  },
  'group.max.size': {
    type: int({ min: 1, max: coreLimits.groupMembersMax }),
    default: String(coreLimits.groupMembersMax),
    doc: 'The maximum number of members of a classic group.',
  },
  'group.min.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '6000',
    doc: 'The minimum session timeout of members of classic groups.',
  },
  'group.share.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '1000',
    doc: 'Default minimum interval between two assignments of a share group; the first assignment is immediate.',
  },
  'group.share.delivery.count.limit': {
    type: int({ min: 2, max: 10 }),
    default: '5',
    doc: 'Default maximum number of delivery attempts of a record in a share group.',
  },
  'group.share.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    default: '5000',
    doc: 'Default heartbeat interval of members of share groups.',
  },
  'group.share.max.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '15000',
    doc: 'The maximum assignment interval that the config of a share group can set.',
  },
  'group.share.max.size': {
    type: int({ min: 1, max: clusterLimits.shareGroupMembersMax }),
    default: '200',
    doc: 'The maximum number of members of a share group.',
  },
  'group.share.min.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '0',
    doc: 'The minimum assignment interval that the config of a share group can set.',
  },
  'group.share.partition.max.record.locks': {
    type: int({ min: 100, max: 10_000 }),
    default: '2000',
    doc: 'Default maximum number of locked records per partition of a share group.',
  },
  'group.share.record.lock.duration.ms': {
    type: int({ min: 1000, max: 3_600_000 }),
    default: '30000',
    doc: 'Default acquisition lock duration of records in a share group; after it, a record is delivered to another member.',
  },
  'group.share.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '45000',
    doc: 'Default session timeout of members of share groups.',
  },
  'log.cleaner.delete.retention.ms': {
    type: long({ min: 0 }),
    default: '86400000',
    doc: 'Default tombstone retention of compacted topics.',
  },
  'log.cleaner.max.compaction.lag.ms': {
    type: long({ min: 1 }),
    default: '9223372036854775807',
    doc: 'Default maximum time that a record of a compacted topic stays uncompacted.',
  },
  'log.cleaner.min.cleanable.ratio': {
    type: double({ min: 0, max: 1 }),
    default: '0.5',
    doc: 'Default minimum share of dirty bytes before a compacted topic is compacted again.',
  },
  'log.cleaner.min.compaction.lag.ms': {
    type: long({ min: 0 }),
    default: '0',
    doc: 'Default minimum time that a record of a compacted topic stays uncompacted.',
  },
  'log.cleanup.policy': {
    type: anyOf('delete', 'compact'),
    default: 'delete',
    readOnly: true,
    doc: 'Default cleanup policy of topics.',
  },
  'log.flush.interval.messages': {
    type: long({ min: 1 }),
    default: '9223372036854775807',
    doc: 'The number of records after which a log is flushed. Records are durable in the object store before they are acknowledged.',
    withoutEffect: true,
  },
  'log.flush.interval.ms': {
    type: long({ min: 0 }),
    default: '9223372036854775807',
    doc: 'The time after which a log is flushed. Records are durable in the object store before they are acknowledged.',
    withoutEffect: true,
  },
  'log.index.interval.bytes': {
    type: int({ min: 0 }),
    default: '4096',
    doc: 'The interval between entries of the offset index.',
    withoutEffect: true,
  },
  'log.index.size.max.bytes': {
    type: int({ min: 4 }),
    default: '10485760',
    doc: 'The maximum size of a segment index.',
    withoutEffect: true,
  },
  'log.local.retention.bytes': {
    type: long({ min: -2 }),
    default: '-2',
    doc: 'Local retention size of tiered logs.',
    withoutEffect: true,
  },
  'log.local.retention.ms': {
    type: long({ min: -2 }),
    default: '-2',
    doc: 'Local retention time of tiered logs.',
    withoutEffect: true,
  },
  'log.message.timestamp.after.max.ms': {
    type: long({ min: 0 }),
    default: '9223372036854775807',
    doc: 'Default maximum difference by which the timestamp of a record may be ahead of the broker clock.',
    withoutEffect: true,
  },
  'log.message.timestamp.before.max.ms': {
    type: long({ min: 0 }),
    default: '9223372036854775807',
    doc: 'Default maximum difference by which the timestamp of a record may be behind the broker clock.',
    withoutEffect: true,
  },
  'log.message.timestamp.type': {
    type: oneOf('CreateTime', 'LogAppendTime'),
    default: 'CreateTime',
    doc: 'Default timestamp type of topics: CreateTime (set by the producer) or LogAppendTime (set by the broker).',
    perBroker: true,
  },
  'log.preallocate': {
    type: bool,
    default: 'false',
    doc: 'Whether segment files are preallocated.',
    withoutEffect: true,
  },
  'log.retention.bytes': {
    type: long({ min: -1 }),
    default: '-1',
    doc: 'Default retention size per partition; the oldest records are deleted beyond it. -1 is unlimited.',
  },
  'log.retention.check.interval.ms': {
    type: long({ min: 1 }),
    default: '300000',
    readOnly: true,
    doc: 'The interval of retention checks.',
  },
  'log.retention.ms': {
    type: long({ min: -1 }),
    default: '86400000',
    doc: 'Default retention time of topics; -1 is unlimited.',
  },
  'log.roll.jitter.ms': {
    type: long({ min: 0 }),
    default: '0',
    doc: 'The maximum random jitter subtracted from log.roll.ms.',
    withoutEffect: true,
  },
  'log.roll.ms': {
    type: long({ min: 1 }),
    default: '604800000',
    doc: 'Default time that the newest records of compacted topics stay uncompacted; at most 15 minutes.',
  },
  'log.segment.bytes': {
    type: int({ min: 1_048_576 }),
    default: '1073741824',
    doc: 'The maximum size of a log segment.',
    withoutEffect: true,
  },
  'log.segment.delete.delay.ms': {
    type: long({ min: 0 }),
    default: '60000',
    doc: 'The delay before an unreferenced file is deleted.',
    withoutEffect: true,
  },
  'message.max.bytes': {
    type: int({ min: 0, max: clusterLimits.messageBytesMax }),
    doc: 'Default maximum batch size of topics. If unset, the limit of the agent applies.',
    perBroker: true,
  },
  'min.insync.replicas': {
    type: int({ min: 1 }),
    default: '1',
    doc: 'The minimum number of in-sync replicas for acks=all. The object store replicates the data.',
    withoutEffect: true,
  },
  'num.partitions': {
    type: int({ min: 1, max: coreLimits.partitionsPerTopicMax }),
    default: '1',
    doc: 'Default number of partitions of new topics.',
  },
  'offset.metadata.max.bytes': {
    type: int({ min: 0, max: clusterLimits.offsetMetadataCharsMax }),
    default: '4096',
    doc: 'The maximum size of the metadata that a client stores with a committed offset.',
  },
  'offsets.retention.minutes': {
    type: int({ min: 1 }),
    default: '10080',
    doc: 'How long committed offsets of a group are kept after its last member has left.',
  },
  'producer.id.expiration.ms': {
    type: long({ min: 1 }),
    default: String(clusterLimits.producerStateMsMax),
    readOnly: true,
    doc: 'How long the state of an inactive producer id is kept for deduplication.',
  },
  'service.acl.shadowing.enabled': {
    type: bool,
    default: 'false',
    doc: 'Whether ACLs run in shadow mode: requests that they would deny are logged and allowed. Mutually exclusive with service.acls.enabled.',
  },
  'service.acls.enabled': {
    type: bool,
    default: 'false',
    doc: 'Whether ACLs are enforced: requests that no ACL allows are denied, except for superusers. Mutually exclusive with service.acl.shadowing.enabled.',
  },
  'service.bucket.url': {
    type: url,
    ownersOnly:
      'cannot be set over the Kafka protocol; set bucket_url with update_virtual_cluster_configuration of the API, as an admin',
    doc: 'The bucket for new files; overrides -bucketURL of the agents, which switch within seconds. Existing files are not moved. Can only be set through the API.',
  },
  'service.dead.file.scan.interval.ms': {
    type: long({ min: 60_000 }),
    default: '3600000',
    doc: 'The interval of scans for orphaned files, which were written but never committed. Orphans older than six hours are deleted like other unreferenced files.',
  },
  'service.dead.file.scan.orphan.percent.max': {
    type: int({ min: 0, max: 100 }),
    default: '50',
    doc: 'Safety limit of the orphan scan: if it finds more than 1000 orphaned files and more than this percentage of all files, it stops and deletes none, because the database probably does not belong to the bucket. To delete them anyway, set 100 until the next scan is done.',
  },
  'service.default.partitions_auto_scaler.enabled': {
    type: bool,
    default: 'false',
    doc: 'Default for partition auto-scaling of topics. Compacted topics must enable it themselves.',
  },
  'service.default.partitions_auto_scaler.max_partition_count': {
    type: int({ min: 1 }),
    doc: 'Default maximum number of partitions that the auto-scaler creates per topic.',
  },
  'service.default.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second': {
    type: long({ min: 1 }),
    doc: 'The target throughput per partition of the auto-scaler, before compression. If unset, the auto-scaler is inactive.',
  },
  'service.default.topic.type': {
    type: oneOf('classic', 'lightning'),
    default: 'classic',
    doc: 'Default type of topics.',
    withoutEffect: true,
    refusedValues: { lightning: noLightning },
  },
  ...eventConfigs,
  'service.file.delete.delay.ms': {
    type: long({ min: 60_000 }),
    default: '600000',
    doc: 'The delay before an unreferenced file is deleted from the bucket, so that fetches in progress can finish.',
  },
  'service.file.delete.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether unreferenced files are deleted from the bucket. If false, they stay, and the diagnostic dead_files_growing reports them.',
  },
  'service.soft.delete.topic.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether deleted topics can be restored until service.soft.delete.topic.ttl.ms has passed.',
  },
  'service.soft.delete.topic.ttl.ms': {
    type: long({ min: 0 }),
    default: '86400000',
    doc: 'How long deleted topics can be restored.',
  },
  'transaction.max.timeout.ms': {
    type: int({ min: 1 }),
    default: String(clusterLimits.transactionTimeoutMsMax),
    readOnly: true,
    doc: 'The maximum timeout of transactions.',
  },
  'transactional.id.expiration.ms': {
    type: long({ min: 1 }),
    default: String(clusterLimits.transactionalIdMsMax),
    readOnly: true,
    doc: 'How long an inactive transactional id is kept.',
  },
  'unclean.leader.election.enable': {
    type: bool,
    default: 'false',
    doc: 'Whether a replica that is not in sync can become leader.',
    withoutEffect: true,
  },
} as const satisfies Record<string, ConfigRow>;

export type ClusterConfigName = keyof typeof clusterConfigs;

/** Finer units first: if several aliases of one config are set together, the finest takes precedence, as in Kafka. */
export const clusterConfigAliases = {
  'log.retention.minutes': { of: 'log.retention.ms', times: 60_000 },
  'log.retention.hours': { of: 'log.retention.ms', times: 3_600_000 },
  'log.roll.hours': { of: 'log.roll.ms', times: 3_600_000 },
  'log.roll.jitter.hours': { of: 'log.roll.jitter.ms', times: 3_600_000 },
  'service.soft.delete.topic.ttl.hours': { of: 'service.soft.delete.topic.ttl.ms', times: 3_600_000 },
  'service.default.partitions_auto_scaler.max_partitions': {
    of: 'service.default.partitions_auto_scaler.max_partition_count',
  },
} satisfies Record<string, ConfigAlias & { readonly of: ClusterConfigName }>;
