import { ApiError, catalogue, clusterTypeNames, consolePaths, type OutputOf } from '@weir/api';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { answerOfRows } from '../answers/rows.ts';
import { formatArguments, hasQuery, listArguments, queryArgument } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { rowSchema } from './rows.ts';
import { defineTool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

type Cluster = OutputOf<'describe_virtual_cluster'>['virtual_cluster'];

const { shape } = catalogue.describe_virtual_cluster.output.shape.virtual_cluster;
const { id, name, type, workspace_id, tier, created_at, cloud_provider } = shape;
const regionName = z.string().describe('Its region or region group.');

/** Details that are read from each cluster. They are `null` while the cluster cannot be reached. */
const clusterDetails = {
  events_enabled: z.boolean().nullable().describe('Whether events are recorded.'),
  agents: z.int().nullable().describe('Agents with a recent heartbeat.'),
  failing_diagnostics: z.int().nullable().describe('Diagnostics that fail and are not muted.'),
};

const row = z.object({
  id,
  name,
  type,
  region: regionName,
  ...clusterDetails,
  workspace_id,
  tier,
  cloud_provider,
  created_at,
});
const concise = ['id', 'name', 'type', 'region', ...Object.keys(clusterDetails)];

const { virtual_cluster_configuration } = catalogue.describe_virtual_cluster_configuration.output.shape;
const { are_acls_enabled, acl_shadowing_enabled, default_topic_type, is_auto_create_topic_enabled } =
  virtual_cluster_configuration.shape;

export const virtualClusterTools = [
  defineTool({
    name: 'list_virtual_clusters',
    icon: 'cluster',
    operations: ['list_virtual_clusters', 'get_events_state', 'list_agents', 'list_diagnostics'],
    input: {
      workspace_id: catalogue.list_virtual_clusters.input.shape.workspace_id,
      type: z.enum(clusterTypeNames).optional().describe('Only clusters of this type.'),
      ...queryArgument,
      ...listArguments(20),
    },
    output: {
      total: z.int().describe('How many there are.'),
      virtual_clusters: z.array(rowSchema(row, concise)).describe('The clusters by name.'),
    },
    async run(args, context) {
      const { virtual_clusters: all } = await context.call('list_virtual_clusters', {
        workspace_id: args.workspace_id,
      });
      const items = all.filter(
        (one) => (args.type === undefined || one.type === args.type) && hasQuery(one.name, args.query),
      );
      return answerOfRows({
        tool: 'list_virtual_clusters',
        args,
        name: 'virtual_clusters',
        concise,
        items,
        keyOf: (one) => one.id,
        rowsOf: async (shown) => {
          const rows = [];
          for (const one of shown)
            rows.push({ ...summaryOf(one), ...(await readMeasuredSnapshot(one.id, context)) });
          return rows;
        },
        hint: (shown) =>
          shown.some((one) => Number(one.failing_diagnostics) > 0)
            ? 'list_diagnostics shows what fails.'
            : undefined,
        consoleUrl: context.consoleUrl(consolePaths.clusters()),
      });
    },
  }),
  defineClusterTool({
    name: 'describe_virtual_cluster',
    icon: 'cluster',
    operations: [
      'describe_virtual_cluster',
      'describe_virtual_cluster_configuration',
      'get_events_state',
      'list_agents',
      'list_diagnostics',
      'monitoring/describe_quotas',
    ],
    summary: 'Describe a virtual cluster: its configuration, the releases of its agents and what fails.',
    input: { ...formatArguments },
    output: {
      virtual_cluster: row.omit({ events_enabled: true, agents: true, failing_diagnostics: true }),
      configuration: z
        .object({
          are_acls_enabled,
          acl_shadowing_enabled,
          default_topic_type,
          is_auto_create_topic_enabled,
        })
        .loose(),
      events: z.object({
        enabled: z.boolean().describe('Whether events are recorded.'),
        event_types: z.array(z.string()).describe('The types that are.'),
        needs: z.string().optional().describe('What is missing for events of the control plane.'),
      }),
      agents: z
        .array(z.object({ release: z.string(), roles: z.string(), count: z.int() }))
        .describe('Agents by release and roles.'),
      quotas: catalogue['monitoring/describe_quotas'].output.shape.quotas,
      failing_diagnostics: z.array(z.string()).describe('What fails; get_diagnostic explains one.'),
    },
    async run({ format, max_tokens }, context, clusterId) {
      const target = { virtual_cluster_id: clusterId };
      const [described, configured, events, { agents }, { quotas }, { diagnostics }] = await Promise.all([
        context.call('describe_virtual_cluster', target),
        context.call('describe_virtual_cluster_configuration', target),
        context.call('get_events_state', target),
        context.call('list_agents', target),
        context.call('monitoring/describe_quotas', target),
        context.call('list_diagnostics', { ...target, state: 'failing' }),
      ]);
      const {
        broker_configs,
        inactive_topics_ttl: _,
        ...settings
      } = configured.virtual_cluster_configuration;
      return answerOf(
        {
          virtual_cluster: summaryOf(described.virtual_cluster),
          configuration: format === 'detailed' ? { ...settings, broker_configs } : settings,
          events: eventsOf(events, agents),
          agents: agentCounts(agents),
          quotas,
          failing_diagnostics: diagnostics.map(({ diagnostic_id }) => diagnostic_id),
        },
        {
          hint: diagnostics.length > 0 ? 'get_diagnostic explains what fails and what to do.' : undefined,
          console_url: context.consoleUrl(consolePaths.cluster(clusterId)),
        },
        { format, max_tokens },
      );
    },
  }),
];

function summaryOf(cluster: Cluster) {
  const { region, region_group } = cluster.cluster_region;
  return {
    id: cluster.id,
    name: cluster.name,
    type: cluster.type,
    region: region?.name ?? region_group?.name ?? '',
    workspace_id: cluster.workspace_id,
    tier: cluster.tier,
    cloud_provider: cluster.cloud_provider,
    created_at: cluster.created_at,
  };
}

/** A cluster without a leader must not hide the others. */
async function readMeasuredSnapshot(clusterId: string, context: ToolContext) {
  const target = { virtual_cluster_id: clusterId };
  const orNull = (error: unknown) => {
    if (error instanceof ApiError && ['unavailable', 'not_found'].includes(error.code)) return null;
    throw error;
  };
  const [events, agents, diagnostics] = await Promise.all([
    context.call('get_events_state', target).catch(orNull),
    context.call('list_agents', target).catch(orNull),
    context.call('list_diagnostics', { ...target, state: 'failing' }).catch(orNull),
  ]);
  return {
    events_enabled: events?.enabled ?? null,
    agents: agents?.agents.length ?? null,
    failing_diagnostics: diagnostics?.diagnostics.length ?? null,
  };
}

function eventsOf(state: OutputOf<'get_events_state'>, agents: OutputOf<'list_agents'>['agents']) {
  const types = Object.entries(state.event_types).filter(([, one]) => one?.enabled !== false);
  const hasJobs = agents.some(({ roles }) => roles.includes('jobs'));
  return {
    enabled: state.enabled,
    event_types: types.map(([type]) => type),
    ...(hasJobs ? {} : { needs: 'No agent has the jobs role, which control plane events require.' }),
  };
}

function agentCounts(agents: OutputOf<'list_agents'>['agents']) {
  const counts = new Map<string, { release: string; roles: string; count: number }>();
  for (const { release, roles } of agents) {
    const one = { release, roles: roles.join(','), count: 0 };
    const key = `${one.release} ${one.roles}`;
    const known = counts.get(key) ?? one;
    counts.set(key, { ...known, count: known.count + 1 });
  }
  return [...counts.values()];
}
