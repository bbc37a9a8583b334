import { clusterLimits } from '../limits.ts';
import type { ConfigAlias, ConfigRow } from './config-row.ts';
import { anyOf, bool, double, int, long, oneOf, words } from './config-type.ts';

const subjectNameStrategy = oneOf('TopicNameStrategy', 'RecordNameStrategy', 'TopicRecordNameStrategy');
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
    group: 'retention',
    doc: 'The cleanup policy: delete removes records by retention, compact keeps the latest record per key. Both can be set; if empty, records are kept. Kafka clients can change it at any time; the API cannot switch between compacted and non-compacted.',
  },
  'compression.gzip.level': {
    type: int({ min: -1, max: 9 }),
    synonym: 'compression.gzip.level',
    group: 'compression',
    doc: 'The gzip compression level, 1 to 9; -1 is the codec default.',
    withoutEffect: true,
  },
  'compression.lz4.level': {
    type: int({ min: 1, max: 17 }),
    synonym: 'compression.lz4.level',
    group: 'compression',
    doc: 'The lz4 compression level.',
    withoutEffect: true,
  },
  'compression.type': {
    type: oneOf('producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'),
    synonym: 'compression.type',
    group: 'compression',
    doc: 'The compression codec of the topic. Batches always keep the codec of the producer.',
    withoutEffect: true,
  },
  'compression.zstd.level': {
    type: int({ min: -131_072, max: 22 }),
    synonym: 'compression.zstd.level',
    group: 'compression',
    doc: 'The zstd compression level.',
    withoutEffect: true,
  },
  'delete.retention.ms': {
    type: long({ min: 0 }),
    synonym: 'log.cleaner.delete.retention.ms',
    group: 'compaction',
    doc: 'How long a compacted topic keeps tombstones (records with a null value) after the first compaction that processed them.',
  },
  'file.delete.delay.ms': {
    type: long({ min: 0 }),
    synonym: 'log.segment.delete.delay.ms',
    group: 'segments',
    doc: 'The delay before an unreferenced file is deleted.',
    withoutEffect: true,
  },
  'flush.messages': {
    type: long({ min: 1 }),
    synonym: 'log.flush.interval.messages',
    group: 'segments',
    doc: 'The number of records after which a log is flushed. Records are durable in the object store before they are acknowledged.',
    withoutEffect: true,
  },
  'flush.ms': {
    type: long({ min: 0 }),
    synonym: 'log.flush.interval.ms',
    group: 'segments',
    doc: 'The time after which a log is flushed. Records are durable in the object store before they are acknowledged.',
    withoutEffect: true,
  },
  'follower.replication.throttled.replicas': {
    type: throttledReplicas,
    default: '',
    group: 'replication',
    doc: 'The replicas whose replication is throttled on the follower.',
    withoutEffect: true,
  },
  'index.interval.bytes': {
    type: int({ min: 0 }),
    synonym: 'log.index.interval.bytes',
    group: 'segments',
    doc: 'The interval between entries of the offset index.',
    withoutEffect: true,
  },
  'leader.replication.throttled.replicas': {
    type: throttledReplicas,
    default: '',
    group: 'replication',
    doc: 'The replicas whose replication is throttled on the leader.',
    withoutEffect: true,
  },
  'local.retention.bytes': {
    type: long({ min: -2 }),
    synonym: 'log.local.retention.bytes',
    group: 'segments',
    doc: 'Local retention size of a tiered log; -2 is retention.bytes.',
    withoutEffect: true,
  },
  'local.retention.ms': {
    type: long({ min: -2 }),
    synonym: 'log.local.retention.ms',
    group: 'segments',
    doc: 'Local retention time of a tiered log; -2 is retention.ms.',
    withoutEffect: true,
  },
  'max.compaction.lag.ms': {
    type: long({ min: 1 }),
    synonym: 'log.cleaner.max.compaction.lag.ms',
    group: 'compaction',
    doc: 'The maximum time that a record of a compacted topic stays uncompacted, even below min.cleanable.dirty.ratio.',
  },
  'max.message.bytes': {
    type: int({ min: 0, max: clusterLimits.messageBytesMax }),
    synonym: 'message.max.bytes',
    group: 'limits',
    doc: 'The maximum batch size. If unset, the limit of the cluster applies, then that of the agent.',
  },
  'message.timestamp.after.max.ms': {
    type: long({ min: 0 }),
    synonym: 'log.message.timestamp.after.max.ms',
    group: 'timestamps',
    doc: 'The maximum difference by which the timestamp of a record may be ahead of the broker clock.',
    withoutEffect: true,
  },
  'message.timestamp.before.max.ms': {
    type: long({ min: 0 }),
    synonym: 'log.message.timestamp.before.max.ms',
    group: 'timestamps',
    doc: 'The maximum difference by which the timestamp of a record may be behind the broker clock.',
    withoutEffect: true,
  },
  'message.timestamp.type': {
    type: oneOf('CreateTime', 'LogAppendTime'),
    synonym: 'log.message.timestamp.type',
    group: 'timestamps',
    doc: 'The timestamp type: CreateTime (set by the producer) or LogAppendTime (set by the broker).',
  },
  'min.cleanable.dirty.ratio': {
    type: double({ min: 0, max: 1 }),
    synonym: 'log.cleaner.min.cleanable.ratio',
    group: 'compaction',
    doc: 'The minimum share of dirty bytes before a partition of a compacted topic is compacted again.',
  },
  'min.compaction.lag.ms': {
    type: long({ min: 0 }),
    synonym: 'log.cleaner.min.compaction.lag.ms',
    group: 'compaction',
    doc: 'The minimum time that a record of a compacted topic stays uncompacted.',
  },
  'min.insync.replicas': {
    type: int({ min: 1 }),
    synonym: 'min.insync.replicas',
    group: 'replication',
    doc: 'The minimum number of in-sync replicas for acks=all. The object store replicates the data.',
    withoutEffect: true,
  },
  preallocate: {
    type: bool,
    synonym: 'log.preallocate',
    group: 'segments',
    doc: 'Whether segment files are preallocated.',
    withoutEffect: true,
  },
  'remote.log.copy.disable': {
    type: bool,
    default: 'false',
    group: 'segments',
    doc: 'Whether a tiered topic stops copying to remote storage.',
    withoutEffect: true,
  },
  'remote.log.delete.on.disable': {
    type: bool,
    default: 'false',
    group: 'segments',
    doc: 'Whether remote data is deleted when tiered storage is disabled.',
    withoutEffect: true,
  },
  'remote.storage.enable': {
    type: bool,
    default: 'false',
    group: 'segments',
    doc: 'Whether tiered storage is enabled. All records are in the object store from the start, so it cannot be enabled.',
    withoutEffect: true,
    refusedValues: {
      true: 'all records are in the object store from the start; leave it false',
    },
  },
  'retention.bytes': {
    type: long({ min: -1 }),
    synonym: 'log.retention.bytes',
    group: 'retention',
    doc: 'The retention size per partition; the oldest records are deleted beyond it. -1 is unlimited.',
  },
  'retention.ms': {
    type: long({ min: -1 }),
    synonym: 'log.retention.ms',
    group: 'retention',
    doc: 'The retention time of records; -1 is unlimited.',
  },
  'segment.bytes': {
    type: int({ min: 1_048_576 }),
    synonym: 'log.segment.bytes',
    group: 'segments',
    doc: 'The maximum size of a log segment.',
    withoutEffect: true,
  },
  'segment.index.bytes': {
    type: int({ min: 4 }),
    synonym: 'log.index.size.max.bytes',
    group: 'segments',
    doc: 'The maximum size of a segment index.',
    withoutEffect: true,
  },
  'segment.jitter.ms': {
    type: long({ min: 0 }),
    synonym: 'log.roll.jitter.ms',
    group: 'segments',
    doc: 'The maximum random jitter subtracted from segment.ms.',
    withoutEffect: true,
  },
  'segment.ms': {
    type: long({ min: 1 }),
    synonym: 'log.roll.ms',
    group: 'compaction',
    doc: 'How long the newest records of a compacted topic stay uncompacted, at most 15 minutes. There are no segments otherwise.',
  },
  'service.deletion.protection.enabled': {
    type: bool,
    default: 'false',
    group: 'topics',
    doc: 'Whether deletion of the topic is refused.',
  },
  'service.key.schema.validation': {
    type: bool,
    default: 'false',
    group: 'schemas',
    doc: 'Whether keys are validated: each must carry the id of a schema registered under the right subject, and match it. Null keys pass.',
  },
  'service.key.subject.name.strategy': {
    type: subjectNameStrategy,
    default: 'TopicNameStrategy',
    group: 'schemas',
    doc: 'The subject name strategy of validated keys.',
  },
  'service.partitions_auto_scaler.enabled': {
    type: bool,
    synonym: 'service.default.partitions_auto_scaler.enabled',
    group: 'scaling',
    doc: 'Whether partitions are added automatically as throughput grows. Adding partitions moves keys to other partitions, so compacted topics must enable it themselves.',
  },
  'service.partitions_auto_scaler.max_partition_count': {
    type: int({ min: 1 }),
    synonym: 'service.default.partitions_auto_scaler.max_partition_count',
    group: 'scaling',
    doc: 'The maximum number of partitions that the auto-scaler creates.',
  },
  'service.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second': {
    type: long({ min: 1 }),
    synonym: 'service.default.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second',
    group: 'scaling',
    doc: 'The target throughput per partition of the auto-scaler, before compression. If unset, the auto-scaler is inactive.',
  },
  'service.schema.validation.warning.only': {
    type: bool,
    default: 'false',
    group: 'schemas',
    doc: 'Whether records that fail schema validation are only counted instead of rejected.',
  },
  'service.topic.type': {
    type: oneOf('classic', 'lightning'),
    synonym: 'service.default.topic.type',
    group: 'topics',
    doc: 'When records are acknowledged: `classic` acknowledges once their offsets are assigned, `lightning` as soon as they are stored, without offsets. Lightning topics take no idempotent and no transactional producers.',
  },
  'service.value.schema.validation': {
    type: bool,
    default: 'false',
    group: 'schemas',
    doc: 'Whether values are validated: each must carry the id of a schema registered under the right subject, and match it. Null values pass.',
  },
  'service.value.subject.name.strategy': {
    type: subjectNameStrategy,
    default: 'TopicNameStrategy',
    group: 'schemas',
    doc: 'The subject name strategy of validated values.',
  },
  'unclean.leader.election.enable': {
    type: bool,
    synonym: 'unclean.leader.election.enable',
    group: 'replication',
    doc: 'Whether a replica that is not in sync can become leader.',
    withoutEffect: true,
  },
} as const satisfies Record<string, ConfigRow>;

export type TopicConfigName = keyof typeof topicConfigs;

export const topicConfigAliases = {
  'service.partitions_auto_scaler.max_partitions': {
    of: 'service.partitions_auto_scaler.max_partition_count',
  },
} satisfies Record<string, ConfigAlias & { readonly of: TopicConfigName }>;
