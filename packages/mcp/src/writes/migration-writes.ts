import { catalogue, consolePaths } from '@weir/api';
import * as z from 'zod';
import { defineWriteTool } from './write-tool.ts';

const { topics } = catalogue['orbit/auto_migration/initiate'].input.shape;

const operations = {
  start_forwarding: 'orbit/auto_migration/start_forwarding',
  cut_over: 'orbit/auto_migration/initiate',
  abort: 'orbit/auto_migration/abort',
} as const;

const titles = {
  start_forwarding: 'Pass writes on to the source',
  cut_over: 'Cut over from the source',
  abort: 'Abort the cut-over',
} as const;

const finalWarning = 'Topics that are migrated cannot go back; producers wait while the copies catch up.';

export const migrationWriteTools = [
  defineWriteTool({
    name: 'move_migration',
    icon: 'topic',
    changes: 'orbit/auto_migration/initiate',
    alsoChanges: ['orbit/auto_migration/start_forwarding', 'orbit/auto_migration/abort'],
    reads: ['orbit/describe_migration'],
    isDestructive: true,
    input: {
      action: z.enum(['start_forwarding', 'cut_over', 'abort']),
      topics: topics.describe('Default: all that can.'),
    },
    async plan({ action, topics: named }, context, virtual_cluster_id) {
      const on = { virtual_cluster_id };
      const { pipeline_id } = await context.call('orbit/describe_migration', on);
      const planned = await context.call(operations[action], {
        ...on,
        ...(named === undefined ? {} : { topics: named }),
        validate_only: true,
      });
      return {
        title: titles[action],
        changes: planned.topics.map(({ topic, state_before, state, cut_over_requested }) => ({
          name: topic,
          before: state_before,
          after: cut_over_requested ? `${state}, cutting over` : state,
        })),
        warnings: action === 'cut_over' ? [finalWarning] : [],
        consolePath: consolePaths.pipeline(virtual_cluster_id, pipeline_id),
      };
    },
    apply: ({ action, topics: named }, context, virtual_cluster_id) =>
      context.call(operations[action], {
        virtual_cluster_id,
        ...(named === undefined ? {} : { topics: named }),
      }),
  }),
];
