import { ApiError, catalogue, consolePaths } from '@weir/api';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { ToolProblem } from '../answers/problem.ts';
import { answerOfRows } from '../answers/rows.ts';
import { clusterArgument, formatArguments, listArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { clusterIdOf, onCluster, reachedClusters } from './find-cluster.ts';
import { rowSchema } from './rows.ts';
import { defineTool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

const { input, output } = catalogue.list_diagnostics;
const listed = output.shape.diagnostics.element;
const clusterName = z.string().describe('The virtual cluster that it is about.');
const row = z.object({ virtual_cluster: clusterName, ...listed.shape });
const concise = [
  'virtual_cluster',
  'diagnostic_id',
  'severity',
  'successful',
  'muted',
  'first_failed_at',
  'title',
  'cause',
];

const transition = catalogue.list_diagnostic_history.output.shape.transitions.element.shape;
const transitionsMax = 10;
/** Clusters in one answer. Callers with more ask for one at a time. */
const clustersMax = 50;

export const diagnosticTools = [
  defineTool({
    name: 'list_diagnostics',
    icon: 'diagnostics',
    operations: ['list_diagnostics', 'get_context'],
    note: 'Without a cluster, of all that the keys reach. Those that fail come first.',
    input: {
      virtual_cluster_id: clusterArgument.virtual_cluster_id.optional(),
      state: z.enum(['failing', 'muted', 'all']).default('failing').describe('The state.'),
      severity: input.shape.severity,
      ...listArguments(50),
    },
    output: {
      total: z.int().describe('How many there are.'),
      clusters_looked_at: z.int().describe('Of how many clusters.'),
      unreachable: z.array(z.string()).optional().describe('Clusters that could not be reached.'),
      diagnostics: z.array(rowSchema(row, concise)),
    },
    async run(args, context) {
      const targets = await targetsOf(args.virtual_cluster_id, context);
      const found = [];
      const unreachable: string[] = [];
      for (const { id, name } of targets.slice(0, clustersMax)) {
        const answer = await context
          .call('list_diagnostics', { virtual_cluster_id: id, state: args.state, severity: args.severity })
          .catch((error: unknown) => {
            if (targets.length === 1 || !(error instanceof ApiError) || error.code !== 'unavailable')
              throw error;
            unreachable.push(name);
          });
        for (const one of answer?.diagnostics ?? []) found.push({ virtual_cluster: name, ...one });
      }
      return answerOfRows({
        tool: 'list_diagnostics',
        args,
        name: 'diagnostics',
        concise,
        fields: {
          clusters_looked_at: Math.min(targets.length, clustersMax) - unreachable.length,
          ...(unreachable.length > 0 ? { unreachable } : {}),
        },
        items: found,
        keyOf: (one) => `${one.virtual_cluster} ${one.diagnostic_id}`,
        rowsOf: (shown) => shown,
        hint: (shown) => {
          if (targets.length > clustersMax)
            return `Only ${clustersMax} of ${targets.length} clusters were looked at; name one.`;
          if (shown.length > 0) return 'get_diagnostic shows what was found and what to do.';
          return args.state === 'failing' ? 'Nothing fails.' : 'There are none in this state.';
        },
        consoleUrl: context.consoleUrl(
          targets.length === 1 ? consolePaths.diagnostics(targets[0]!.id) : consolePaths.clusters(),
        ),
      });
    },
  }),
  defineClusterTool({
    name: 'get_diagnostic',
    icon: 'diagnostics',
    operations: ['get_diagnostic', 'list_diagnostic_history', 'list_diagnostics'],
    summary:
      'Describe what a diagnostic found, why that matters, what to do, and when it failed and recovered before.',
    input: {
      diagnostic_id: catalogue.get_diagnostic.input.shape.diagnostic_id,
      ...formatArguments,
    },
    output: {
      diagnostic: catalogue.get_diagnostic.output.shape.diagnostic.omit({}),
      history: z
        .array(
          z.object({
            time: transition.time,
            transition: transition.transition,
            message: transition.message,
            actor: transition.actor,
          }),
        )
        .describe('Its last changes, newest first.'),
    },
    async run({ diagnostic_id, ...options }, context, clusterId) {
      const target = { virtual_cluster_id: clusterId, diagnostic_id };
      const [{ diagnostic }, { transitions, next_cursor }] = await Promise.all([
        context.call('get_diagnostic', target).catch((error: unknown) => orList(error, clusterId, context)),
        context.call('list_diagnostic_history', { ...target, limit: transitionsMax }),
      ]);
      return answerOf(
        {
          diagnostic,
          history: transitions.map(({ time, transition: what, message, actor }) => ({
            time,
            transition: what,
            message,
            actor,
          })),
        },
        {
          truncated: next_cursor !== null || diagnostic.groups_left_out > 0,
          hint: diagnostic.successful
            ? 'It does not fail now; history shows when it did.'
            : `To fix it: ${diagnostic.fix}`,
          console_url: context.consoleUrl(consolePaths.diagnostic(clusterId, diagnostic_id)),
        },
        options,
      );
    },
  }),
];

async function targetsOf(given: string | undefined, context: ToolContext) {
  const clusters = await reachedClusters(context);
  if (given === undefined) return clusters;
  const id = await clusterIdOf(context, given);
  const name = clusters.find((one) => one.id === id)?.name;
  return onCluster(context, given, async () => {
    if (name === undefined) throw new ApiError('not_found');
    return [{ id, name }];
  });
}

async function orList(error: unknown, clusterId: string, context: ToolContext): Promise<never> {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
  const { diagnostics } = await context.call('list_diagnostics', { virtual_cluster_id: clusterId });
  const known = diagnostics.map(({ diagnostic_id }) => diagnostic_id).join(', ');
  throw new ToolProblem(
    'diagnostic_not_found',
    known === ''
      ? 'No diagnostics have run for this cluster yet; try again in a minute.'
      : `Diagnostic not found. Known diagnostics: ${known}.`,
  );
}
