import { catalogue, consolePaths } from '@weir/api';
import * as z from 'zod';
import { answerOfRows } from '../answers/rows.ts';
import { listArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { rowSchema } from './rows.ts';

const { input, output } = catalogue.list_agents;
/** Without what a model hardly asks for: the list of tools has no room. */
const agent = output.shape.agents.element.omit({ started_at: true });
const concise = ['agent_id', 'host', 'release', 'roles', 'zone', 'cpu_load', 'last_seen_at'];

export const agentTools = [
  defineClusterTool({
    name: 'list_agents',
    icon: 'agents',
    operations: ['list_agents'],
    input: {
      group: input.shape.group,
      role: input.shape.role,
      ...listArguments(50),
    },
    output: {
      total: z.int().describe('How many there are.'),
      agents: z.array(rowSchema(agent, concise)),
    },
    async run(args, context, clusterId) {
      const { group, role } = args;
      const { agents } = await context.call('list_agents', { virtual_cluster_id: clusterId, group, role });
      const releases = new Set(agents.map(({ release }) => release));
      return answerOfRows({
        tool: 'list_agents',
        args,
        name: 'agents',
        concise,
        items: agents,
        keyOf: ({ agent_id }) => agent_id,
        rowsOf: (shown) => shown.map(({ started_at, ...row }) => row),
        hint: (shown, hasMore) => {
          if (shown.length === 0 && (group ?? role) !== undefined)
            return 'No agent matches; without group and role it lists all.';
          if (shown.length === 0)
            return 'No agent sent a heartbeat recently: nothing serves Kafka clients here.';
          if (releases.size > 1) return `Agents run ${releases.size} releases: ${[...releases].join(', ')}.`;
          return hasMore ? undefined : 'search_events with event_types ["agent_logs"] shows what they log.';
        },
        consoleUrl: context.consoleUrl(consolePaths.agents(clusterId)),
      });
    },
  }),
];
