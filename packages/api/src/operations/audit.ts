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
/** Partitions of one entry about records. */
const readPartitionsMax = 50;
const targetText = () => text(256);

const entry = z
  .object({
    id: id('auditEntry').describe('The entry.'),
    time: time().describe('When it happened.'),
    actor_kind: z.enum(actorKinds).describe('The type of caller.'),
    actor_id: text(136).nullable().describe('The id of the user or key, or `null` if unknown.'),
    actor_name: text(apiLimits.emailCharsMax).nullable().describe('Its name at that time.'),
    remote_address: text(64).describe('The address of the caller.'),
    via: z
      .enum(['api', 'mcp'])
      .describe('Whether the call came through the API or from an assistant over MCP.'),
    operation: text(128).describe('What was called.'),
    workspace_id: id('workspace').nullable().describe('The workspace, or `null`.'),
    targets: list(targetText(), targetsMax).describe(
      'Ids and names of the affected objects; never a secret.',
    ),
    changes: list(
      z.object({
        name: targetText().describe('The config, the partition or the field.'),
        before: targetText().nullable().describe('`null` if there was no value, or the default.'),
        after: targetText().nullable().describe('`null` if the value was removed.'),
      }),
      changesMax,
    ).describe('What changed; never a secret. Empty if the operation does not report it.'),
    read: z
      .object({
        record_count: count().describe('Records that were returned.'),
        scanned_record_count: count().describe('With those that a filter left out.'),
        partitions: list(
          z.object({
            partition: count().describe('The partition.'),
            first_offset: count().describe('The lowest offset that was returned.'),
            last_offset: count().describe('The highest.'),
          }),
          readPartitionsMax,
        ).describe('Where they were.'),
        other_partition_count: count().describe('Partitions that are not listed.'),
      })
      .nullable()
      .describe('The records that `read_records` returned; `null` for other operations.'),
    result: text(64).describe('`ok`, or the code of the error.'),
    message: text().describe('The error message, or empty.'),
    count: count().describe(
      'How often it happened within a minute of `time`; more than 1 only for refused calls and `read_records`.',
    ),
  })
  .meta({ id: 'AuditEntry', description: 'Who did what, when, from where, and the outcome.' });

export const auditOperations = [
  defineOperation({
    name: 'search_audit_log',
    title: 'Search the audit log',
    summary: 'Search the audit log, newest entries first.',
    description:
      'The log records every call that changes something or reads records, every refused attempt to do so, and every sign-in attempt. Repeated refusals are one entry a minute for each caller, operation and error. Agent calls that the agent key does not allow have the prefix `agent_rpc/`. Administrators of a workspace and keys with the grant `read_audit_log` see its entries; entries about the account are visible to administrators of all workspaces.',
    scope: 'workspace',
    input: z.strictObject({
      workspace_id: workspaceFilter(),
      relative: text(32)
        .optional()
        .describe('A relative range such as `1h` or `7d`, instead of `start` and `end`.'),
      start: timeOfCaller().optional().describe('The start, inclusive.'),
      end: timeOfCaller().optional().describe('The end, exclusive.'),
      actor: text(apiLimits.emailCharsMax).optional().describe('Only this user or key, by id or name.'),
      operation: text(128).optional().describe('Only calls of this operation.'),
      target: targetText().optional().describe('Only entries with this target.'),
      result: text(64).optional().describe('Only this result: `ok`, or an error code.'),
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
            read: null,
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
