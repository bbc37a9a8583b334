import { catalogue, consolePaths, type OutputOf } from '@weir/api';
import * as z from 'zod';
import { answerOfRows } from '../answers/rows.ts';
import { listArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { rowSchema } from './rows.ts';

const { input, output } = catalogue.list_clients;
const { virtual_cluster_id: _, ...question } = input.shape;
const { shape } = output;
const concise = ['software_name', 'software_version', 'connections', 'principals', 'client_ids', 'agents'];

/** This many are named; the hint has the total. */
const silentAgentsMax = 10;

type Found = OutputOf<'list_clients'>;

const row = z.object({ ...shape.clients.element.shape, agents: z.array(z.string()) });

export const clientTools = [
  defineClusterTool({
    name: 'list_clients',
    icon: 'agents',
    operations: ['list_clients'],
    input: {
      ...question,
      outdated: z
        .boolean()
        .default(false)
        .describe('Only versions older than another that is connected, and clients without a name.'),
      ...listArguments(50),
    },
    output: {
      total: z.int().describe('How many kinds there are.'),
      connections: shape.connections,
      unlisted_connections: shape.unlisted_connections,
      reported_at: shape.reported_at,
      silent_agents: shape.silent_agents,
      clients: z.array(rowSchema(row, concise)),
    },
    async run(args, context, clusterId) {
      const { software_name, software_version, agent_id } = args;
      const found = await context.call('list_clients', {
        virtual_cluster_id: clusterId,
        software_name,
        software_version,
        agent_id,
      });
      const { clients, connections, unlisted_connections, reported_at, silent_agents } = found;
      const silent = silent_agents.slice(0, silentAgentsMax);
      return answerOfRows({
        tool: 'list_clients',
        args,
        name: 'clients',
        concise,
        fields: { connections, unlisted_connections, reported_at, silent_agents: silent },
        items: args.outdated ? outdatedOf(clients) : clients,
        keyOf: (one) => JSON.stringify([one.software_name, one.software_version]),
        rowsOf: (shown) => shown.map(rowOf),
        hint: (shown, hasMore) => hintOf(found, shown.length, hasMore, args.outdated),
        consoleUrl: context.consoleUrl(consolePaths.agents(clusterId)),
      });
    },
  }),
];

function rowOf({ agents, agent_count, ...one }: Found['clients'][number]) {
  return { ...one, agents: agents.map((agent) => `${agent.agent_id} (${agent.connections})`), agent_count };
}

/**
 * Returns kinds of clients of which a newer version is connected too, and those that do not say their name, as Java
 * clients before 2.4 do not.
 */
function outdatedOf(clients: Found['clients']): Found['clients'] {
  const newest = new Map<string, string>();
  for (const { software_name: name, software_version: version } of clients)
    if (compareVersions(version, newest.get(name) ?? '') > 0) newest.set(name, version);
  return clients.filter(
    ({ software_name: name, software_version: version }) =>
      name === '' || compareVersions(version, newest.get(name) ?? '') < 0,
  );
}

/** Compares versions by their numbers: 1.10.0 is newer than 1.9.2. */
function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function hintOf(found: Found, shownCount: number, hasMore: boolean, isOutdated: boolean): string | undefined {
  const { total, connections: all, silent_agents: silent, unlisted_connections: unlisted } = found;
  const notes = [
    shownCount > 0
      ? undefined
      : all === 0
        ? 'No client was connected at the last report; agents report every 20 seconds.'
        : isOutdated
          ? 'Every client has the newest version of its software that is connected.'
          : 'No client matches; without arguments it lists all.',
    silent.length > 0 ? `${silent.length} agents have not reported clients recently.` : undefined,
    unlisted > 0 ? `${unlisted} connections use client software beyond the limit of the report.` : undefined,
    total > found.clients.length
      ? `Only the first ${found.clients.length} of ${total} kinds are listed.`
      : undefined,
    hasMore ? 'There are more; call again with cursor set to next_cursor.' : undefined,
  ].filter((note) => note !== undefined);
  return notes.length > 0 ? notes.join(' ') : undefined;
}
