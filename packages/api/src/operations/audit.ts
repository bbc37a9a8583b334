import * as z from 'zod';
import {
  count,
  examples,
  list,
  pageInput,
  pageOutput,
  text,
  time,
  timeOfCaller,
  workspaceFilter,
} from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { defineOperation } from '../operation.ts';

export const actorKinds = ['user', 'api_key', 'agent', 'anonymous', 'system'] as const;

/** The maximum number of ids in one audited call. */
const targetsMax = 16;
/** The maximum number of values in one entry, and a line that counts the rest. */
const changesMax = 51;
const targetText = () => text(256);

const entry = z
  .object({
    id: id('auditEntry').describe('The entry.'),
    time: time().describe('When it happened.'),
    actor_kind: z.enum(actorKinds).describe('What called.'),
    actor_id: text(136).nullable().describe('The user or key that called, or `null` if unknown.'),
    actor_name: text(apiLimits.emailCharsMax).nullable().describe('Its name then.'),
    remote_address: text(64).describe('Where the call came from.'),
    via: z
      .enum(['api', 'mcp'])
      .describe('Whether the call came through the API or from an assistant over MCP.'),
    operation: text(128).describe('What was called.'),
    workspace_id: id('workspace').nullable().describe('The workspace that it was about, or `null`.'),
    targets: list(targetText(), targetsMax).describe('The ids and names that it was about. Never a secret.'),
    changes: list(
      z.object({
        name: targetText().describe('The config, the partition or the field.'),
        before: targetText().nullable().describe('`null` if there was no value, or the default.'),
        after: targetText().nullable().describe('`null` if the value was removed.'),
      }),
      changesMax,
    ).describe('What it changed. Never a secret; empty for operations that do not report it.'),
    result: text(64).describe('`ok`, or the code of the error.'),
    message: text().describe('What the error said; empty for none.'),
    count: count().describe(
      'How often it happened within a minute from `time` on; more than 1 only for refused calls and `read_records`.',
    ),
  })
  .meta({ id: 'AuditEntry', description: 'Who did what, when, from where, and the outcome.' });

export const auditOperations = [
  defineOperation({
    name: 'search_audit_log',
    title: 'Search the audit log',
    summary: 'Search the audit log, newest entries first.',
    description:
      'Every call that changes something is recorded, or that was meant to and was refused, and every attempt to sign in. Calls that are refused again and again are one entry a minute for each caller, operation and error. Calls that an agent key does not allow stand under `agent_rpc/` and their name. Administrators of a workspace see what was done in it; what is about the account is for administrators of all workspaces.',
    scope: 'workspace',
    input: z.strictObject({
      workspace_id: workspaceFilter(),
      relative: text(32)
        .optional()
        .describe('The last part of time, such as `1h` or `7d`; instead of `start` and `end`.'),
      start: timeOfCaller().optional().describe('The earliest moment.'),
      end: timeOfCaller().optional().describe('The moment before which it happened.'),
      actor: text(apiLimits.emailCharsMax)
        .optional()
        .describe('Only what this user or key did: its id or its name.'),
      operation: text(128).optional().describe('Only calls of this operation.'),
      target: targetText().optional().describe('Only what was about this id or name.'),
      result: text(64).optional().describe('Only calls that ended so: `ok`, or the code of an error.'),
      ...pageInput(100),
    }),
    output: z.object({
      entries: list(entry, apiLimits.apiPageRowsMax).describe('The entries.'),
      ...pageOutput,
    }),
    errors: ['not_found'],
    example: {
      input: { operation: 'update_topic', start: '2026-01-31T00:00:00Z' },
      output: {
        entries: [
          {
            id: examples.audit,
            time: examples.time,
            actor_kind: 'user',
            actor_id: examples.user,
            actor_name: 'ada@example.com',
            remote_address: '203.0.113.7',
            via: 'api',
            operation: 'update_topic',
            workspace_id: examples.workspace,
            targets: [examples.cluster, 'orders'],
            changes: [{ name: 'retention.ms', before: '604800000', after: '3600000' }],
            result: 'ok',
            message: '',
            count: 1,
          },
        ],
        next_cursor: null,
      },
    },
  }),
] as const;
