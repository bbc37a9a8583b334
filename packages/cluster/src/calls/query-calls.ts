import type { ClaimedQuery, QueryOutcome } from '../ports/queries-port.ts';
import {
  type JobHold,
  type QueryPoll,
  type QueryReport,
  type QueryToRun,
  queryLimitMsMax,
  queryStates,
} from '../ports/queries-port.ts';
import { column, flag, nullable, object, oneOf, text, tuple, whole } from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

/** The calls about queries over events, and the jobs of agents. */
export const queryCalls = {
  /**
   * Has an agent work on a query and waits for its answer. A call under the id of a query that runs waits for the same answer, and a
   * new leader has it run anew.
   */
  runQuery: leaderCall<[query: QueryToRun], QueryOutcome>(
    tuple(object<QueryToRun>({ queryId: text, request: column(Uint8Array), limitMs: whole })),
    { membersOnly: true, onRetry: 'reexecute', deadlineMs: queryLimitMsMax + 30_000, waits: true },
  ),
  /** Says that the answer is not needed any more. A query that is not known, because it has ended, stays so. */
  cancelQuery: leaderCall<[queryId: string], void>(tuple(text), {
    membersOnly: true,
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Waits for work. `null` when there was none in time; the agent asks again. */
  takeQuery: leaderCall<[request: QueryPoll], ClaimedQuery | null>(
    tuple(object<QueryPoll>({ agentId: text, waitMs: whole })),
    { onRetry: 'dedupe-in-process', deadlineMs: 60_000, waits: true },
  ),
  /**
   * Tells how a query goes: at least every `queryReportIntervalMs`, or the agent counts as dead to it. Answers whether the result is
   * still needed; otherwise the agent stops working on it.
   */
  reportQuery: leaderCall<[report: QueryReport], boolean>(
    tuple(
      object<QueryReport>({
        agentId: text,
        queryId: text,
        state: oneOf(...queryStates),
        answer: nullable(column(Uint8Array)),
        message: text,
      }),
    ),
    { onRetry: 'reexecute', deadlineMs: 6_000 },
  ),
  /**
   * Asks for a job that one agent at a time does for the whole cluster. The answer is whether the agent has it, for `jobLeaseMs` from
   * now on; asking again keeps it.
   */
  holdJob: leaderCall<[request: JobHold], boolean>(
    tuple(object<JobHold>({ agentId: text, job: text, hasIt: flag })),
    { onRetry: 'reexecute', deadlineMs: 6_000 },
  ),
};

export type QueriesPort = PortOf<typeof queryCalls>;
