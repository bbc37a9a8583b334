import { catalogue, consolePaths } from '@weir/api';
import { coreLimits, eventTypeNames } from '@weir/core';
import { eventLimits } from '@weir/events/limits';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { mcpLimits } from '../limits.ts';
import { formatArguments } from './arguments.ts';
import { defineTool } from './tool.ts';

const { account, actor, workspaces, release, server_time } = catalogue.get_context.output.shape;

/** The limits that a caller has to know in advance. */
const limits = {
  events_window_hours: eventLimits.eventsWindowMsMax / 3_600_000,
  events_per_search: coreLimits.eventRowsMax,
  rows_per_answer: mcpLimits.mcpRowsMax,
  tokens_per_answer: mcpLimits.mcpAnswerTokensMax,
};

export const contextTools = [
  defineTool({
    name: 'get_context',
    icon: 'cluster',
    operations: ['get_context'],
    title: 'Get context',
    note: 'Call it first: it names the virtual clusters.',
    input: { ...formatArguments },
    output: {
      account,
      actor,
      workspaces,
      release,
      server_time,
      event_types: z.array(z.enum(eventTypeNames)).describe('The event types that there are.'),
      limits: z.record(z.string(), z.number()).describe('Limits of the tools.'),
    },
    async run(args, context) {
      const { is_account_admin: _, ...found } = await context.call('get_context', {});
      const clusterCount = found.workspaces.reduce((sum, one) => sum + one.virtual_clusters.length, 0);
      return answerOf(
        { ...found, event_types: eventTypeNames, limits },
        {
          hint:
            clusterCount === 0
              ? 'These keys reach no virtual cluster; create one, or use a key for another workspace.'
              : 'list_virtual_clusters shows how they are; list_diagnostics what is wrong with one.',
          console_url: context.consoleUrl(consolePaths.home()),
        },
        args,
      );
    },
  }),
];
