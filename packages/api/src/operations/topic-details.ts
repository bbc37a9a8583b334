import { coreLimits } from '@weir/core';
import * as z from 'zod';
import {
  count,
  examples,
  flag,
  integer,
  list,
  pageInput,
  pageOutput,
  text,
  time,
  topicName,
} from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { configDefinitionFields, configText } from './config-definition.ts';

const target = { topic_name: topicName().describe('The topic.') };
const exampleTarget = { topic_name: 'orders' };
const partitionNumber = () => count(coreLimits.partitionsPerTopicMax).describe('The partition.');

const configDefinition = z
  .object({
    ...configDefinitionFields,
    default: configText()
      .nullable()
      .describe('The value for topics that do not set it: that of the cluster, or the default.'),
  })
  .meta({ id: 'TopicConfigDefinition', description: 'A topic config.' });

const topicPartition = z
  .object({
    partition: partitionNumber(),
    start_offset: count().describe('Its first offset.'),
    end_offset: count().describe('The offset of the next record.'),
    size_bytes: count().describe('The bytes of its batches as clients sent them.'),
    latest_record_at: time().nullable().describe('The latest time of a record; `null` if there is none.'),
  })
  .meta({ id: 'TopicPartition', description: 'A partition of a topic. Every agent serves it.' });

const topicConsumer = z
  .object({
    group: z.string().max(coreLimits.groupNameCharsMax).describe('The group.'),
    type: z
      .enum(['classic', 'consumer', 'share', 'streams'])
      .describe('The Kafka group protocol that it uses.'),
    state: text(64).describe('Its state as in Kafka.'),
    member_count: count(coreLimits.groupMembersMax).describe('The number of members that read this topic.'),
    partition_count: count(coreLimits.partitionsPerTopicMax).describe(
      'The number of partitions with a committed offset.',
    ),
    lag: count().describe('Its lag in this topic.'),
    max_lag: count().describe('The largest lag of a partition.'),
  })
  .meta({ id: 'TopicConsumer', description: 'A group that reads a topic.' });

/** Operations on what a topic consists of. */
export const topicDetailOperations = [
  defineClusterOperation({
    name: 'list_topic_config_definitions',
    title: 'List topic configs',
    summary: 'List the configs of topics with their defaults in this virtual cluster.',
    output: z.object({
      definitions: list(configDefinition, apiLimits.configsPerRequestMax).describe('The configs by name.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      output: {
        definitions: [
          {
            name: 'retention.ms',
            type: 'long',
            group: 'retention',
            unit: 'ms',
            rule: 'a whole number from -1 to 9223372036854775807',
            words: null,
            minimum: '-1',
            maximum: '9223372036854775807',
            default: '86400000',
            documentation: 'The retention time of records; -1 is unlimited.',
            has_effect: true,
          },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'list_topic_partitions',
    title: 'List the partitions of a topic',
    summary: 'List the partitions of a topic with their offsets and sizes.',
    input: clusterInput({
      ...target,
      sort_by: z
        .enum(['partition', 'records', 'size'])
        .default('partition')
        .describe('The order. Records are counted by offsets.'),
      descending: flag('Whether to sort in descending order.'),
      skip: count(coreLimits.partitionsPerTopicMax).default(0).describe('How many to skip.'),
      limit: integer(1, apiLimits.apiPageRowsMax).default(100).describe('The maximum number to return.'),
    }),
    output: z.object({
      partitions: list(topicPartition, apiLimits.apiPageRowsMax).describe('The partitions.'),
      partition_count: count(coreLimits.partitionsPerTopicMax).describe('The total number.'),
      record_count: count().describe('The number of offsets in all partitions.'),
      size_bytes: count().describe('The total size of all partitions.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { ...exampleTarget, limit: 1 },
      output: {
        partitions: [
          {
            partition: 0,
            start_offset: 1200,
            end_offset: 73_400,
            size_bytes: 6_116_693,
            latest_record_at: examples.time,
          },
        ],
        partition_count: 12,
        record_count: 866_400,
        size_bytes: 73_400_320,
      },
    },
  }),
  defineClusterOperation({
    name: 'list_topic_consumers',
    title: 'List the groups that read a topic',
    summary: 'List the consumer groups that read a topic, largest lag first.',
    input: clusterInput({ ...target, ...pageInput(100) }),
    output: z.object({
      consumers: list(topicConsumer, apiLimits.apiPageRowsMax).describe('The groups.'),
      ...pageOutput,
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: exampleTarget,
      output: {
        consumers: [
          {
            group: 'shop',
            type: 'classic',
            state: 'Stable',
            member_count: 3,
            partition_count: 12,
            lag: 41,
            max_lag: 30,
          },
        ],
        next_cursor: null,
      },
    },
  }),
  defineClusterOperation({
    name: 'delete_records',
    title: 'Delete records',
    summary: 'Delete the oldest records of partitions. They cannot be restored.',
    description:
      'All partitions are checked before any is changed. An offset before the first record changes nothing. Not possible for topics with cleanup.policy=compact.',
    input: clusterInput({
      ...target,
      partitions: list(
        z.strictObject({
          partition: partitionNumber(),
          before_offset: count().nullable().describe('The first offset to keep; `null` deletes all records.'),
        }),
        apiLimits.apiPageRowsMax,
        1,
      ).describe('The partitions and their new first offsets.'),
    }).refine(
      ({ partitions }) => new Set(partitions.map(({ partition }) => partition)).size === partitions.length,
      {
        error: 'partitions names a partition twice',
      },
    ),
    output: z.object({
      partitions: list(
        z.object({ partition: partitionNumber(), start_offset: count().describe('Its new first offset.') }),
        apiLimits.apiPageRowsMax,
      ).describe('The partitions in the order of the call.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { ...exampleTarget, partitions: [{ partition: 0, before_offset: 1200 }] },
      output: { partitions: [{ partition: 0, start_offset: 1200 }] },
    },
  }),
] as const;
