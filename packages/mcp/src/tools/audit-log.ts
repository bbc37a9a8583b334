import { catalogue, consolePaths } from '@weir/api';
import * as z from 'zod';
import { ToolProblem } from '../answers/problem.ts';
import { answerOfPages } from '../answers/rows.ts';
import { listArguments } from './arguments.ts';
import { rowSchema } from './rows.ts';
import { defineTool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

const { input, output } = catalogue.search_audit_log;
const { limit: _limit, cursor: _cursor, ...search } = input.shape;
const concise = ['time', 'actor_name', 'operation', 'targets', 'result'];

export const auditLogTools = [
  defineTool({
    name: 'search_audit_log',
    icon: 'access',
    operations: ['search_audit_log', 'get_context'],
    note: 'Who changed or read what. Needs an admin key or the grant read_audit_log.',
    input: {
      ...search,
      workspace_id: search.workspace_id.describe('Only this workspace.'),
      relative: search.relative.describe('Such as `7d`, instead of start and end.'),
      start: search.start.describe('The start.'),
      end: search.end.describe('The end.'),
      target: search.target.describe('Only this target.'),
      result: search.result.describe('`ok`, or an error code.'),
      ...listArguments(50),
    },
    output: { entries: z.array(rowSchema(output.shape.entries.element, concise)) },
    async run(args, context) {
      const { limit: _rows, cursor: _place, format: _format, max_tokens: _tokens, ...query } = args;
      const unseen = await unseenWorkspaces(context, args.workspace_id);
      return answerOfPages({
        tool: 'search_audit_log',
        args,
        name: 'entries',
        concise,
        async page(limit, cursor) {
          const found = await context.call('search_audit_log', { ...query, limit, cursor });
          return { rows: found.entries, nextCursor: found.next_cursor };
        },
        hint: (shown, hasMore) => {
          const others =
            unseen.length === 0
              ? ''
              : `These keys do not see the log of ${unseen.join(', ')}, which is left out.`;
          const what =
            shown.length === 0
              ? 'No entry matches. Widen the time range, or omit actor, operation, target or result.'
              : hasMore
                ? 'There are more; call again with cursor set to next_cursor, or narrow the time.'
                : 'format "detailed" shows ids, addresses and error messages.';
          return [what, others].filter(Boolean).join(' ');
        },
        consoleUrl: context.consoleUrl(consolePaths.auditLog()),
      });
    },
  }),
];

/**
 * Returns the names of the workspaces whose entries the caller may not see, and throws if it may see none. Otherwise an
 * empty list would look as if nothing had happened.
 */
async function unseenWorkspaces(
  context: ToolContext,
  wanted: string | undefined,
): Promise<readonly string[]> {
  const { workspaces, is_account_admin } = await context.call('get_context', {});
  if (is_account_admin) return [];
  const selected = workspaces.filter(({ id }) => wanted === undefined || id === wanted);
  const unseen = selected.filter((one) => !one.may_read_audit_log).map(({ name }) => name);
  if (unseen.length < selected.length || (selected.length === 0 && wanted !== undefined)) return unseen;
  throw new ToolProblem(
    'forbidden',
    'The audit log is for administrators of a workspace and for keys with the grant read_audit_log. Create one with weir cli mcp-config -mcp-reads audit_log.',
  );
}
