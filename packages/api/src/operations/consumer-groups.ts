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
const groupState = () => text(64).describe('Its state by Kafka’s name, such as `Stable` or `Empty`.');
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
    client_id: memberText().describe('What the client calls itself.'),
    client_host: memberText().describe('Where it connects from.'),
    assignment: z
      .object({
        assignments: list(assignedPartitions, coreLimits.partitionsPerClusterMax).describe(
          'Partitions by topic.',
        ),
      })
      .describe('What it reads.'),
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
            min_offset: count().describe('Where it begins.'),
            max_offset: count().describe('Where it ends: the offset of the next record.'),
            committed_offset: z.int().min(-1).describe('Where the group is; -1 if it never said.'),
          }),
          coreLimits.partitionsPerTopicMax,
        ).describe('Its partitions.'),
      }),
      coreLimits.partitionsPerClusterMax,
    ).describe('The topics that it reads or has committed offsets of.'),
  })
  .meta({ id: 'WatchedConsumerGroup', description: 'A consumer group with its offsets.' });

const lag = () =>
  count()
    .nullable()
    .describe(
      'Records that it has yet to read, all that are there without a commit; `null` for a share group that has not begun.',
    );

const groupFields = {
  name: groupNameOutput().describe('The group.'),
  type: z.enum(['classic', 'consumer', 'share']).describe('Which of Kafka’s protocols it speaks.'),
  state: groupState(),
  protocol: groupProtocol(),
  total_lag: count().describe('Records that it has yet to read, of all partitions.'),
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
    member_count: count(coreLimits.groupMembersMax).describe('How many members it has.'),
    topic_count: count(coreLimits.partitionsPerClusterMax).describe('How many topics it reads.'),
    partition_count: count(coreLimits.partitionsPerClusterMax).describe(
      'How many partitions it has offsets of.',
    ),
    max_lag: count().describe('The largest lag of one partition.'),
  })
  .meta({ id: 'ConsumerGroupListing', description: 'A consumer group in a list.' });

const consumerGroup = z
  .object({
    ...groupFields,
    generation: z.int().describe('How often it was put together anew.'),
    members: list(member, coreLimits.groupMembersMax).describe('Its members.'),
    topics: list(
      z.object({
        name: topicNameField().describe('The topic.'),
        total_lag: count().describe('The lag of all its partitions.'),
        partitions: list(
          z.object({
            partition: partitionNumber(),
            member_id: memberText().nullable().describe('Who reads it, or `null`.'),
            start_offset: count().describe('Where it begins.'),
            end_offset: count().describe('Where it ends: the offset of the next record.'),
            committed_offset: count().nullable().describe('Where the group is; `null` if it never said.'),
            committed_at: time()
              .nullable()
              .describe('When it said so last; `null` if it never did, and for share groups.'),
            lag: lag(),
          }),
          coreLimits.partitionsPerTopicMax,
        ).describe('Its partitions.'),
      }),
      coreLimits.partitionsPerClusterMax,
    ).describe('What it reads, the largest lag first.'),
  })
  .meta({ id: 'ConsumerGroup', description: 'A consumer group with its lag.' });

const resetInput = {
  group: groupName().describe('The group.'),
  topics: list(topicNameField(), apiLimits.resetTopicsMax, 1)
    .optional()
    .describe('Only these topics, all partitions of each; by default the partitions that it has offsets of.'),
  to: z
    .enum(['earliest', 'latest', 'time', 'offset', 'shift', 'group', 'offsets'])
    .describe('From where it goes on; all but the first two need the field of that name.'),
  time: timeOfCaller()
    .optional()
    .describe('Go on where the stored range begins that has the first record of this time or later.'),
  offset: count().optional().describe('Go on at this offset.'),
  shift_by: z.int().optional().describe('Go on so many records later, or earlier if it is negative.'),
  from_group: groupName().optional().describe('Go on where this group is.'),
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
    .describe('Go on at these offsets, in these partitions only. A group that does not exist is made.'),
};

const resetOutput = {
  partitions: list(
    z.object({
      topic: topicNameField().describe('The topic.'),
      partition: partitionNumber(),
      old_offset: count().nullable().describe('Where the group was; `null` if it never said.'),
      new_offset: count().describe('Where it goes on.'),
      change: z.int().nullable().describe('Records that it skips, or reads again if it is negative.'),
      lag: count().describe('Records that it then has to read.'),
      asked_offset: z
        .int()
        .nullable()
        .describe('The offset that was asked for, if the partition does not have it.'),
    }),
    apiLimits.resetPartitionsMax,
  ).describe('Partitions by topic.'),
  skipped_records: count().describe('Records that it does not read.'),
  repeated_records: count().describe('Records that it reads again.'),
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
      query: text(coreLimits.groupNameCharsMax).optional().describe('Only groups whose name has this in it.'),
      lag_min: count().optional().describe('Only groups that have at least this lag.'),
      sort_by: z.enum(['name', 'lag']).default('name').describe('By name, or the largest lag first.'),
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
    description: 'For tools that watch groups. `list_consumer_groups` is lighter and comes in pages.',
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
    summary: 'Describe what a reset of the committed offsets of a consumer group would change.',
    input: clusterInput(resetInput),
    output: z.object({
      state: groupState(),
      member_count: count(coreLimits.groupMembersMax).describe('Members, which have to stop before a reset.'),
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
    summary: 'Set from where a consumer group without members goes on.',
    description: 'Members would commit their own positions right after, so a group that has any is refused.',
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
      confirm_group: groupName().describe('The group once more, so that no other is deleted by mistake.'),
    }),
    errors: ['unsupported_cluster_type', 'name_mismatch', 'conflict'],
    example: {
      input: { group: 'shop', confirm_group: 'shop' },
    },
  }),
  defineClusterOperation({
    name: 'delete_consumer_group_offsets',
    title: 'Delete offsets of a consumer group',
    summary: 'Delete the committed offsets of a consumer group of one topic that it does not read now.',
    input: clusterInput({
      group: groupName().describe('The group.'),
      topic: topicNameField().describe('The topic.'),
    }),
    output: z.object({
      partition_count: count(coreLimits.partitionsPerTopicMax).describe(
        'Partitions whose offsets were deleted.',
      ),
    }),
    errors: ['unsupported_cluster_type', 'conflict'],
    example: {
      input: { group: 'shop', topic: 'orders' },
      output: { partition_count: 1 },
    },
  }),
] as const;
