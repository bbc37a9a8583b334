import { ApiError, catalogue, consolePaths, type OutputOf } from '@weir/api';
import { printLiteral } from '@weir/events';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { answerOfRows } from '../answers/rows.ts';
import { formatArguments, listArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { rangeOf, type TimeArguments, timeArguments } from './event-search.ts';
import type { ToolContext } from './tool-context.ts';

const rule = catalogue['virtual_clusters/acls/list'].output.shape.acls.element.omit({});
const { resource_type, operation } = rule.shape;
const concise = Object.keys(rule.shape);
const { deciding_rule: _rule, ...whoShape } =
  catalogue.explain_access.output.shape.who.unwrap().element.shape;
const { virtual_cluster_id: _, ...question } = catalogue.explain_access.input.shape;

export const aclTools = [
  defineClusterTool({
    name: 'list_acls',
    icon: 'access',
    operations: ['virtual_clusters/acls/list', 'describe_virtual_cluster_configuration'],
    note: 'explain_access applies them to a principal.',
    input: {
      principal: z
        .string()
        .max(256)
        .optional()
        .describe('Only rules for this principal: User:name or the name.'),
      resource_type: resource_type.optional().describe('As in explain_access.'),
      resource_name: z.string().max(256).optional().describe('Only rules that apply to this name.'),
      operation: operation.optional().describe('As in explain_access, or ALL.'),
      ...listArguments(50),
    },
    output: {
      total: z.int().describe('How many there are.'),
      mode: catalogue.explain_access.output.shape.mode,
      acls: z.array(rule),
    },
    async run(args, context, clusterId) {
      const target = { virtual_cluster_id: clusterId };
      const [{ acls }, { virtual_cluster_configuration: settings }] = await Promise.all([
        context.call('virtual_clusters/acls/list', target),
        context.call('describe_virtual_cluster_configuration', target),
      ]);
      const mode = settings.are_acls_enabled ? 'enforced' : settings.acl_shadowing_enabled ? 'shadow' : 'off';
      const items = acls.filter(
        (acl) =>
          isAbout(acl.principal, args.principal) &&
          (args.resource_type === undefined || acl.resource_type === args.resource_type) &&
          (args.resource_name === undefined || appliesTo(acl, args.resource_name)) &&
          (args.operation === undefined || ['ALL', args.operation].includes(acl.operation)),
      );
      return answerOfRows({
        tool: 'list_acls',
        args,
        name: 'acls',
        concise,
        fields: { mode },
        items,
        keyOf: (acl) => JSON.stringify(acl),
        rowsOf: (shown) => shown,
        hint: (_shown, hasMore) => modeHints[mode] ?? (hasMore ? undefined : nextCall),
        consoleUrl: context.consoleUrl(consolePaths.acls(clusterId)),
      });
    },
  }),
  defineClusterTool({
    name: 'explain_access',
    icon: 'access',
    operations: ['explain_access', 'get_events_timeline'],
    input: {
      ...question,
      time_range: timeArguments.time_range.describe(
        'Also count its denials in this time, as in search_events.',
      ),
      ...formatArguments,
    },
    output: {
      ...catalogue.explain_access.output.partial().shape,
      near_rules: z.array(z.object({ rule: z.string(), differs_in: z.string() })).optional(),
      who: z.array(z.object({ ...whoShape, deciding_rule: z.string().nullable() })).optional(),
      recent_denials: z.int().nullable().optional().describe('null if the cluster records no events.'),
    },
    async run(
      { virtual_cluster_id: _cluster, time_range, format, max_tokens, ...question },
      context,
      clusterId,
    ) {
      const { who, ...explained } = await context.call('explain_access', {
        virtual_cluster_id: clusterId,
        ...question,
      });
      const { near_rules: near } = explained;
      const names = who === undefined ? explained.principals : undefined;
      const denials =
        time_range === undefined ? {} : await denialsOf(names, question, { clusterId, time_range }, context);
      return answerOf(
        who === undefined
          ? { ...explained, near_rules: near.map(nearRow), ...denials }
          : { ...whoMay(who, explained), ...denials },
        {
          truncated: who !== undefined && who.length < (explained.who_total ?? 0),
          hint: who === undefined ? hintFor(explained, question) : whoHint(who, explained),
          console_url: context.consoleUrl(consolePaths.acls(clusterId)),
        },
        { format, max_tokens },
      );
    },
  }),
];

type Rule = z.output<typeof rule>;
type Explained = OutputOf<'explain_access'>;
type Access = NonNullable<Explained['who']>[number];

interface AccessQuestion {
  readonly operation: string;
  readonly resource_type: string;
  readonly resource_name: string;
}

function hintFor(
  explained: Explained,
  { operation, resource_type, resource_name }: AccessQuestion,
): string | undefined {
  if (explained.do_rules_allow) return undefined;
  return explained.deciding_rule === null
    ? `A rule that allows it: ALLOW ${explained.principals[0]} ${operation} on ${resource_type} ${resource_name} from *. An administrator can add it.`
    : 'DENY takes precedence over ALLOW; an administrator can delete the rule. list_acls with the principal shows the others.';
}

function whoHint(who: readonly Access[], { mode, who_total: total = 0 }: Explained): string {
  const rest = who.length < total ? `Only ${who.length} of ${total} are listed, those who may first. ` : '';
  return `${rest}${modeHints[mode] ?? 'User:* is every user that no other row names. With a principal it also shows rules that nearly apply.'}`;
}

/** Those who may come first. What the operation says of all others is the row of `User:*`. */
function whoMay(who: readonly Access[], { who_total, mode }: Explained) {
  const rows = who.toSorted((a, b) => Number(b.is_allowed) - Number(a.is_allowed)).map(whoRow);
  return { who: rows, who_total, mode };
}

function whoRow({ deciding_rule: decided, ...access }: Access) {
  return { ...access, deciding_rule: decided === null ? null : inWords(decided) };
}

function nearRow({ rule: one, differs_in }: Explained['near_rules'][number]) {
  return { rule: inWords(one), differs_in };
}

/** Formats a rule for one cell. */
export function inWords(explained: Rule): string {
  const { permission_type, principal, operation, resource_type, resource_name, pattern_type, host } =
    explained;
  const name = pattern_type === 'PREFIXED' ? `${resource_name}…` : resource_name;
  return `${permission_type} ${principal} ${operation} on ${resource_type} ${name} from ${host}`;
}

const nextCall = 'explain_access shows which of them decides about a principal.';

const modeHints: Readonly<Record<string, string | undefined>> = {
  off: 'ACLs are off: all requests are allowed.',
  shadow: 'ACLs are in shadow mode: nothing is denied yet.',
};

/** Counts recent denials, for these names or for any. Unknown without events. */
async function denialsOf(
  principals: readonly string[] | undefined,
  question: AccessQuestion,
  { clusterId, ...time }: TimeArguments & { readonly clusterId: string },
  context: ToolContext,
): Promise<{ readonly recent_denials: number | null }> {
  const filter = [
    ...(principals === undefined ? [] : [`data.principal in [${principals.map(printLiteral).join(', ')}]`]),
    // Agents of earlier releases recorded denials only.
    'data.is_allowed in [false, null]',
    `data.operation == ${printLiteral(question.operation)}`,
    `data.resource_type == ${printLiteral(question.resource_type)}`,
    `data.resource_name == ${printLiteral(question.resource_name)}`,
  ].join(' and ');
  const time_range = rangeOf(time, context);
  const search = { virtual_cluster_id: clusterId, event_types: ['acl_logs' as const], filter, time_range };
  try {
    const { timeline } = await context.call('get_events_timeline', search);
    return { recent_denials: timeline.series.reduce((sum, { count }) => sum + count, 0) };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'events_disabled') return { recent_denials: null };
    throw error;
  }
}

/** Rules for all principals apply to each. */
function isAbout(principal: string, wanted: string | undefined): boolean {
  return wanted === undefined || [wanted, `User:${wanted}`, 'User:*'].includes(principal);
}

function appliesTo({ resource_name: name, pattern_type: pattern }: Rule, resource: string): boolean {
  return pattern === 'PREFIXED' ? resource.startsWith(name) : name === '*' || name === resource;
}
