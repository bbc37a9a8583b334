import { eventTypeNames } from '@weir/core';
import * as z from 'zod';
import { nanoseconds, nanosecondsField } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const retention = 'How long events of the type are kept, in nanoseconds.';

export const eventsStateOperations = [
  defineClusterOperation({
    name: 'get_events_state',
    title: 'Describe events',
    summary: 'Describe which events a virtual cluster records, and their retention.',
    output: z.object({
      enabled: z.boolean().describe('Whether events are on.'),
      event_types: z
        .partialRecord(
          z.enum(eventTypeNames),
          z.object({
            enabled: z.boolean().optional().describe('Whether the type is on.'),
            emitted: z.boolean().optional().describe('Whether this release emits events of the type.'),
            retention_period_nanos: nanosecondsField().optional().describe(retention),
          }),
        )
        .describe('The state of each type.'),
    }),
    example: {
      output: {
        enabled: true,
        event_types: {
          acl_logs: { enabled: true, emitted: true, retention_period_nanos: 604_800_000_000_000 },
        },
      },
    },
  }),
  defineClusterOperation({
    name: 'update_events_state',
    title: 'Change events',
    summary: 'Enable or disable events of a virtual cluster and set their retention.',
    description: 'Omitted fields keep their values.',
    input: clusterInput({
      enabled: z.boolean().optional().describe('Whether to turn events on.'),
      event_types: z
        .partialRecord(
          z.enum(eventTypeNames),
          z.strictObject({
            enabled: z.boolean().optional().describe('Whether to record the type.'),
            retention_period_nanos: nanoseconds({ min: 1n }).optional().describe(retention),
          }),
        )
        .nullish()
        .transform((types) => types ?? {})
        .describe('Changes by type.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: {
        enabled: true,
        event_types: { acl_logs: { enabled: true, retention_period_nanos: 604_800_000_000_000 } },
      },
    },
  }),
] as const;
