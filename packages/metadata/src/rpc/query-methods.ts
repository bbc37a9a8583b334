import {
  type JobHold,
  type QueriesPort,
  type QueryReport,
  type QueryToRun,
  type QueryWish,
  queryLimitMsMax,
  queryStates,
} from '../cluster/queries-port.ts';
import type { Method } from './methods.ts';
import { column, flag, nullable, object, oneOf, text, tuple, whole } from './shape.ts';

/** The calls about queries. */
export const queryMethods = {
  // Under the id of a query that runs one waits for its answer, and a new leader has it run anew.
  runQuery: {
    membersOnly: true,
    again: 'repeated',
    deadlineMs: queryLimitMsMax + 30_000,
    waits: true,
    args: tuple(object<QueryToRun>({ queryId: text, request: column(Uint8Array), limitMs: whole })),
  },
  cancelQuery: { membersOnly: true, again: 'repeated', deadlineMs: 6_000, args: tuple(text) },
  // A query whose way to the agent was lost is found again in the memory of replies.
  takeQuery: {
    again: 'remembered',
    deadlineMs: 60_000,
    waits: true,
    args: tuple(object<QueryWish>({ agentId: text, waitMs: whole })),
  },
  reportQuery: {
    again: 'repeated',
    deadlineMs: 6_000,
    args: tuple(
      object<QueryReport>({
        agentId: text,
        queryId: text,
        state: oneOf(...queryStates),
        answer: nullable(column(Uint8Array)),
        message: text,
      }),
    ),
  },
  holdJob: {
    again: 'repeated',
    deadlineMs: 6_000,
    args: tuple(object<JobHold>({ agentId: text, job: text, hasIt: flag })),
  },
} as const satisfies { readonly [M in keyof QueriesPort]: Method<Parameters<QueriesPort[M]>> };
