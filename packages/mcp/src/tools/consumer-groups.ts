import { catalogue, consolePaths } from '@weir/api';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { answerOfPages } from '../answers/rows.ts';
import { formatArguments, listArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { rowSchema } from './rows.ts';
import { orSuggest } from './suggest-name.ts';
import type { ToolContext } from './tool-context.ts';

const { input, output } = catalogue.list_consumer_groups;
const concise = ['name', 'state', 'member_count', 'total_lag', 'max_lag'];

const group = catalogue.describe_consumer_group.output.shape.group.shape;
const partition = group.topics.element.shape.partitions.element.shape;
const member = group.members.element.shape;

/** Names that are compared to suggest a similar one. */
const namesMax = 1000;

export const consumerGroupTools = [
  defineClusterTool({
    name: 'list_consumer_groups',
    icon: 'group',
    operations: ['list_consumer_groups'],
    note: 'The largest lag comes first.',
    input: {
      query: input.shape.query.describe('Part of the name.'),
      lag_min: input.shape.lag_min.describe('At least this lag.'),
      sort_by: z.enum(['lag', 'name']).default('lag').describe('The largest lag first, or by name.'),
      ...listArguments(50),
    },
    output: { groups: z.array(rowSchema(output.shape.groups.element, concise)) },
    async run(args, context, clusterId) {
      return answerOfPages({
        tool: 'list_consumer_groups',
        args,
        name: 'groups',
        concise,
        async page(limit, cursor) {
          const { groups, next_cursor } = await context.call('list_consumer_groups', {
            virtual_cluster_id: clusterId,
            query: args.query,
            lag_min: args.lag_min,
            sort_by: args.sort_by,
            limit,
            cursor,
          });
          return { rows: groups, nextCursor: next_cursor };
        },
        hint: (shown) => {
          if (shown.length === 0) return 'No consumer group matches.';
          return shown.some(({ total_lag }) => Number(total_lag) > 0)
            ? 'describe_consumer_group shows which partitions are behind, and who reads them.'
            : undefined;
        },
        consoleUrl: context.consoleUrl(consolePaths.consumerGroups(clusterId)),
      });
    },
  }),
  defineClusterTool({
    name: 'describe_consumer_group',
    icon: 'group',
    operations: ['describe_consumer_group', 'list_consumer_groups', 'list_diagnostics', 'get_diagnostic'],
    input: {
      group: catalogue.describe_consumer_group.input.shape.group,
      limit: z.int().min(1).max(200).default(20).describe('Maximum number of partitions, largest lag first.'),
      ...formatArguments,
    },
    output: {
      name: group.name,
      type: group.type,
      state: group.state,
      protocol: group.protocol,
      total_lag: group.total_lag,
      last_commit_at: partition.committed_at,
      diagnostics: z.array(z.object({ diagnostic_id: z.string(), message: z.string(), since: z.string() })),
      partition_count: z.int().describe('How many partitions it has.'),
      topics: z.array(z.object({ name: z.string(), total_lag: z.int() })).describe('Lag by topic.'),
      partitions: z
        .array(
          z.object({
            topic: z.string(),
            partition: partition.partition,
            lag: partition.lag,
            committed_offset: partition.committed_offset,
            committed_at: partition.committed_at,
            end_offset: partition.end_offset,
            member_id: partition.member_id,
          }),
        )
        .describe('The partitions that are behind the most.'),
      members: z
        .array(
          z.object({
            id: member.id,
            client_id: member.client_id,
            client_host: member.client_host,
            partition_count: z.int().describe('Partitions that it reads.'),
          }),
        )
        .describe('Its members.'),
    },
    async run({ group: name, limit, ...options }, context, clusterId) {
      const { group: found } = await context
        .call('describe_consumer_group', { virtual_cluster_id: clusterId, group: name })
        .catch(
          orSuggest({
            name,
            noun: 'group',
            listedBy: 'list_consumer_groups',
            names: () => groupNames(clusterId, context),
          }),
        );
      const partitions = found.topics
        .flatMap(({ name: topic, partitions: all }) =>
          all.map(({ partition, lag, committed_offset, committed_at, end_offset, member_id }) => ({
            topic,
            partition,
            lag,
            committed_offset,
            end_offset,
            committed_at,
            member_id,
          })),
        )
        .sort((a, b) => (b.lag ?? 0) - (a.lag ?? 0));
      const diagnostics = await diagnosticsOf(name, clusterId, context);
      const unread = partitions.filter(({ member_id }) => member_id === null).length;
      return answerOf(
        {
          name: found.name,
          type: found.type,
          state: found.state,
          protocol: found.protocol,
          total_lag: found.total_lag,
          last_commit_at: lastCommit(partitions),
          diagnostics,
          partition_count: partitions.length,
          topics: found.topics.map(({ name: topic, total_lag }) => ({ name: topic, total_lag })),
          partitions: partitions.slice(0, limit),
          members: found.members.map(({ id, client_id, client_host, assignment }) => ({
            id,
            client_id,
            client_host,
            partition_count: assignment.assignments.reduce((sum, one) => sum + one.partitions.length, 0),
          })),
        },
        {
          truncated: partitions.length > limit,
          hint:
            diagnosticHint(diagnostics) ??
            hintOf({ memberCount: found.members.length, unread, isBehind: found.total_lag > 0 }),
          console_url: context.consoleUrl(consolePaths.consumerGroup(clusterId, name)),
        },
        options,
      );
    },
  }),
];

/** Times of one form compare as texts. */
function lastCommit(partitions: readonly { readonly committed_at: string | null }[]): string | null {
  return partitions.reduce<string | null>(
    (last, { committed_at: at }) => (at !== null && (last === null || at > last) ? at : last),
    null,
  );
}

interface GroupDiagnostic {
  readonly diagnostic_id: string;
  readonly message: string;
  readonly since: string;
}

/** Returns what failing diagnostics found about a group. */
async function diagnosticsOf(
  group: string,
  clusterId: string,
  context: ToolContext,
): Promise<GroupDiagnostic[]> {
  const target = { virtual_cluster_id: clusterId };
  const { diagnostics } = await context.call('list_diagnostics', { ...target, state: 'failing' });
  const found: GroupDiagnostic[] = [];
  for (const { diagnostic_id, name } of diagnostics) {
    if (!name.startsWith('consumer_group_')) continue;
    const { diagnostic } = await context.call('get_diagnostic', { ...target, diagnostic_id });
    const finding = diagnostic.groups.find(({ key }) => key === `group:${group}`);
    if (finding !== undefined) found.push({ diagnostic_id, message: finding.message, since: finding.since });
  }
  return found;
}

function diagnosticHint([first]: readonly GroupDiagnostic[]): string | undefined {
  if (first === undefined) return undefined;
  return `${first.diagnostic_id} fails: ${first.message} get_diagnostic says what to do.`;
}

function hintOf(group: { memberCount: number; unread: number; isBehind: boolean }): string | undefined {
  if (group.memberCount === 0)
    return group.isBehind
      ? 'The group has no members: nothing reads, and the lag grows. Start its consumers.'
      : 'The group has no members and is not behind.';
  if (group.unread > 0) return `${group.unread} partitions are read by no member.`;
  return group.isBehind
    ? 'Call again after a while: if the lag grows, add members or look at their hosts.'
    : undefined;
}

async function groupNames(clusterId: string, context: ToolContext): Promise<readonly string[]> {
  const { groups } = await context.call('list_consumer_groups', {
    virtual_cluster_id: clusterId,
    limit: namesMax,
  });
  return groups.map(({ name }) => name);
}
