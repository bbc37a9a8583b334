import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { clusterId, count, examples, list, pageInput, pageOutput, text, topicNameField } from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { defineOperation } from '../operation.ts';

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
            lag: lag(),
          }),
          coreLimits.partitionsPerTopicMax,
        ).describe('Its partitions.'),
      }),
      coreLimits.partitionsPerClusterMax,
    ).describe('What it reads, the largest lag first.'),
  })
  .meta({ id: 'ConsumerGroup', description: 'A consumer group with its lag.' });

export const consumerGroupOperations = [
  defineOperation({
    name: 'list_consumer_groups',
    title: 'List consumer groups',
    summary: 'List the consumer groups of a virtual cluster with their lag.',
    access: 'read',
    scope: 'cluster',
    input: z.strictObject({
      virtual_cluster_id: clusterId(),
      query: text(coreLimits.groupNameCharsMax).optional().describe('Only groups whose name has this in it.'),
      lag_min: count().optional().describe('Only groups that have at least this lag.'),
      sort_by: z.enum(['name', 'lag']).default('name').describe('By name, or the largest lag first.'),
      ...pageInput(100),
    }),
    output: z.object({
      groups: list(groupListing, apiLimits.apiPageRowsMax).describe('The groups.'),
      ...pageOutput,
    }),
    errors: ['not_found', 'unsupported_cluster_type'],
    example: {
      input: { virtual_cluster_id: examples.cluster, sort_by: 'lag' },
      output: {
        groups: [{ ...exampleGroup, member_count: 1, topic_count: 1, partition_count: 1, max_lag: 41 }],
        next_cursor: null,
      },
    },
  }),
  defineOperation({
    name: 'describe_consumer_group',
    title: 'Describe a consumer group',
    summary: 'Describe the members of a consumer group and its lag by partition.',
    access: 'read',
    scope: 'cluster',
    input: z.strictObject({ virtual_cluster_id: clusterId(), group: groupName().describe('The group.') }),
    output: z.object({ group: consumerGroup.describe('The group.') }),
    errors: ['not_found', 'unsupported_cluster_type'],
    example: {
      input: { virtual_cluster_id: examples.cluster, group: 'shop' },
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
                  lag: 41,
                },
              ],
            },
          ],
        },
      },
    },
  }),
  defineOperation({
    name: 'monitoring/describe_all_consumer_groups',
    title: 'Describe all consumer groups',
    summary: 'Describe the members and offsets of all consumer groups of a virtual cluster.',
    description: 'For tools that watch groups. `list_consumer_groups` is lighter and comes in pages.',
    access: 'read',
    scope: 'cluster',
    input: z.strictObject({ virtual_cluster_id: clusterId() }),
    output: z.object({
      state: z
        .object({ groups: list(watchedGroup, coreLimits.groupsMax).describe('The groups by name.') })
        .describe('What is known now.'),
    }),
    errors: ['not_found', 'unsupported_cluster_type'],
    example: {
      input: { virtual_cluster_id: examples.cluster },
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
] as const;
