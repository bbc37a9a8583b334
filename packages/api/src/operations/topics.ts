import { coreLimits } from '@weir/core';
import * as z from 'zod';
import {
  configsField,
  configsGiven,
  count,
  examples,
  flag,
  integer,
  list,
  nanosecondsField,
  text,
  time,
  timeOfCaller,
  topicId,
  topicName,
  topicNameField,
} from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { deletionEstimate, exampleDeletionEstimate } from './config-definition.ts';

const topicFields = {
  id: topicId().describe('The id of the topic. A new topic with the same name gets another one.'),
  name: topicNameField().describe('Its name.'),
  created_at: time().describe('When it was created.'),
  retention: nanosecondsField().describe('The retention in nanoseconds; -1 is unlimited.'),
  shard_count: count(coreLimits.partitionsPerTopicMax).describe('Its partitions.'),
  uncompressed_size_hint: count().describe(
    'The bytes of its batches as clients sent them. The uncompressed size is not counted.',
  ),
  cleanup_policy: text(64).describe('The cleanup policy: `delete`, `compact`, both, or empty.'),
};

const recordCount = () =>
  count().describe('The number of its offsets, including compacted records and transaction markers.');

const topic = z
  .object({
    ...topicFields,
    record_count: recordCount(),
    is_internal: z
      .boolean()
      .describe('Whether it is internal: it can be read, and only the service changes it.'),
  })
  .meta({ id: 'Topic', description: 'A topic.' });

const deletedTopic = z
  .object({
    ...topicFields,
    deleted_at: time().describe('When it was deleted.'),
    restorable_until: time().describe('Until when it can be restored.'),
  })
  .meta({ id: 'DeletedTopic', description: 'A topic that can be restored.' });

const partitionCount = () => integer(1, coreLimits.partitionsPerTopicMax);

const validateOnly = () => flag('Whether to validate only and change nothing.');

const target = { topic_name: topicName().describe('The topic.') };
const exampleTarget = { topic_name: 'orders' };

export const topicOperations = [
  defineClusterOperation({
    name: 'list_topics',
    title: 'List topics',
    summary: 'List the topics of a virtual cluster.',
    input: clusterInput({
      include_recently_deleted: flag('Whether to include topics that can be restored.'),
      include_internal: flag('Whether to include internal topics, such as those of events.'),
      query: text(249).optional().describe('Only topics whose name contains this, ignoring case.'),
      sort_by: z
        .enum(['name', 'partitions', 'records', 'size', 'retention', 'created'])
        .default('name')
        .describe('The order of the topics, then by name.'),
      descending: flag('Whether to sort in descending order.'),
      skip: count(coreLimits.partitionsPerClusterMax).default(0).describe('How many to skip.'),
      limit: count(apiLimits.apiPageRowsMax)
        .optional()
        .describe('The maximum number to return; by default, all.'),
    }),
    output: z.object({
      topics: list(topic, coreLimits.partitionsPerClusterMax).describe('The topics.'),
      topic_count: count(coreLimits.partitionsPerClusterMax)
        .optional()
        .describe('The total number of topics; only with `limit`.'),
      matching_count: count(coreLimits.partitionsPerClusterMax)
        .optional()
        .describe('The number of topics that match `query`; only with `limit`.'),
      recently_deleted_topics: list(deletedTopic, coreLimits.partitionsPerClusterMax)
        .nullable()
        .describe('Topics that can be restored, last deleted first; `null` unless requested.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      output: {
        topics: [
          {
            id: examples.topicId,
            name: 'orders',
            created_at: examples.time,
            retention: 604_800_000_000_000,
            shard_count: 12,
            uncompressed_size_hint: 73_400_320,
            cleanup_policy: 'delete',
            record_count: 866_400,
            is_internal: false,
          },
        ],
        recently_deleted_topics: null,
      },
    },
  }),
  defineClusterOperation({
    name: 'create_topic',
    title: 'Create a topic',
    summary: 'Create a topic.',
    description:
      'Configs of Kafka that Weir does not need are accepted and stored without effect; unknown names are refused.',
    input: clusterInput({
      ...target,
      topic_name: topicName().describe('The name, as Kafka allows it.'),
      partition_count: partitionCount().describe('The number of partitions.'),
      configs: configsGiven().describe('Configs by name; `null` for the default.'),
      validate_only: validateOnly(),
    }),
    errors: ['topic_already_exists', 'invalid_topic_config', 'limit_exceeded', 'unsupported_cluster_type'],
    example: {
      input: { ...exampleTarget, partition_count: 12, configs: { 'retention.ms': '604800000' } },
    },
  }),
  defineClusterOperation({
    name: 'create_topic_clone',
    title: 'Clone a topic',
    summary: 'Create a topic that starts with the records of another, without copying them.',
    description:
      'Both topics share files in the bucket and are independent from then on: neither sees what is written to the other, and deleting one does not affect the other. The clone has the configs of its source unless you set others, and no committed offsets. A partition ends at its last stable offset, or at the given offset or time, rounded down to the start of a batch.',
    input: clusterInput({
      source_topic_name: topicName().describe('The topic to clone.'),
      topic_name: topicName().describe('The name of the clone.'),
      configs: configsGiven().describe(
        'Configs that differ from those of the source, by name; `null` for the default.',
      ),
      at_offsets: list(
        z.strictObject({
          partition: count(coreLimits.partitionsPerTopicMax).describe('The partition.'),
          offset: count().describe('The first offset that is not cloned.'),
        }),
        coreLimits.partitionsPerTopicMax,
        1,
      )
        .optional()
        .describe('End offsets of partitions. Others end at their last stable offset.'),
      at_timestamp: timeOfCaller()
        .optional()
        .describe('Every partition ends before its first record at or after this time.'),
    })
      .refine(({ at_offsets, at_timestamp }) => at_offsets === undefined || at_timestamp === undefined, {
        error: 'only one of at_offsets and at_timestamp can be given',
      })
      .refine(
        ({ at_offsets = [] }) =>
          new Set(at_offsets.map(({ partition }) => partition)).size === at_offsets.length,
        { error: 'at_offsets names a partition twice' },
      ),
    output: z.object({
      topic_id: topicId().describe('The clone.'),
      partitions: list(
        z.object({
          partition: count(coreLimits.partitionsPerTopicMax).describe('The partition.'),
          start_offset: count().describe('Its first offset.'),
          end_offset: count().describe('The offset of the next record of the clone.'),
          requested_offset: count().nullable().describe('The offset of `at_offsets`.'),
        }),
        coreLimits.partitionsPerTopicMax,
      ).describe('The offsets of its partitions.'),
    }),
    errors: [
      'topic_already_exists',
      'invalid_topic_config',
      'limit_exceeded',
      'no_query_engine',
      'too_many_queries',
      'unsupported_cluster_type',
    ],
    example: {
      input: {
        source_topic_name: 'orders',
        topic_name: 'orders-debug',
        at_offsets: [{ partition: 0, offset: 1200 }],
      },
      output: {
        topic_id: examples.topicId,
        partitions: [{ partition: 0, start_offset: 0, end_offset: 1198, requested_offset: 1200 }],
      },
    },
  }),
  defineClusterOperation({
    name: 'describe_topic',
    title: 'Describe a topic',
    summary: 'Describe the partitions and the configs of a topic.',
    input: clusterInput(target),
    output: z.object({
      topic_id: topicId().describe('The topic.'),
      partition_count: partitionCount().describe('The number of partitions.'),
      configs: configsField().describe('Its configs by name, with the defaults.'),
      set_configs: list(text(256), apiLimits.configsPerRequestMax).describe(
        'The names of configs that are set on the topic; others come from the cluster or are defaults.',
      ),
      record_count: recordCount(),
      size_bytes: count().describe('The bytes of its batches as clients sent them.'),
      created_at: time().describe('When it was created.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: exampleTarget,
      output: {
        topic_id: examples.topicId,
        partition_count: 12,
        configs: { 'retention.ms': '604800000', 'cleanup.policy': 'delete' },
        set_configs: ['retention.ms'],
        record_count: 866_400,
        size_bytes: 73_400_320,
        created_at: examples.time,
      },
    },
  }),
  defineClusterOperation({
    name: 'update_topic',
    title: 'Change a topic',
    summary: 'Add partitions to a topic and set configs.',
    description:
      'The number of partitions cannot decrease. A topic cannot change between compacted and not compacted; create a new topic. ' +
      'With `validate_only`, the answer says how many records shorter retention would delete.',
    input: clusterInput({
      ...target,
      partition_count: partitionCount()
        .nullish()
        .transform((count) => count ?? undefined)
        .describe('The new number of partitions.'),
      configs: configsGiven().describe(
        'Configs to set, by name; `null` resets one to its default. Omitted configs are unchanged.',
      ),
      validate_only: validateOnly(),
    }),
    output: z.object({
      deletion_estimate: deletionEstimate()
        .optional()
        .describe('What the change deletes; only with `validate_only`.'),
    }),
    errors: ['invalid_topic_config', 'compaction_change', 'limit_exceeded', 'unsupported_cluster_type'],
    example: {
      input: {
        ...exampleTarget,
        partition_count: 24,
        configs: { 'retention.ms': '86400000' },
        validate_only: true,
      },
      output: { deletion_estimate: exampleDeletionEstimate },
    },
  }),
  defineClusterOperation({
    name: 'delete_topic',
    title: 'Delete a topic',
    summary: 'Delete a topic. It can be restored for some time if soft deletion is on.',
    input: clusterInput({
      ...target,
      soft_delete: z
        .boolean()
        .optional()
        .describe('Whether it can be restored; by default, as configured for the cluster.'),
    }),
    errors: ['deletion_protected', 'unsupported_cluster_type'],
    example: { input: exampleTarget },
  }),
  defineClusterOperation({
    name: 'undelete_topic',
    title: 'Restore a topic',
    summary: 'Restore a deleted topic with its records.',
    description: 'Identify it by id or by name; a name means the last deleted topic of that name.',
    input: clusterInput({
      topic_id: topicId().optional().describe('The topic.'),
      topic_name: topicName().optional().describe('Its name.'),
    }).refine(({ topic_id: byId, topic_name: byName }) => (byId === undefined) !== (byName === undefined), {
      error: 'one of topic_id and topic_name is required',
    }),
    errors: ['not_restorable', 'limit_exceeded', 'unsupported_cluster_type'],
    example: { input: exampleTarget },
  }),
] as const;
