import { clusterLimits } from '../limits.ts';
import type { ConfigAlias, ConfigRow } from './config-row.ts';
import { anyOf, bool, double, int, long, oneOf, words } from './config-type.ts';

const subjectNameStrategy = oneOf('TopicNameStrategy', 'RecordNameStrategy', 'TopicRecordNameStrategy');
export const noLightning = 'this release has no lightning topics; leave it classic';
const throttledReplicas = words('"*" or partition:broker', (word) => /^(\*|\d{1,10}:\d{1,10})$/.test(word));

/**
 * Every config of a topic: all of Apache Kafka 4.3 and our own. Others are refused. Those about segments, indexes,
 * replicas and tiers are listed because tools set them and compare what they read; they have no effect on object
 * storage.
 */
export const topicConfigs = {
  'cleanup.policy': {
    type: anyOf('delete', 'compact'),
    synonym: 'log.cleanup.policy',
    doc: 'What becomes of old records: delete removes them after the retention, and compact removes those that have a newer one with the same key. Both may be set; with neither, records stay. Clients can change it at any time, the API not between compacted and non-compacted.',
  },
  'compression.gzip.level': {
    type: int({ min: -1, max: 9 }),
    synonym: 'compression.gzip.level',
    doc: 'How hard gzip tries, from 1 to 9; -1 is its own choice.',
    withoutEffect: true,
  },
  'compression.lz4.level': {
    type: int({ min: 1, max: 17 }),
    synonym: 'compression.lz4.level',
    doc: 'How hard lz4 tries.',
    withoutEffect: true,
  },
  'compression.type': {
    type: oneOf('producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'),
    synonym: 'compression.type',
    doc: 'The codec of fetched batches; producer leaves them as they were written, which so far happens with every value.',
    withoutEffect: true,
  },
  'compression.zstd.level': {
    type: int({ min: -131_072, max: 22 }),
    synonym: 'compression.zstd.level',
    doc: 'How hard zstd tries.',
    withoutEffect: true,
  },
  'delete.retention.ms': {
    type: long({ min: 0 }),
    synonym: 'log.cleaner.delete.retention.ms',
    doc: 'How long a compacted topic keeps a tombstone, a record without a value that deletes its key, after the first compaction that met it.',
  },
  'file.delete.delay.ms': {
    type: long({ min: 0 }),
    synonym: 'log.segment.delete.delay.ms',
    doc: 'How long a file stays after nothing needs it any more.',
    withoutEffect: true,
  },
  'flush.messages': {
    type: long({ min: 1 }),
    synonym: 'log.flush.interval.messages',
    doc: 'After how many records a log is forced to disk. Here a record is safe before it is acknowledged.',
    withoutEffect: true,
  },
  'flush.ms': {
    type: long({ min: 0 }),
    synonym: 'log.flush.interval.ms',
    doc: 'After what time a log is forced to disk. Here a record is safe before it is acknowledged.',
    withoutEffect: true,
  },
  'follower.replication.throttled.replicas': {
    type: throttledReplicas,
    default: '',
    doc: 'The replicas whose copying is slowed down on the side that receives.',
    withoutEffect: true,
  },
  'index.interval.bytes': {
    type: int({ min: 0 }),
    synonym: 'log.index.interval.bytes',
    doc: 'How far apart the entries of an offset index are.',
    withoutEffect: true,
  },
  'leader.replication.throttled.replicas': {
    type: throttledReplicas,
    default: '',
    doc: 'The replicas whose copying is slowed down on the side that sends.',
    withoutEffect: true,
  },
  'local.retention.bytes': {
    type: long({ min: -2 }),
    synonym: 'log.local.retention.bytes',
    doc: 'How much of a tiered log stays on local disks; -2 is as much as retention.bytes.',
    withoutEffect: true,
  },
  'local.retention.ms': {
    type: long({ min: -2 }),
    synonym: 'log.local.retention.ms',
    doc: 'How long a tiered log stays on local disks; -2 is as long as retention.ms.',
    withoutEffect: true,
  },
  'max.compaction.lag.ms': {
    type: long({ min: 1 }),
    synonym: 'log.cleaner.max.compaction.lag.ms',
    doc: 'After what time a record of a compacted topic is compacted, even if too little is new for min.cleanable.dirty.ratio.',
  },
  'max.message.bytes': {
    type: int({ min: 0, max: clusterLimits.messageBytesMax }),
    synonym: 'message.max.bytes',
    doc: 'The largest record. Unset, the limit of the cluster counts, and then that of the agent.',
  },
  'message.timestamp.after.max.ms': {
    type: long({ min: 0 }),
    synonym: 'log.message.timestamp.after.max.ms',
    doc: 'How far ahead of the clock the time of a record may be.',
    withoutEffect: true,
  },
  'message.timestamp.before.max.ms': {
    type: long({ min: 0 }),
    synonym: 'log.message.timestamp.before.max.ms',
    doc: 'How far behind the clock the time of a record may be.',
    withoutEffect: true,
  },
  'message.timestamp.type': {
    type: oneOf('CreateTime', 'LogAppendTime'),
    synonym: 'log.message.timestamp.type',
    doc: 'Whether a record has the time of its producer or that of its arrival.',
  },
  'min.cleanable.dirty.ratio': {
    type: double({ min: 0, max: 1 }),
    synonym: 'log.cleaner.min.cleanable.ratio',
    doc: 'What part of a partition of a compacted topic has to be new before it is compacted again.',
  },
  'min.compaction.lag.ms': {
    type: long({ min: 0 }),
    synonym: 'log.cleaner.min.compaction.lag.ms',
    doc: 'For how long a record of a compacted topic is not compacted.',
  },
  'min.insync.replicas': {
    type: int({ min: 1 }),
    synonym: 'min.insync.replicas',
    doc: 'How many replicas must have a record before it is acknowledged. Object storage does the replication.',
    withoutEffect: true,
  },
  preallocate: {
    type: bool,
    synonym: 'log.preallocate',
    doc: 'Whether the room of a segment is taken when it is begun.',
    withoutEffect: true,
  },
  'remote.log.copy.disable': {
    type: bool,
    default: 'false',
    doc: 'Whether a tiered topic stops copying to the other tier.',
    withoutEffect: true,
  },
  'remote.log.delete.on.disable': {
    type: bool,
    default: 'false',
    doc: 'Whether what was copied to the other tier goes when tiering is turned off.',
    withoutEffect: true,
  },
  'remote.storage.enable': {
    type: bool,
    default: 'false',
    doc: 'Whether older records move to another tier. All records are in object storage from the start, so it cannot be turned on.',
    withoutEffect: true,
    refusedValues: {
      true: 'all records are in object storage from the start, and there is no other tier; leave it false',
    },
  },
  'retention.bytes': {
    type: long({ min: -1 }),
    synonym: 'log.retention.bytes',
    doc: 'How much a partition keeps; its oldest records go when it is larger. -1 is without limit.',
  },
  'retention.ms': {
    type: long({ min: -1 }),
    synonym: 'log.retention.ms',
    doc: 'How long records are kept; -1 is for ever.',
  },
  'segment.bytes': {
    type: int({ min: 1_048_576 }),
    synonym: 'log.segment.bytes',
    doc: 'How large a segment of a log becomes.',
    withoutEffect: true,
  },
  'segment.index.bytes': {
    type: int({ min: 4 }),
    synonym: 'log.index.size.max.bytes',
    doc: 'How large the index of a segment becomes.',
    withoutEffect: true,
  },
  'segment.jitter.ms': {
    type: long({ min: 0 }),
    synonym: 'log.roll.jitter.ms',
    doc: 'By how much segment.ms is shortened at random.',
    withoutEffect: true,
  },
  'segment.ms': {
    type: long({ min: 1 }),
    synonym: 'log.roll.ms',
    doc: 'How long the newest records of a compacted topic are not compacted, at most 15 minutes. There are no segments otherwise.',
  },
  'service.deletion.protection.enabled': {
    type: bool,
    default: 'false',
    doc: 'Whether the topic refuses to be deleted.',
  },
  'service.key.schema.validation': {
    type: bool,
    default: 'false',
    doc: 'Whether keys must name a schema that the registry has under the right subject, and fit it. Null keys pass.',
  },
  'service.key.subject.name.strategy': {
    type: subjectNameStrategy,
    default: 'TopicNameStrategy',
    doc: 'How the subject of a key is named, where keys are validated.',
  },
  'service.partitions_auto_scaler.enabled': {
    type: bool,
    synonym: 'service.default.partitions_auto_scaler.enabled',
    doc: 'Whether the topic gets more partitions when its throughput asks for them. Records with one key then lie in different partitions before and after, so that a compacted topic has to say so itself.',
  },
  'service.partitions_auto_scaler.max_partition_count': {
    type: int({ min: 1 }),
    synonym: 'service.default.partitions_auto_scaler.max_partition_count',
    doc: 'The auto-scaler never makes more partitions than this.',
  },
  'service.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second': {
    type: long({ min: 1 }),
    synonym: 'service.default.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second',
    doc: 'The throughput of one partition, before compression, that the auto-scaler aims at. Unset, it does nothing.',
  },
  'service.schema.validation.warning.only': {
    type: bool,
    default: 'false',
    doc: 'Whether records that do not fit their schema are only counted, not refused.',
  },
  'service.topic.type': {
    type: oneOf('classic', 'lightning'),
    synonym: 'service.default.topic.type',
    doc: 'How records are acknowledged: classic when their place in the log is decided.',
    withoutEffect: true,
    refusedValues: { lightning: noLightning },
  },
  'service.value.schema.validation': {
    type: bool,
    default: 'false',
    doc: 'Whether values must name a schema that the registry has under the right subject, and fit it. Null values pass.',
  },
  'service.value.subject.name.strategy': {
    type: subjectNameStrategy,
    default: 'TopicNameStrategy',
    doc: 'How the subject of a value is named, where values are validated.',
  },
  'unclean.leader.election.enable': {
    type: bool,
    synonym: 'unclean.leader.election.enable',
    doc: 'Whether a replica that lacks records may become leader.',
    withoutEffect: true,
  },
} as const satisfies Record<string, ConfigRow>;

export type TopicConfigName = keyof typeof topicConfigs;

export const topicConfigAliases = {
  'service.partitions_auto_scaler.max_partitions': {
    of: 'service.partitions_auto_scaler.max_partition_count',
  },
} satisfies Record<string, ConfigAlias & { readonly of: TopicConfigName }>;
