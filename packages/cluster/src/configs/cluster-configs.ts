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
    doc: 'Whether a topic is made when a client asks for one that is not there.',
  },
  'compression.gzip.level': {
    type: int({ min: -1, max: 9 }),
    default: '-1',
    doc: 'How hard gzip tries for topics that do not say otherwise, from 1 to 9; -1 is its own choice.',
    withoutEffect: true,
  },
  'compression.lz4.level': {
    type: int({ min: 1, max: 17 }),
    default: '9',
    doc: 'How hard lz4 tries for topics that do not say otherwise.',
    withoutEffect: true,
  },
  'compression.type': {
    type: oneOf('producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'),
    default: 'producer',
    doc: 'The codec of fetched batches of topics that do not say otherwise; producer leaves them as they were written, which so far happens with every value.',
    withoutEffect: true,
  },
  'compression.zstd.level': {
    type: int({ min: -131_072, max: 22 }),
    default: '3',
    doc: 'How hard zstd tries for topics that do not say otherwise.',
    withoutEffect: true,
  },
  'default.replication.factor': {
    type: int({ min: 1 }),
    default: '3',
    readOnly: true,
    doc: 'The value that tools see. Object storage does the replication.',
  },
  'delete.topic.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether topics can be deleted.',
  },
  'group.consumer.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '1000',
    doc: 'How far apart two assignments of a consumer group are at least, unless the group says otherwise; the first one of a group does not wait.',
  },
  'group.consumer.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    default: '5000',
    doc: 'How often members of a consumer group send heartbeats, unless the group says otherwise.',
  },
  'group.consumer.max.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '15000',
    doc: 'The longest assignment interval that one consumer group may have by its own config.',
  },
  'group.consumer.max.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    default: '15000',
    doc: 'The longest heartbeat interval that one consumer group may have by its own config.',
  },
  'group.consumer.max.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '60000',
    doc: 'The longest session timeout that one consumer group may have by its own config.',
  },
  'group.consumer.max.size': {
    type: int({ min: 1, max: coreLimits.groupMembersMax }),
    default: String(coreLimits.groupMembersMax),
    doc: 'How many members a consumer group can have.',
  },
  'group.consumer.migration.policy': {
    type: oneOf('bidirectional', 'upgrade', 'downgrade', 'disabled'),
    default: 'bidirectional',
    doc: 'Whether classic groups with members become consumer groups when a member of that kind joins (upgrade), and classic ones again when the last of them leaves (downgrade).',
  },
  'group.consumer.min.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '0',
    doc: 'The shortest assignment interval that one consumer group may have by its own config.',
  },
  'group.consumer.min.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    default: '5000',
    doc: 'The shortest heartbeat interval that one consumer group may have by its own config.',
  },
  'group.consumer.min.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '45000',
    doc: 'The shortest session timeout that one consumer group may have by its own config.',
  },
  'group.consumer.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '45000',
    doc: 'How long a member of a consumer group may be silent, unless the group says otherwise.',
  },
  'group.initial.rebalance.delay.ms': {
    type: int({ min: 0 }),
    default: '3000',
    doc: 'How long the first rebalance of an empty group waits for more members.',
  },
  'group.max.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '1800000',
    doc: 'The longest session timeout that a member of a classic group may have.',
  },
  'group.max.size': {
    type: int({ min: 1, max: coreLimits.groupMembersMax }),
    default: String(coreLimits.groupMembersMax),
    doc: 'How many members a classic group can have.',
  },
  'group.min.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '6000',
    doc: 'The shortest session timeout that a member of a classic group may have.',
  },
  'group.share.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '1000',
    doc: 'How far apart two assignments of a share group are at least, unless the group says otherwise; the first one of a group does not wait.',
  },
  'group.share.delivery.count.limit': {
    type: int({ min: 2, max: 10 }),
    default: '5',
    doc: 'How often a record is given to the members of a share group before it is given up.',
  },
  'group.share.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    default: '5000',
    doc: 'How often members of a share group send heartbeats, unless the group says otherwise.',
  },
  'group.share.max.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '15000',
    doc: 'The longest assignment interval that one share group may have by its own config.',
  },
  'group.share.max.size': {
    type: int({ min: 1, max: clusterLimits.shareGroupMembersMax }),
    default: '200',
    doc: 'How many members a share group may have.',
  },
  'group.share.min.assignment.interval.ms': {
    type: int({ min: 0 }),
    default: '0',
    doc: 'The shortest assignment interval that one share group may have by its own config.',
  },
  'group.share.partition.max.record.locks': {
    type: int({ min: 100, max: 10_000 }),
    default: '2000',
    doc: 'How many records of a partition the members of a share group may have at a time.',
  },
  'group.share.record.lock.duration.ms': {
    type: int({ min: 1000, max: 3_600_000 }),
    default: '30000',
    doc: 'How long a member of a share group has for a record before another one gets it, unless the group says otherwise.',
  },
  'group.share.session.timeout.ms': {
    type: int({ min: 1 }),
    default: '45000',
    doc: 'How long a member of a share group may be silent, unless the group says otherwise.',
  },
  'log.cleaner.delete.retention.ms': {
    type: long({ min: 0 }),
    default: '86400000',
    doc: 'How long compacted topics keep tombstones, unless they say otherwise.',
  },
  'log.cleaner.max.compaction.lag.ms': {
    type: long({ min: 1 }),
    default: '9223372036854775807',
    doc: 'After what time at the latest a record of a compacted topic is compacted, unless the topic says otherwise.',
  },
  'log.cleaner.min.cleanable.ratio': {
    type: double({ min: 0, max: 1 }),
    default: '0.5',
    doc: 'What part of a compacted topic has to be new before it is compacted again, unless the topic says otherwise.',
  },
  'log.cleaner.min.compaction.lag.ms': {
    type: long({ min: 0 }),
    default: '0',
    doc: 'For how long a record of a compacted topic is not compacted, unless the topic says otherwise.',
  },
  'log.cleanup.policy': {
    type: anyOf('delete', 'compact'),
    default: 'delete',
    readOnly: true,
    doc: 'What becomes of old records of topics that do not say otherwise.',
  },
  'log.flush.interval.messages': {
    type: long({ min: 1 }),
    default: '9223372036854775807',
    doc: 'After how many records a log is forced to disk. Here a record is safe before it is acknowledged.',
    withoutEffect: true,
  },
  'log.flush.interval.ms': {
    type: long({ min: 0 }),
    default: '9223372036854775807',
    doc: 'After what time a log is forced to disk. Here a record is safe before it is acknowledged.',
    withoutEffect: true,
  },
  'log.index.interval.bytes': {
    type: int({ min: 0 }),
    default: '4096',
    doc: 'How far apart the entries of an offset index are.',
    withoutEffect: true,
  },
  'log.index.size.max.bytes': {
    type: int({ min: 4 }),
    default: '10485760',
    doc: 'How large the index of a segment becomes.',
    withoutEffect: true,
  },
  'log.local.retention.bytes': {
    type: long({ min: -2 }),
    default: '-2',
    doc: 'How much of a tiered log stays on local disks.',
    withoutEffect: true,
  },
  'log.local.retention.ms': {
    type: long({ min: -2 }),
    default: '-2',
    doc: 'How long a tiered log stays on local disks.',
    withoutEffect: true,
  },
  'log.message.timestamp.after.max.ms': {
    type: long({ min: 0 }),
    default: '9223372036854775807',
    doc: 'How far ahead of the clock the time of a record may be, unless its topic says otherwise.',
    withoutEffect: true,
  },
  'log.message.timestamp.before.max.ms': {
    type: long({ min: 0 }),
    default: '9223372036854775807',
    doc: 'How far behind the clock the time of a record may be, unless its topic says otherwise.',
    withoutEffect: true,
  },
  'log.message.timestamp.type': {
    type: oneOf('CreateTime', 'LogAppendTime'),
    default: 'CreateTime',
    doc: 'Whether records have the time of their producer or that of their arrival, unless their topic says otherwise.',
    perBroker: true,
  },
  'log.preallocate': {
    type: bool,
    default: 'false',
    doc: 'Whether the room of a segment is taken when it is begun.',
    withoutEffect: true,
  },
  'log.retention.bytes': {
    type: long({ min: -1 }),
    default: '-1',
    doc: 'How much a partition keeps, unless its topic says otherwise; its oldest records go when it is larger. -1 is without limit.',
  },
  'log.retention.check.interval.ms': {
    type: long({ min: 1 }),
    default: '300000',
    readOnly: true,
    doc: 'How often records are looked for that are too old or too many.',
  },
  'log.retention.ms': {
    type: long({ min: -1 }),
    default: '86400000',
    doc: 'How long topics keep records unless they say otherwise; -1 is for ever.',
  },
  'log.roll.jitter.ms': {
    type: long({ min: 0 }),
    default: '0',
    doc: 'By how much log.roll.ms is shortened at random.',
    withoutEffect: true,
  },
  'log.roll.ms': {
    type: long({ min: 1 }),
    default: '604800000',
    doc: 'How long the newest records of compacted topics are not compacted, unless they say otherwise; at most 15 minutes.',
  },
  'log.segment.bytes': {
    type: int({ min: 1_048_576 }),
    default: '1073741824',
    doc: 'How large a segment of a log becomes.',
    withoutEffect: true,
  },
  'log.segment.delete.delay.ms': {
    type: long({ min: 0 }),
    default: '60000',
    doc: 'How long a file stays after nothing needs it any more.',
    withoutEffect: true,
  },
  'message.max.bytes': {
    type: int({ min: 0, max: clusterLimits.messageBytesMax }),
    doc: 'The largest record of topics that do not say otherwise. Unset, the limit of the agent counts.',
    perBroker: true,
  },
  'min.insync.replicas': {
    type: int({ min: 1 }),
    default: '1',
    doc: 'How many replicas must have a record before it is acknowledged. Object storage does the replication.',
    withoutEffect: true,
  },
  'num.partitions': {
    type: int({ min: 1, max: coreLimits.partitionsPerTopicMax }),
    default: '1',
    doc: 'The number of partitions of topics that are made without one.',
  },
  'offset.metadata.max.bytes': {
    type: int({ min: 0, max: clusterLimits.offsetMetadataCharsMax }),
    default: '4096',
    doc: 'How long the text may be that a client stores with a committed offset.',
  },
  'offsets.retention.minutes': {
    type: int({ min: 1 }),
    default: '10080',
    doc: 'How long the offsets of a group are kept after its last member left.',
  },
  'producer.id.expiration.ms': {
    type: long({ min: 1 }),
    default: String(clusterLimits.producerStateMsMax),
    readOnly: true,
    doc: 'How long a producer that is silent is remembered, so that what it sends twice is recognised.',
  },
  'service.acl.shadowing.enabled': {
    type: bool,
    default: 'false',
    doc: 'Whether ACLs are tried out: what they would deny is logged and happens all the same. Not together with service.acls.enabled.',
  },
  'service.acls.enabled': {
    type: bool,
    default: 'false',
    doc: 'Whether ACLs are enforced: then only superusers may do what no ACL allows. Not together with service.acl.shadowing.enabled.',
  },
  'service.bucket.url': {
    type: url,
    ownersOnly:
      'cannot be set over Kafka; an admin sets bucket_url by update_virtual_cluster_configuration of the API',
    doc: 'The bucket that gets new files instead of those that agents were started with. Running agents follow it within seconds; files stay where they are, and are read and merged from there. Set through the API alone.',
  },
  'service.dead.file.scan.interval.ms': {
    type: long({ min: 60_000 }),
    default: '3600000',
    doc: 'How often the buckets are searched for files that were written and never committed. Those that are at least six hours old are deleted as dead files are.',
  },
  'service.dead.file.scan.orphan.percent.max': {
    type: int({ min: 0, max: 100 }),
    default: '50',
    doc: 'A search that finds more than a thousand files that were never committed, and more than this share of all files, stops and deletes none: probably the database is not the one of the bucket. Set it to 100 until the next search is done if they are to be deleted.',
  },
  'service.default.partitions_auto_scaler.enabled': {
    type: bool,
    default: 'false',
    doc: 'Whether topics get more partitions by themselves unless they say otherwise. Compacted topics do so only if they say it themselves.',
  },
  'service.default.partitions_auto_scaler.max_partition_count': {
    type: int({ min: 1 }),
    doc: 'The auto-scaler never makes more partitions of a topic than this, unless the topic says otherwise.',
  },
  'service.default.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second': {
    type: long({ min: 1 }),
    doc: 'The throughput of one partition, before compression, that the auto-scaler aims at. Unset, it does nothing.',
  },
  'service.default.topic.type': {
    type: oneOf('classic', 'lightning'),
    default: 'classic',
    doc: 'The type of topics that do not say otherwise.',
    withoutEffect: true,
    refusedValues: { lightning: noLightning },
  },
  ...eventConfigs,
  'service.file.delete.delay.ms': {
    type: long({ min: 60_000 }),
    default: '600000',
    doc: 'How long a file stays in the bucket after nothing refers to it any more, so that consumers that read it can finish.',
  },
  'service.file.delete.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether files that nothing refers to any more are deleted from the bucket. Otherwise they stay, and the diagnostic dead_files_growing counts them.',
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
  'transaction.max.timeout.ms': {
    type: int({ min: 1 }),
    default: String(clusterLimits.transactionTimeoutMsMax),
    readOnly: true,
    doc: 'The longest that a transaction may be open.',
  },
  'transactional.id.expiration.ms': {
    type: long({ min: 1 }),
    default: String(clusterLimits.transactionalIdMsMax),
    readOnly: true,
    doc: 'How long an unused transactional id is remembered.',
  },
  'unclean.leader.election.enable': {
    type: bool,
    default: 'false',
    doc: 'Whether a replica that lacks records may become leader.',
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
