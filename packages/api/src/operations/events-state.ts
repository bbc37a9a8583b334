import { eventTypeNames } from '@weir/core';
import * as z from 'zod';
import { clusterId, examples, nanoseconds, nanosecondsField } from '../fields.ts';
import { defineOperation } from '../operation.ts';

const retention = 'How long events of the type are kept, in nanoseconds.';

export const eventsStateOperations = [
  defineOperation({
    name: 'get_events_state',
    title: 'Describe events',
    summary: 'Describe which events a virtual cluster records, and their retention.',
    access: 'read',
    scope: 'cluster',
    input: z.strictObject({ virtual_cluster_id: clusterId() }),
    output: z.object({
      enabled: z.boolean().describe('Whether events are recorded at all.'),
      event_types: z
        .partialRecord(
          z.enum(eventTypeNames),
          z.object({
            enabled: z.boolean().optional().describe('Whether the type is turned on.'),
            emitted: z
              .boolean()
              .optional()
              .describe('Whether this release emits events of the type. If not, there are none.'),
            retention_period_nanos: nanosecondsField().optional().describe(retention),
          }),
        )
        .describe('The state of each type.'),
    }),
    errors: ['not_found'],
    example: {
      input: { virtual_cluster_id: examples.cluster },
      output: {
        enabled: true,
        event_types: {
          acl_logs: { enabled: true, emitted: true, retention_period_nanos: 604_800_000_000_000 },
        },
      },
    },
  }),
  defineOperation({
    name: 'update_events_state',
    title: 'Change events',
    summary: 'Enable or disable events of a virtual cluster and set their retention.',
    description: 'What is left out stays.',
    access: 'write',
    scope: 'cluster',
    input: z.strictObject({
      virtual_cluster_id: clusterId(),
      enabled: z.boolean().optional().describe('Whether to record events at all.'),
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
    output: z.object({}),
    errors: ['not_found', 'unsupported_cluster_type'],
    example: {
      input: {
        virtual_cluster_id: examples.cluster,
        enabled: true,
        event_types: { acl_logs: { enabled: true, retention_period_nanos: 604_800_000_000_000 } },
      },
      output: {},
    },
  }),
] as const;
