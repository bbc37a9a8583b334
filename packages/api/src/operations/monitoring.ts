import * as z from 'zod';
import { clusterId, examples, list, text } from '../fields.ts';
import { defineOperation } from '../operation.ts';

/** More than a cluster has of either. */
const quotasMax = 256;
const metricsMax = 2000;
const tagsMax = 64;

export const monitoringOperations = [
  defineOperation({
    name: 'monitoring/describe_quotas',
    title: 'Describe limits and their use',
    summary: 'Describe the limits of a virtual cluster and their use.',
    access: 'read',
    scope: 'cluster',
    input: z.strictObject({ virtual_cluster_id: clusterId() }),
    output: z.object({
      quotas: list(
        z.object({
          name: text(128).describe('What is limited, such as `partitions`.'),
          limit: z.number().describe('How much of it there may be.'),
          used: z.number().describe('How much of it there is.'),
        }),
        quotasMax,
      ).describe('The limits by name.'),
    }),
    errors: ['not_found'],
    example: {
      input: { virtual_cluster_id: examples.cluster },
      output: { quotas: [{ name: 'partitions', limit: 50_000, used: 120 }] },
    },
  }),
  defineOperation({
    name: 'monitoring/describe_cluster_metrics',
    title: 'Describe metrics',
    summary: 'Describe the metrics of a virtual cluster.',
    access: 'read',
    scope: 'cluster',
    input: z.strictObject({ virtual_cluster_id: clusterId() }),
    output: z.object({
      metrics: list(
        z.object({
          name: text(256).describe('Its name, as in the scrape and in events.'),
          type: z.enum(['counter', 'gauge', 'histogram']).describe('What kind of metric it is.'),
          unit: text(64).describe('What it counts in; empty for a plain number.'),
          description: text().describe('What it measures.'),
          tags: list(text(128), tagsMax).describe('What its series differ by.'),
        }),
        metricsMax,
      ).describe('The metrics by name.'),
    }),
    errors: ['not_found'],
    example: {
      input: { virtual_cluster_id: examples.cluster },
      output: {
        metrics: [
          {
            name: 'service_consumer_group_lag',
            type: 'gauge',
            unit: 'records',
            description: 'Records that a group has yet to read.',
            tags: ['virtual_cluster_id', 'consumer_group', 'topic', 'partition'],
          },
        ],
      },
    },
  }),
] as const;
