import { hash } from 'node:crypto';
import type { OperationName } from '@weir/api';
import * as z from 'zod';
import { answerOf, type ToolAnswer } from '../answers/answer.ts';
import { cellOf } from '../answers/concise-text.ts';
import { ToolProblem } from '../answers/problem.ts';
import type { IconName } from '../icons.ts';
import { mcpLimits } from '../limits.ts';
import type { clusterArgument } from '../tools/arguments.ts';
import { defineClusterTool } from '../tools/cluster-tool.ts';
import { reachedClusters } from '../tools/find-cluster.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolContext } from '../tools/tool-context.ts';

/** One value that a call changes. */
export interface Change {
  readonly name: string;
  /** `null` if there is no value, or the default. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What a call would change. */
export interface Plan {
  /** The change as an order: `Create the topic orders`. */
  readonly title: string;
  /** None if it is already so. */
  readonly changes: readonly Change[];
  /** What a person has to know before it is done. */
  readonly warnings?: readonly string[];
  /** The console page on which a person can do the same. */
  readonly consolePath: string;
}

type Args<Input extends z.ZodRawShape> = z.output<z.ZodObject<typeof clusterArgument & Input>>;

interface WriteToolDefinition<Input extends z.ZodRawShape> {
  readonly name: string;
  readonly icon: IconName;
  /** The operation that makes the change. It provides the description. */
  readonly changes: OperationName;
  /** Other operations that make it, if it is one of several. */
  readonly alsoChanges?: readonly OperationName[];
  /** Operations that the plan reads. */
  readonly reads: readonly OperationName[];
  readonly isDestructive: boolean;
  readonly note?: string;
  readonly input: Input;
  readonly plan: (args: Args<Input>, context: ToolContext, clusterId: string) => Promise<Plan>;
  readonly apply: (args: Args<Input>, context: ToolContext, clusterId: string) => Promise<unknown>;
}

/** Explained in the instructions of the server, since every tool that writes has it. */
const dryRunArgument = { dry_run: z.boolean().default(true) };

const answerOptions = { format: 'concise', max_tokens: mcpLimits.mcpAnswerTokensUsual } as const;

/**
 * Defines a tool that changes something: it plans first, and makes the change only after the user of the client has
 * confirmed that plan.
 */
export function defineWriteTool<Input extends z.ZodRawShape>(definition: WriteToolDefinition<Input>): Tool {
  const {
    name,
    icon,
    changes,
    alsoChanges = [],
    reads,
    isDestructive,
    note,
    input,
    plan,
    apply,
  } = definition;
  return defineClusterTool({
    name,
    icon,
    operations: [changes, ...alsoChanges, ...reads],
    changes,
    isDestructive,
    ...(note === undefined ? {} : { note }),
    input: { ...input, ...dryRunArgument },
    output: {
      applied: z.boolean(),
      change: z.string(),
      changes: z.array(
        z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
      ),
      warnings: z.array(z.string()),
    },
    async run(given, context, clusterId) {
      const { dry_run: isDryRun, ...rest } = given as { readonly dry_run: boolean };
      const args = rest as unknown as Args<Input>;
      if (!isDryRun && !context.canConfirm) throw cannotConfirm(context);
      const planned = await plan(args, context, clusterId);
      const answer = (applied: boolean, hint: string) => answerWith(planned, applied, hint, context);
      if (planned.changes.length === 0) return answer(false, 'There is nothing to change: it is already so.');
      if (isDryRun) return answer(false, context.canConfirm ? dryRunHint : cannotConfirmHint);
      const question = {
        message: await questionOf(planned, clusterId, context),
        digest: digestOf([name, clusterId, args], planned),
      };
      if (!(await context.confirm(question)))
        return answer(false, 'The user declined. Do not ask again unless they want it.');
      await apply(args, context, clusterId);
      return answer(true, 'Done. search_audit_log shows the entry.');
    },
  });
}

const dryRunHint =
  'Nothing was changed. With dry_run false the user is asked to confirm, and then it is done.';
const cannotAsk =
  'This client does not ask its user (elicitation in MCP revision 2026-07-28), so that it cannot make changes.';
const cannotConfirmHint = `Nothing was changed. ${cannotAsk} A person can do it in the console.`;

function cannotConfirm(context: ToolContext): ToolProblem {
  return new ToolProblem(
    'confirmation_unavailable',
    `${cannotAsk} Nothing was changed; use dry_run, and let a person make the change in the console: ${context.consoleUrl('/')}`,
  );
}

function answerWith(
  { title, changes, warnings = [], consolePath }: Plan,
  applied: boolean,
  hint: string,
  context: ToolContext,
): ToolAnswer {
  return answerOf(
    { applied, change: title, changes, warnings },
    { hint, console_url: context.consoleUrl(consolePath) },
    answerOptions,
  );
}

/** What the user reads before they confirm. Names that clients choose cannot begin a new line. */
async function questionOf(
  { title, changes, warnings = [] }: Plan,
  clusterId: string,
  context: ToolContext,
): Promise<string> {
  const cluster = (await reachedClusters(context)).find(({ id }) => id === clusterId);
  const shown = changes.slice(0, mcpLimits.mcpConfirmationRowsMax);
  const moreCount = changes.length - shown.length;
  return [
    `${cellOf(title)} in the virtual cluster ${cellOf(cluster?.name ?? clusterId)}?`,
    ...shown.map(
      ({ name, before, after }) => `${cellOf(name)}: ${shortValue(before)} → ${shortValue(after)}`,
    ),
    ...(moreCount === 0 ? [] : [`and ${moreCount} more`]),
    ...warnings.map((warning) => `Warning: ${cellOf(warning)}`),
  ].join('\n');
}

const valueCharsMax = 200;

function shortValue(value: string | null): string {
  if (value === null) return 'none';
  const text = cellOf(value);
  return text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text;
}

/**
 * Identifies a change by its arguments and by what it replaces. After it is made, or if something else has changed the
 * same, a confirmation no longer matches; so it counts once. What a value becomes follows from the arguments, except
 * for ends of partitions, which move on.
 */
function digestOf(call: readonly unknown[], { changes }: Plan): string {
  const replaced = changes.map(({ name, before }) => [name, before]);
  return hash('sha256', JSON.stringify([call, replaced]), 'base64url');
}
