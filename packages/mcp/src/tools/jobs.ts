import { catalogue, consolePaths } from '@weir/api';
import * as z from 'zod';
import { answerOfRows } from '../answers/rows.ts';
import { listArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { rowSchema } from './rows.ts';

const { input, output } = catalogue.list_jobs;
const job = output.shape.jobs.element;
const concise = ['kind', 'scope', 'state', 'agent_id', 'failure_count', 'message'];

export const jobTools = [
  defineClusterTool({
    name: 'list_jobs',
    icon: 'agents',
    operations: ['list_jobs'],
    summary: 'List background jobs, such as compactions, and the last that ended.',
    input: {
      kind: input.shape.kind.describe('Only jobs of this kind.'),
      state: input.shape.state.describe('Only jobs in this state.'),
      ...listArguments(20),
    },
    output: {
      total: z.int(),
      kinds_without_agents: z.array(z.string()),
      jobs: z.array(rowSchema(job, concise)),
    },
    async run(args, context, clusterId) {
      const { kind, state } = args;
      const { jobs, kinds } = await context.call('list_jobs', { virtual_cluster_id: clusterId, kind, state });
      const idle = kinds.filter(({ agent_count }) => agent_count === 0).map((one) => one.kind);
      const failing = jobs.filter((one) => one.state === 'failing' || one.state === 'stopped').length;
      return answerOfRows({
        tool: 'list_jobs',
        args,
        name: 'jobs',
        concise,
        fields: { kinds_without_agents: idle },
        items: jobs,
        keyOf: ({ job_id }) => job_id,
        rowsOf: (shown) => shown,
        hint: (shown) => {
          if (idle.length > 0)
            return `No agent takes jobs of ${idle.length} kinds, so they wait; start agents with the jobs role.`;
          if (failing > 0) return `${failing} jobs fail; message says why, and they are retried.`;
          return shown.length === 0 ? 'No job matches; without kind and state it lists all.' : undefined;
        },
        consoleUrl: context.consoleUrl(consolePaths.jobs(clusterId)),
      });
    },
  }),
];
