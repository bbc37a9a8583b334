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
  id: topicId().describe('The topic. Another one with the same name has another id.'),
  name: topicNameField().describe('Its name.'),
  created_at: time().describe('When it was created.'),
  retention: nanosecondsField().describe('How long its records are kept, in nanoseconds; -1 is for ever.'),
  shard_count: count(coreLimits.partitionsPerTopicMax).describe('Its partitions.'),
  uncompressed_size_hint: count().describe(
    'The bytes of its batches as clients sent them. The uncompressed size is not counted.',
  ),
  cleanup_policy: text(64).describe('`delete`, `compact`, both, or empty: how old records go.'),
};

const recordCount = () =>
  count().describe('Its offsets from the first to the last, which count compacted records and markers too.');

const topic = z
  .object({
    ...topicFields,
    record_count: recordCount(),
    is_internal: z
      .boolean()
      .describe('Whether the service made it: it can be read, and only the service changes it.'),
  })
  .meta({ id: 'Topic', description: 'A topic.' });

const deletedTopic = z
  .object({
    ...topicFields,
    deleted_at: time().describe('When it was deleted.'),
    restorable_until: time().describe('When its data goes for good.'),
  })
  .meta({ id: 'DeletedTopic', description: 'A topic that can be restored.' });

const partitionCount = () => integer(1, coreLimits.partitionsPerTopicMax);

const validateOnly = () => flag('Whether to check the call and change nothing.');

const target = { topic_name: topicName().describe('The topic.') };
const exampleTarget = { topic_name: 'orders' };

export const topicOperations = [
  defineClusterOperation({
    name: 'list_topics',
    title: 'List topics',
    summary: 'List the topics of a virtual cluster.',
    input: clusterInput({
      include_recently_deleted: flag('Whether to list topics that can be restored too.'),
      include_internal: flag('Whether to list the topics of the service, such as those of events.'),
      query: text(249).optional().describe('Only topics whose name has this in it, in any case.'),
      sort_by: z
        .enum(['name', 'partitions', 'records', 'size', 'retention', 'created'])
        .default('name')
        .describe('The order of the topics, and of equal ones their names.'),
      descending: flag('Whether the largest come first.'),
      skip: count(coreLimits.partitionsPerClusterMax).default(0).describe('How many to leave out first.'),
      limit: count(apiLimits.apiPageRowsMax)
        .optional()
        .describe('The maximum number to return. Without it, all.'),
    }),
    output: z.object({
      topics: list(topic, coreLimits.partitionsPerClusterMax).describe('The topics.'),
      topic_count: count(coreLimits.partitionsPerClusterMax)
        .optional()
        .describe('How many topics there are; only with `limit`.'),
      matching_count: count(coreLimits.partitionsPerClusterMax)
        .optional()
        .describe('How many of them have `query` in their names; only with `limit`.'),
      recently_deleted_topics: list(deletedTopic, coreLimits.partitionsPerClusterMax)
        .nullable()
        .describe('Those that can be restored, the last deleted first; `null` unless requested.'),
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
      'Configs that Kafka has and Weir does not need are accepted, kept and without effect; names that neither has are refused.',
    input: clusterInput({
      ...target,
      topic_name: topicName().describe('Its name, as Kafka allows it.'),
      partition_count: partitionCount().describe('How many partitions it has.'),
      configs: configsGiven().describe('Configs by name. Those that are `null` have their defaults.'),
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
    summary: 'Create a topic that begins with the records of another, without copying them.',
    description:
      'Both topics share the files in the bucket, and then go on alone: neither sees what is written to the other, and deleting one leaves the other whole. The clone has the configs of its source unless others are given, and no committed offsets. A partition ends where open transactions begin, or at the offset or time that is given, moved to the beginning of the batch that it lies in.',
    input: clusterInput({
      source_topic_name: topicName().describe('The topic to clone.'),
      topic_name: topicName().describe('The name of the clone.'),
      configs: configsGiven().describe(
        'Configs that differ from those of the source, by name. `null` gives one its default.',
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
        .describe('Where partitions end. Others end at their last stable offset.'),
      at_timestamp: timeOfCaller()
        .optional()
        .describe('Every partition ends before its first record of this time or a later one.'),
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
          end_offset: count().describe('The offset that the next record of the clone gets.'),
          requested_offset: count().nullable().describe('The offset of `at_offsets`.'),
        }),
        coreLimits.partitionsPerTopicMax,
      ).describe('Where its partitions begin and end.'),
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
      partition_count: partitionCount().describe('How many partitions it has.'),
      configs: configsField().describe('Its configs by name, with the defaults.'),
      set_configs: list(text(256), apiLimits.configsPerRequestMax).describe(
        'The names of those that are set on the topic; others are of the cluster or defaults.',
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
      'Partitions cannot become fewer. A topic cannot change between compacted and not compacted; create a new topic. ' +
      'With `validate_only`, the answer says how many records shorter retention would delete.',
    input: clusterInput({
      ...target,
      partition_count: partitionCount()
        .nullish()
        .transform((count) => count ?? undefined)
        .describe('How many partitions it is to have.'),
      configs: configsGiven().describe(
        'Configs to set, by name. `null` gives one its default back; those that are left out stay.',
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
    summary: 'Delete a topic. It can be restored for a while if soft deletion is enabled.',
    input: clusterInput({
      ...target,
      soft_delete: z
        .boolean()
        .optional()
        .describe('Whether it can be restored. Without it, as the cluster is configured.'),
    }),
    errors: ['deletion_protected', 'unsupported_cluster_type'],
    example: { input: exampleTarget },
  }),
  defineClusterOperation({
    name: 'undelete_topic',
    title: 'Restore a topic',
    summary: 'Restore a deleted topic with its records.',
    description: 'Name it by its id, or by its name, which means the last deleted topic of that name.',
    input: clusterInput({
      topic_id: topicId().optional().describe('The topic.'),
      topic_name: topicName().optional().describe('The name that it had.'),
    }).refine(({ topic_id: byId, topic_name: byName }) => (byId === undefined) !== (byName === undefined), {
      error: 'one of topic_id and topic_name is required',
    }),
    errors: ['not_restorable', 'limit_exceeded', 'unsupported_cluster_type'],
    example: { input: exampleTarget },
  }),
] as const;
