import type { ConfigAlias, ConfigRow } from './config-row.ts';
import { bool, int, long, oneOf, someOf } from './config-type.ts';

const subjectNameStrategy = oneOf('TopicNameStrategy', 'RecordNameStrategy', 'TopicRecordNameStrategy');

/** Every config that a topic can have. Others are ignored, except that unknown names of ours are refused. */
export const topicConfigs = {
  'cleanup.policy': {
    type: someOf('delete', 'compact'),
    default: 'delete',
    synonym: 'log.cleanup.policy',
    doc: 'What becomes of old records: delete removes them after the retention, compact keeps the last one of every key.',
  },
  'compression.type': {
    type: oneOf('producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'),
    default: 'producer',
    synonym: 'compression.type',
    doc: 'The codec of fetched batches; producer leaves them as they were written.',
  },
  'max.message.bytes': {
    type: int({ min: 0 }),
    synonym: 'message.max.bytes',
    doc: 'The largest record. Unset, the limit of the cluster counts, and then that of the agent.',
  },
  'message.timestamp.type': {
    type: oneOf('CreateTime', 'LogAppendTime'),
    default: 'CreateTime',
    synonym: 'log.message.timestamp.type',
    doc: 'Whether a record has the time of its producer or that of its arrival.',
  },
  'retention.ms': {
    type: long({ min: -1 }),
    synonym: 'log.retention.ms',
    doc: 'How long records are kept; -1 is for ever.',
  },
  'service.deletion.protection.enabled': {
    type: bool,
    default: 'false',
    doc: 'Whether the topic refuses to be deleted.',
  },
  'service.key.schema.validation': {
    type: bool,
    default: 'false',
    doc: 'Whether keys must fit their schema.',
  },
  'service.key.subject.name.strategy': {
    type: subjectNameStrategy,
    default: 'TopicNameStrategy',
    doc: 'How the subject of a key is named.',
  },
  'service.partitions_auto_scaler.enabled': {
    type: bool,
    synonym: 'service.default.partitions_auto_scaler.enabled',
    doc: 'Whether the topic gets more partitions when its throughput asks for them.',
  },
  'service.partitions_auto_scaler.max_partition_count': {
    type: int({ min: 1 }),
    synonym: 'service.default.partitions_auto_scaler.max_partition_count',
    doc: 'The auto-scaler never makes more partitions than this.',
  },
  'service.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second': {
    type: long({ min: 1 }),
    synonym: 'service.default.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second',
    doc: 'The throughput of one partition, before compression, that the auto-scaler aims at.',
  },
  'service.schema.validation.warning.only': {
    type: bool,
    default: 'false',
    doc: 'Whether records that do not fit their schema are only counted, not refused.',
  },
  'service.topic.type': {
    type: oneOf('classic', 'lightning'),
    synonym: 'service.default.topic.type',
    doc: 'classic acknowledges a record when its place in the log is decided, lightning when its bytes are safe.',
  },
  'service.value.schema.validation': {
    type: bool,
    default: 'false',
    doc: 'Whether values must fit their schema.',
  },
  'service.value.subject.name.strategy': {
    type: subjectNameStrategy,
    default: 'TopicNameStrategy',
    doc: 'How the subject of a value is named.',
  },
} as const satisfies Record<string, ConfigRow>;

export type TopicConfigName = keyof typeof topicConfigs;

export const topicConfigAliases = {
  'service.partitions_auto_scaler.max_partitions': {
    of: 'service.partitions_auto_scaler.max_partition_count',
  },
} satisfies Record<string, ConfigAlias & { readonly of: TopicConfigName }>;
