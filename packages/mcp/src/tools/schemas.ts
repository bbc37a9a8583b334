import { catalogue, consolePaths } from '@weir/api';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { answerOfPages } from '../answers/rows.ts';
import { formatArguments, listArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { rowSchema } from './rows.ts';
import { orSuggest } from './suggest-name.ts';
import type { ToolContext } from './tool-context.ts';

const listed = catalogue.list_subjects;
const concise = ['subject', 'schema_type', 'latest_version', 'compatibility_level', 'is_deleted'];

const described = catalogue.describe_schema;
const checked = catalogue.check_schema_compatibility;

/** Names that are compared to suggest a similar one. */
const namesMax = 1000;

export const schemaTools = [
  defineClusterTool({
    name: 'list_subjects',
    icon: 'schema',
    operations: ['list_subjects'],
    input: {
      subject_prefix: listed.input.shape.subject_prefix,
      include_deleted: listed.input.shape.include_deleted,
      ...listArguments(50),
    },
    output: { subjects: z.array(rowSchema(listed.output.shape.subjects.element, concise)) },
    async run(args, context, clusterId) {
      return answerOfPages({
        tool: 'list_subjects',
        args,
        name: 'subjects',
        concise,
        async page(limit, cursor) {
          const { subjects, next_cursor } = await context.call('list_subjects', {
            virtual_cluster_id: clusterId,
            subject_prefix: args.subject_prefix,
            include_deleted: args.include_deleted,
            limit,
            cursor,
          });
          return { rows: subjects, nextCursor: next_cursor };
        },
        hint: (shown, hasMore) => {
          if (shown.length === 0)
            return args.subject_prefix === undefined
              ? 'The schema registry of the virtual cluster is empty.'
              : 'No subject has this prefix; omit subject_prefix.';
          const unchecked = shown.filter(({ compatibility_level }) => compatibility_level === 'NONE');
          if (unchecked.length > 0)
            return `${unchecked.length} of these subjects accept any schema as their next version (NONE).`;
          return hasMore ? undefined : 'describe_schema shows the schema of one.';
        },
        consoleUrl: context.consoleUrl(consolePaths.subjects(clusterId)),
      });
    },
  }),
  defineClusterTool({
    name: 'describe_schema',
    icon: 'schema',
    operations: ['describe_schema', 'list_subjects'],
    note: 'Set a subject, a schema id or a GUID.',
    input: {
      subject: described.input.shape.subject,
      version: described.input.shape.version,
      schema_id: described.input.shape.schema_id,
      guid: described.input.shape.guid,
      include_deleted: described.input.shape.include_deleted,
      ...formatArguments,
    },
    output: described.output.shape,
    async run({ virtual_cluster_id: _cluster, format, max_tokens, ...named }, context, clusterId) {
      const found = await context
        .call('describe_schema', { virtual_cluster_id: clusterId, ...named })
        .catch(orSuggestSubject(named.subject, clusterId, context));
      return answerOf(
        { ...found },
        {
          hint: schemaHint(found),
          console_url: context.consoleUrl(consolePaths.subject(clusterId, found.subject ?? '')),
        },
        { format, max_tokens },
      );
    },
  }),
  defineClusterTool({
    name: 'check_schema_compatibility',
    icon: 'schema',
    operations: ['check_schema_compatibility', 'list_subjects'],
    note: 'Nothing is registered.',
    input: {
      subject: checked.input.shape.subject,
      schema: checked.input.shape.schema,
      schema_type: checked.input.shape.schema_type,
      references: checked.input.shape.references,
      version: checked.input.shape.version,
      ...formatArguments,
    },
    output: {
      is_compatible: checked.output.shape.is_compatible,
      compatibility_level: checked.output.shape.compatibility_level,
      is_registered: checked.output.shape.is_registered,
      compared_version: checked.output.shape.compared_version,
      violations: checked.output.shape.violations,
      diff: checked.output.shape.diff,
    },
    async run({ virtual_cluster_id: _cluster, format, max_tokens, ...schema }, context, clusterId) {
      const found = await context
        .call('check_schema_compatibility', { virtual_cluster_id: clusterId, ...schema })
        .catch(orSuggestSubject(schema.subject, clusterId, context));
      return answerOf(
        { ...found },
        {
          hint: verdictHint(found),
          console_url: context.consoleUrl(consolePaths.subject(clusterId, schema.subject)),
        },
        { format, max_tokens },
      );
    },
  }),
];

function schemaHint(found: {
  readonly subject: string | null;
  readonly is_deleted: boolean;
  readonly mode: string | null;
  readonly compatibility_level: string | null;
}): string | undefined {
  if (found.subject === null) return 'No subject uses this schema any more.';
  if (found.is_deleted) return 'This version is deleted; it can be read until it is deleted for good.';
  if (found.mode?.startsWith('READONLY') === true)
    return `Nothing can be registered: the mode is ${found.mode}.`;
  if (found.compatibility_level === 'NONE') return 'New versions are not checked: the level is NONE.';
  return 'check_schema_compatibility says whether another schema could be its next version.';
}

function verdictHint(found: {
  readonly is_compatible: boolean;
  readonly is_registered: boolean;
  readonly compared_version: number | null;
  readonly compatibility_level: string;
  readonly violations: readonly unknown[];
}): string {
  if (found.is_registered) return 'The subject has this schema already; registering it changes nothing.';
  if (!found.is_compatible)
    return `It cannot be registered: the level ${found.compatibility_level} forbids ${found.violations.length} of the differences to version ${found.compared_version}. Change the schema, or register it under another subject.`;
  if (found.compared_version === null) return 'The subject has no versions, so any valid schema fits.';
  return found.compatibility_level === 'NONE'
    ? 'The level NONE allows any valid schema.'
    : 'It can be registered.';
}

function orSuggestSubject(name: string | undefined, clusterId: string, context: ToolContext) {
  if (name === undefined) return (error: unknown) => Promise.reject(error);
  return orSuggest({
    name,
    noun: 'subject',
    listedBy: 'list_subjects',
    async names() {
      const limits = { virtual_cluster_id: clusterId, limit: namesMax };
      const { subjects } = await context.call('list_subjects', limits);
      return subjects.map(({ subject }) => subject);
    },
  });
}
