import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { examples, flag, list, prose, text, time } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { defineOperation } from '../operation.ts';

const viewName = () =>
  text(apiLimits.eventViewNameCharsMax, 1).refine((name) => name.trim() === name, {
    error: 'begins or ends with a space',
  });

const parameter = (meaning: string, charsMax = 64) => text(charsMax).optional().describe(meaning);

/** As in the URL of the page, without what names one event. */
const searchFields = {
  types: parameter('Comma-separated event types; empty for all.', 1024),
  metrics: parameter('`show` to include events that are metrics in a search of all types.'),
  filter: prose(coreLimits.filterCharsMax).optional().describe('The filter.'),
  relative: parameter('A relative range such as `15m`.'),
  preset: parameter('`today` or `yesterday`.'),
  day: parameter('A day such as `2026-01-31`.'),
  from: parameter('With `day`: the start of the part.'),
  to: parameter('With `day`: the end of the part.'),
  start: parameter('The start; with `end`.'),
  end: parameter('The end.'),
  zone: parameter('`utc`; by default, local time.'),
  sort: parameter('`asc` for oldest first.'),
  mode: parameter('`builder` for a filter that is shown as rows.'),
  chart: parameter('How the timeline is drawn: `lines`, `table` or `off`.'),
  group_by: parameter('The field whose values are the series of the timeline.', 1024),
  then_by: parameter('A second field.', 1024),
  aggregation: parameter('What the timeline shows: `count`, `avg`, `max`, `min` or `sum`.'),
  field: parameter('The field whose numbers are aggregated.', 1024),
  columns: parameter('Fields that rows show, between commas.', 1024),
  find: prose(1024).optional().describe('Text that filters the rows.'),
  live: parameter('`on` or `paused`: whether events are added as they arrive.'),
  compare: parameter(
    'The part of the range to compare with the rest: two times with a slash between them.',
    128,
  ),
} as const;

const search = () =>
  z.strictObject(searchFields).refine(isSmall, {
    error: `is larger than ${apiLimits.eventViewBytesMax} bytes as JSON`,
  });

function isSmall(found: object): boolean {
  return new TextEncoder().encode(JSON.stringify(found)).length <= apiLimits.eventViewBytesMax;
}

const workspaceId = () => id('workspace').describe('The workspace.');
const viewId = () => id('eventView').describe('The view.');
const isShared = 'Whether everyone with access to the workspace sees it, or only the user who saved it.';

const view = z
  .object({
    id: viewId(),
    name: text(apiLimits.eventViewNameCharsMax).describe('Its name.'),
    is_shared: z.boolean().describe(isShared),
    search: z.object(searchFields).describe('The search, as the parameters of the URL of the page.'),
    saved_by: text(apiLimits.emailCharsMax).describe(
      'Who saved it last: an e-mail address or the name of a key.',
    ),
    saved_at: time().describe('When it was saved last.'),
  })
  .meta({ id: 'EventView', description: 'A saved event search.' });

const exampleSearch = { types: 'acl_logs', filter: 'data.operation == "WRITE"', relative: '1h' };
const rights =
  'Users can save private views in workspaces that they can read. Shared views need write access to the workspace.';
const errors = ['not_found', 'duplicate_name', 'limit_exceeded'] as const;
const ofAlerts = 'A view on which an alert fires stays, and stays shared.';

export const eventViewOperations = [
  defineOperation({
    name: 'list_event_views',
    title: 'List saved searches',
    summary: 'List the saved event searches of a workspace: shared ones and those of the caller.',
    scope: 'workspace',
    input: z.strictObject({ workspace_id: workspaceId() }),
    output: z.object({
      views: list(view, apiLimits.eventViewsSharedMax + apiLimits.eventViewsOwnMax).describe(
        'The views by name, shared ones first.',
      ),
    }),
    errors: ['not_found'],
    example: {
      input: { workspace_id: examples.workspace },
      output: {
        views: [
          {
            id: examples.eventView,
            name: 'Denied writes',
            is_shared: true,
            search: exampleSearch,
            saved_by: 'ada@example.com',
            saved_at: examples.time,
          },
        ],
      },
    },
  }),
  defineOperation({
    name: 'create_event_view',
    title: 'Save a search',
    summary: 'Create a saved event search.',
    description: `${rights} Keys have no views of their own.`,
    scope: 'user',
    input: z.strictObject({
      workspace_id: workspaceId(),
      view_name: viewName().describe('The name, unique among shared views or those of the user.'),
      is_shared: flag(isShared),
      search: search().describe('The search, as the parameters of the URL of the page.'),
    }),
    output: z.object({ view_id: viewId() }),
    errors,
    example: {
      input: {
        workspace_id: examples.workspace,
        view_name: 'Denied writes',
        is_shared: true,
        search: exampleSearch,
      },
      output: { view_id: examples.eventView },
    },
  }),
  defineOperation({
    name: 'update_event_view',
    title: 'Change a saved search',
    summary: 'Rename a saved event search, change its filter, or share it.',
    description: `Omitted fields keep their values. ${rights} A shared view that is no longer shared belongs to the caller. ${ofAlerts}`,
    scope: 'user',
    input: z.strictObject({
      workspace_id: workspaceId(),
      view_id: viewId(),
      view_name: viewName().optional().describe('The new name.'),
      is_shared: z.boolean().optional().describe(isShared),
      search: search().optional().describe('The new search.'),
    }),
    errors: [...errors, 'conflict'],
    example: {
      input: {
        workspace_id: examples.workspace,
        view_id: examples.eventView,
        view_name: 'Denied writes today',
        search: { ...exampleSearch, relative: '24h' },
      },
    },
  }),
  defineOperation({
    name: 'delete_event_view',
    title: 'Delete a saved search',
    summary: 'Delete a saved event search.',
    description: `${rights} ${ofAlerts}`,
    scope: 'user',
    input: z.strictObject({ workspace_id: workspaceId(), view_id: viewId() }),
    errors: ['not_found', 'conflict'],
    example: { input: { workspace_id: examples.workspace, view_id: examples.eventView } },
  }),
] as const;
