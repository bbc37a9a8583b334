import { consolePaths } from '@weir/api';
import * as z from 'zod';
import { answerOfRows } from '../answers/rows.ts';
import { listArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';

const concise = ['topic', 'state', 'lag', 'eta_seconds', 'held_by'];

export const migrationTools = [
  defineClusterTool({
    name: 'describe_migration',
    icon: 'topic',
    operations: ['orbit/describe_migration'],
    summary: 'Show topics that are copied from another Kafka cluster, and what holds back their cut-over.',
    input: listArguments(20),
    output: {
      total: z.int(),
      topics: z.array(
        z.object({
          topic: z.string(),
          state: z.string(),
          lag: z.int().nullable(),
          eta_seconds: z.int().nullable(),
          held_by: z.string(),
          copied_bytes: z.int().optional(),
          problem: z.string().optional(),
        }),
      ),
    },
    async run(args, context, clusterId) {
      const found = await context.call('orbit/describe_migration', { virtual_cluster_id: clusterId });
      return answerOfRows({
        tool: 'describe_migration',
        args,
        name: 'topics',
        concise,
        items: found.topics,
        keyOf: ({ topic }) => topic,
        rowsOf: (shown) =>
          shown.map((topic) => ({
            topic: topic.topic,
            state: topic.cut_over_requested ? `${topic.state}, cutting over` : topic.state,
            lag: topic.lag_offsets ?? null,
            eta_seconds: topic.eta_seconds ?? null,
            held_by: topic.holds.map(({ code }) => code).join(', '),
            copied_bytes: topic.bytes,
            problem: topic.error ?? topic.holds[0]?.message ?? '',
          })),
        consoleUrl: context.consoleUrl(consolePaths.pipeline(clusterId, found.pipeline_id)),
      });
    },
  }),
];
