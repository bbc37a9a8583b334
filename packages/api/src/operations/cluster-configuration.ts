import { coreLimits } from '@weir/core';
import * as z from 'zod';
import {
  configsField,
  configsGiven,
  count,
  emptyForNone,
  flag,
  list,
  nanosecondsField,
  text,
} from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { configDefinitionFields, configText, deletionEstimate } from './config-definition.ts';
import { tier } from './virtual-clusters.ts';

export const topicTypes = ['classic', 'lightning'] as const;

const configuration = z
  .object({
    are_acls_enabled: z.boolean().describe('Whether ACLs are enforced.'),
    acl_shadowing_enabled: z
      .boolean()
      .describe('Whether ACLs are in shadow mode: denials are logged, not enforced.'),
    is_auto_create_topic_enabled: z
      .boolean()
      .describe('Whether topics are created when clients request them.'),
    default_num_partitions: count(coreLimits.partitionsPerTopicMax).describe(
      'The default number of partitions of new topics.',
    ),
    default_retention_millis: z
      .int()
      .min(-1)
      .describe('The default retention in milliseconds; -1 is unlimited.'),
    default_topic_type: z.enum(topicTypes).describe('The default type of new topics.'),
    enable_deletion_protection: z.boolean().describe('Whether deletion protection of the cluster is on.'),
    soft_delete_topics_enabled: z.boolean().describe('Whether deleted topics can be restored for some time.'),
    inactive_topics_ttl: nanosecondsField().describe('How long, in nanoseconds.'),
    tier: tier().describe('The tier of the cluster.'),
    broker_configs: configsField().describe('Configs of the cluster by name.'),
    bucket_url: text(apiLimits.apiUrlCharsMax)
      .nullable()
      .describe('The bucket that agents use instead of that of `-bucketURL`, or `null`.'),
  })
  .meta({ id: 'VirtualClusterConfiguration', description: 'How a virtual cluster is configured.' });

const bucketStates = ['in_use', 'pending', 'refused'] as const;

const bucketStatus = z
  .object({
    state: z
      .enum(bucketStates)
      .describe(
        'Whether all agents write new files there, some have not reported yet, or some refuse the bucket and keep using the previous one.',
      ),
    agents: list(
      z.object({
        agent_id: text(128).describe('The agent.'),
        host: text(256).describe('Its host.'),
        state: z.enum(bucketStates).describe('Whether it has not reported yet or refuses the bucket.'),
        reason: text(coreLimits.reportedProblemCharsMax).describe('The reason, in one line.'),
      }),
      apiLimits.bucketStatusAgentsMax,
    ).describe('The agents that do not use it.'),
    agents_left_out: count().describe('The number of agents not listed.'),
  })
  .meta({ id: 'BucketStatus', description: 'Whether agents use the bucket that the cluster names.' });

const change = z
  .strictObject({
    are_acls_enabled: z.boolean().optional().describe('Whether to enforce ACLs.'),
    acl_shadowing_enabled: z
      .boolean()
      .optional()
      .describe('Whether to put ACLs in shadow mode, which only logs denials.'),
    enable_deletion_protection: z
      .boolean()
      .optional()
      .describe('Whether to protect the cluster from deletion.'),
    tier: emptyForNone(tier()).describe('The new tier.'),
    broker_configs: configsGiven().describe(
      'Configs to set, by name. Omitted and `null` configs are unchanged.',
    ),
    reset_broker_configs: list(text(256, 1), apiLimits.configsPerRequestMax)
      .optional()
      .describe('Names of configs to reset to their defaults.'),
    bucket_url: text(apiLimits.apiUrlCharsMax, 1)
      .nullable()
      .optional()
      .describe('A bucket for agents to use instead of that of `-bucketURL`; `null` removes it.'),
  })
  .refine(
    ({ are_acls_enabled: enforced, acl_shadowing_enabled: shadowed }) =>
      !(enforced === true && shadowed === true),
    { error: 'are_acls_enabled and acl_shadowing_enabled cannot both be true' },
  );

const configDefinition = z
  .object({
    ...configDefinitionFields,
    default: configText().nullable().describe('The default value; `null` if agents decide.'),
    value: configText().nullable().describe('The current value; `null` if agents decide.'),
    is_set: z.boolean().describe('Whether it is set on the cluster.'),
  })
  .meta({ id: 'ClusterConfigDefinition', description: 'A config of a virtual cluster that can be set.' });

export const clusterConfigurationOperations = [
  defineClusterOperation({
    name: 'describe_virtual_cluster_configuration',
    title: 'Describe the configuration',
    summary: 'Describe the configuration of a virtual cluster.',
    output: z.object({
      virtual_cluster_configuration: configuration.describe('The configuration.'),
      bucket_status: bucketStatus
        .optional()
        .describe('Whether agents use the bucket of `bucket_url`, if one is named.'),
    }),
    example: {
      output: {
        virtual_cluster_configuration: {
          are_acls_enabled: false,
          acl_shadowing_enabled: true,
          is_auto_create_topic_enabled: true,
          default_num_partitions: 1,
          default_retention_millis: 86_400_000,
          default_topic_type: 'classic',
          enable_deletion_protection: false,
          soft_delete_topics_enabled: true,
          inactive_topics_ttl: 86_400_000_000_000,
          tier: 'pro',
          broker_configs: { 'num.partitions': '1', 'log.retention.ms': '86400000' },
          bucket_url: 's3://orders?region=eu-central-1',
        },
        bucket_status: {
          state: 'refused',
          agents: [
            {
              agent_id: '4f2c1d0e-7c55-4f0e-9d8f-0d6a4b1c2e3f',
              host: 'agent-2',
              state: 'refused',
              reason:
                's3: orders on aws is not a bucket of the server of -bucketURL; to allow it, list it in -allowedBucketURLs',
            },
          ],
          agents_left_out: 0,
        },
      },
    },
  }),
  defineClusterOperation({
    name: 'list_cluster_config_definitions',
    title: 'List the configs of a cluster',
    summary: 'List the broker configs of a virtual cluster that can be set, with their values and defaults.',
    description:
      '`update_virtual_cluster_configuration` sets them as `broker_configs`. Configs of ACLs, of events and of the bucket ' +
      'have fields or operations of their own.',
    output: z.object({
      definitions: list(configDefinition, apiLimits.configsPerRequestMax).describe('The configs by name.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      output: {
        definitions: [
          {
            name: 'num.partitions',
            type: 'int',
            group: 'topics',
            unit: null,
            rule: 'a whole number from 1 to 200000',
            words: null,
            minimum: '1',
            maximum: '200000',
            documentation: 'Default number of partitions of new topics.',
            has_effect: true,
            default: '1',
            value: '6',
            is_set: true,
          },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'update_virtual_cluster_configuration',
    title: 'Change the configuration',
    summary: 'Update the given fields of the configuration of a virtual cluster.',
    description:
      'Omitted fields are unchanged. ACLs are either enforced or in shadow mode; to switch from one to the other, set both fields. ' +
      'With `bucket_url`, the call waits some seconds for the agents, and returns which of them do not use the bucket and why. ' +
      'With `validate_only`, the answer says how many records shorter retention would delete.',
    input: clusterInput({
      virtual_cluster_configuration: change.describe('What to change.'),
      validate_only: flag('Whether to validate only and change nothing.'),
    }),
    output: z.object({
      bucket_status: bucketStatus
        .optional()
        .describe('Whether agents use the bucket, if `bucket_url` was given and the change was made.'),
      deletion_estimate: deletionEstimate()
        .optional()
        .describe('What the change deletes; only with `validate_only`.'),
    }),
    errors: ['unsupported_cluster_config', 'invalid_cluster_config', 'limit_exceeded'],
    example: {
      input: {
        virtual_cluster_configuration: {
          are_acls_enabled: true,
          acl_shadowing_enabled: false,
          broker_configs: { 'auto.create.topics.enable': 'false' },
        },
      },
    },
  }),
] as const;
