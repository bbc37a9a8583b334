import { coreLimits } from '@weir/core';
import * as z from 'zod';
import {
  count,
  examples,
  list,
  pageInput,
  pageOutput,
  text,
  time,
  timeOfCaller,
  topicNameField,
} from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const groupName = () => text(coreLimits.groupNameCharsMax, 1);
const groupNameOutput = () => z.string().max(coreLimits.groupNameCharsMax);
const memberText = () => z.string().max(coreLimits.groupNameCharsMax);
const groupState = () => text(64).describe('Its state as in Kafka, such as `Stable` or `Empty`.');
const groupProtocol = () =>
  memberText().describe('How partitions are assigned, such as `range`; empty without members.');
const partitionNumber = () => count(coreLimits.partitionsPerTopicMax).describe('The partition.');

const assignedPartitions = z.object({
  topic_name: topicNameField().describe('The topic.'),
  partitions: list(count(coreLimits.partitionsPerTopicMax), coreLimits.partitionsPerTopicMax).describe(
    'Its partitions.',
  ),
});

const member = z
  .object({
    id: memberText().describe('The member.'),
    group_instance_id: memberText().nullable().describe('The name of a static member, or `null`.'),
    client_id: memberText().describe('The client id.'),
    client_host: memberText().describe('The address of the client.'),
    assignment: z
      .object({
        assignments: list(assignedPartitions, coreLimits.partitionsPerClusterMax).describe(
          'Partitions by topic.',
        ),
      })
      .describe('The partitions that it reads.'),
  })
  .meta({ id: 'GroupMember', description: 'A member of a consumer group.' });

const exampleMember = {
  id: 'shop-1-9a6f',
  group_instance_id: null,
  client_id: 'shop-1',
  client_host: '/10.0.0.7',
  assignment: { assignments: [{ topic_name: 'orders', partitions: [0] }] },
};

const watchedGroup = z
  .object({
    name: groupNameOutput().describe('The group.'),
    state: groupState(),
    protocol: groupProtocol(),
    members: list(member, coreLimits.groupMembersMax).describe('Its members.'),
    topics: list(
      z.object({
        name: topicNameField().describe('The topic.'),
        partitions: list(
          z.object({
            member_id: memberText().describe('The member that reads it; empty if there is none.'),
            partition: partitionNumber(),
            empty: z.boolean().describe('Whether it has no records.'),
            min_offset: count().describe('The first offset.'),
            max_offset: count().describe('The end offset: that of the next record.'),
            committed_offset: z.int().min(-1).describe('The committed offset; -1 if there is none.'),
          }),
          coreLimits.partitionsPerTopicMax,
        ).describe('Its partitions.'),
      }),
      coreLimits.partitionsPerClusterMax,
    ).describe('The topics that it reads or has committed offsets for.'),
  })
  .meta({ id: 'WatchedConsumerGroup', description: 'A consumer group with its offsets.' });

const lag = () =>
  count()
    .nullable()
    .describe(
      'The lag: records still to be read, or all records without a committed offset; `null` for a share group that has not started.',
    );

const groupFields = {
  name: groupNameOutput().describe('The group.'),
  type: z
    .enum(['classic', 'consumer', 'share', 'streams'])
    .describe('The Kafka group protocol that it uses.'),
  state: groupState(),
  protocol: groupProtocol(),
  total_lag: count().describe('The total lag of all partitions.'),
};

const exampleGroup = {
  name: 'shop',
  type: 'classic',
  state: 'Stable',
  protocol: 'range',
  total_lag: 41,
} as const;

const groupListing = z
  .object({
    ...groupFields,
    member_count: count(coreLimits.groupMembersMax).describe('The number of members.'),
    topic_count: count(coreLimits.partitionsPerClusterMax).describe('The number of topics that it reads.'),
    partition_count: count(coreLimits.partitionsPerClusterMax).describe(
      'The number of partitions with committed offsets.',
    ),
    max_lag: count().describe('The largest lag of a partition.'),
  })
  .meta({ id: 'ConsumerGroupListing', description: 'A consumer group in a list.' });

const consumerGroup = z
  .object({
    ...groupFields,
    generation: z.int().describe('The generation: how often it has rebalanced.'),
    members: list(member, coreLimits.groupMembersMax).describe('Its members.'),
    topics: list(
      z.object({
        name: topicNameField().describe('The topic.'),
        total_lag: count().describe('The total lag of its partitions.'),
        partitions: list(
          z.object({
            partition: partitionNumber(),
            member_id: memberText().nullable().describe('The member that reads it, or `null`.'),
            start_offset: count().describe('The first offset.'),
            end_offset: count().describe('The end offset: that of the next record.'),
            committed_offset: count().nullable().describe('The committed offset; `null` if there is none.'),
            committed_at: time()
              .nullable()
              .describe('The time of the last commit; `null` if there is none, and for share groups.'),
            lag: lag(),
          }),
          coreLimits.partitionsPerTopicMax,
        ).describe('Its partitions.'),
      }),
      coreLimits.partitionsPerClusterMax,
    ).describe('The topics that it reads, largest lag first.'),
  })
  .meta({ id: 'ConsumerGroup', description: 'A consumer group with its lag.' });

const resetInput = {
  group: groupName().describe('The group.'),
  topics: list(topicNameField(), apiLimits.resetTopicsMax, 1)
    .optional()
    .describe('Only these topics, with all partitions; by default, partitions with committed offsets.'),
  to: z
    .enum(['earliest', 'latest', 'time', 'offset', 'shift', 'group', 'offsets'])
    .describe('The target; all but the first two need the field of that name.'),
  time: timeOfCaller()
    .optional()
    .describe('Reset to the first record at or after this time, or a little before it.'),
  offset: count().optional().describe('Reset to this offset.'),
  shift_by: z.int().optional().describe('Shift by N records; a negative number shifts back.'),
  from_group: groupName().optional().describe('Copy the offsets of this group.'),
  offsets: list(
    z.strictObject({
      topic: topicNameField().describe('The topic.'),
      partition: partitionNumber(),
      offset: count().describe('The offset.'),
    }),
    apiLimits.resetPartitionsMax,
    1,
  )
    .optional()
    .describe('Set these offsets, in these partitions only. A missing group is created.'),
};

const resetOutput = {
  partitions: list(
    z.object({
      topic: topicNameField().describe('The topic.'),
      partition: partitionNumber(),
      old_offset: count().nullable().describe('The committed offset before; `null` if there was none.'),
      new_offset: count().describe('The committed offset after.'),
      change: z
        .int()
        .nullable()
        .describe('The number of records skipped; negative if records are read again.'),
      lag: count().describe('The lag after.'),
      asked_offset: z.int().nullable().describe('The requested offset, if the partition does not have it.'),
    }),
    apiLimits.resetPartitionsMax,
  ).describe('Partitions by topic.'),
  skipped_records: count().describe('The number of records skipped.'),
  repeated_records: count().describe('The number of records read again.'),
};

const exampleReset = {
  partitions: [
    {
      topic: 'orders',
      partition: 0,
      old_offset: 1000,
      new_offset: 1041,
      change: 41,
      lag: 0,
      asked_offset: null,
    },
  ],
  skipped_records: 41,
  repeated_records: 0,
};

export const consumerGroupOperations = [
  defineClusterOperation({
    name: 'list_consumer_groups',
    title: 'List consumer groups',
    summary: 'List the consumer groups of a virtual cluster with their lag.',
    input: clusterInput({
      query: text(coreLimits.groupNameCharsMax).optional().describe('Only groups whose name contains this.'),
      lag_min: count().optional().describe('Only groups with at least this lag.'),
      sort_by: z.enum(['name', 'lag']).default('name').describe('By name, or largest lag first.'),
      ...pageInput(100),
    }),
    output: z.object({
      groups: list(groupListing, apiLimits.apiPageRowsMax).describe('The groups.'),
      ...pageOutput,
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { sort_by: 'lag' },
      output: {
        groups: [{ ...exampleGroup, member_count: 1, topic_count: 1, partition_count: 1, max_lag: 41 }],
        next_cursor: null,
      },
    },
  }),
  defineClusterOperation({
    name: 'describe_consumer_group',
    title: 'Describe a consumer group',
    summary: 'Describe the members of a consumer group and its lag by partition.',
    input: clusterInput({
      group: groupName().describe('The group.'),
    }),
    output: z.object({ group: consumerGroup.describe('The group.') }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { group: 'shop' },
      output: {
        group: {
          ...exampleGroup,
          generation: 3,
          members: [exampleMember],
          topics: [
            {
              name: 'orders',
              total_lag: 41,
              partitions: [
                {
                  partition: 0,
                  member_id: exampleMember.id,
                  start_offset: 0,
                  end_offset: 1041,
                  committed_offset: 1000,
                  committed_at: examples.time,
                  lag: 41,
                },
              ],
            },
          ],
        },
      },
    },
  }),
  defineClusterOperation({
    name: 'monitoring/describe_all_consumer_groups',
    title: 'Describe all consumer groups',
    summary: 'Describe the members and offsets of all consumer groups of a virtual cluster.',
    description: 'For monitoring tools. `list_consumer_groups` is lighter and paginated.',
    output: z.object({
      state: z
        .object({ groups: list(watchedGroup, coreLimits.groupsMax).describe('The groups by name.') })
        .describe('What is known now.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      output: {
        state: {
          groups: [
            {
              name: 'shop',
              state: 'Stable',
              protocol: 'range',
              members: [exampleMember],
              topics: [
                {
                  name: 'orders',
                  partitions: [
                    {
                      member_id: exampleMember.id,
                      partition: 0,
                      empty: false,
                      min_offset: 0,
                      max_offset: 1041,
                      committed_offset: 1000,
                    },
                  ],
                },
              ],
            },
          ],
        },
      },
    },
  }),
  defineClusterOperation({
    name: 'preview_offset_reset',
    title: 'Preview a reset of offsets',
    summary: 'Preview what a reset of the committed offsets of a consumer group would change.',
    input: clusterInput(resetInput),
    output: z.object({
      state: groupState(),
      member_count: count(coreLimits.groupMembersMax).describe(
        'The number of members; they must stop before a reset.',
      ),
      ...resetOutput,
    }),
    errors: ['unsupported_cluster_type', 'limit_exceeded', 'conflict'],
    example: {
      input: { group: 'shop', to: 'latest' },
      output: { state: 'Empty', member_count: 0, ...exampleReset },
    },
  }),
  defineClusterOperation({
    name: 'reset_consumer_group_offsets',
    title: 'Reset offsets of a consumer group',
    summary: 'Reset the committed offsets of a consumer group without members.',
    description: 'A group with members is refused: they would overwrite the offsets with their own.',
    input: clusterInput(resetInput),
    output: z.object(resetOutput),
    errors: ['unsupported_cluster_type', 'limit_exceeded', 'conflict'],
    example: {
      input: { group: 'shop', to: 'latest' },
      output: exampleReset,
    },
  }),
  defineClusterOperation({
    name: 'delete_consumer_group',
    title: 'Delete a consumer group',
    summary: 'Delete a consumer group without members, and its committed offsets.',
    input: clusterInput({
      group: groupName().describe('The group.'),
      confirm_group: groupName().describe('The name of the group again, to confirm.'),
    }),
    errors: ['unsupported_cluster_type', 'name_mismatch', 'conflict'],
    example: {
      input: { group: 'shop', confirm_group: 'shop' },
    },
  }),
  defineClusterOperation({
    name: 'delete_consumer_group_offsets',
    title: 'Delete offsets of a consumer group',
    summary: 'Delete the committed offsets of a consumer group for a topic that it does not read now.',
    input: clusterInput({
      group: groupName().describe('The group.'),
      topic: topicNameField().describe('The topic.'),
    }),
    output: z.object({
      partition_count: count(coreLimits.partitionsPerTopicMax).describe(
        'The number of partitions whose offsets were deleted.',
      ),
    }),
    errors: ['unsupported_cluster_type', 'conflict'],
    example: {
      input: { group: 'shop', topic: 'orders' },
      output: { partition_count: 1 },
    },
  }),
] as const;
