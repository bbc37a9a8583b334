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

/** Calls about queries over events, and the jobs of agents. */
export const queryCalls = {
  /**
   * Runs a query on an agent and waits for its answer. A call with the id of a running query waits for the same answer.
   * A new leader runs the query again.
   */
  runQuery: leaderCall<[query: QueryToRun], QueryOutcome>(
    tuple(object<QueryToRun>({ queryId: text, request: column(Uint8Array), limitMs: whole })),
    { membersOnly: true, onRetry: 'reexecute', deadlineMs: queryLimitMsMax + 30_000, waits: true },
  ),
  /** Cancels a query. An unknown query, for example one that has ended, is ignored. */
  cancelQuery: leaderCall<[queryId: string], void>(tuple(text), {
    membersOnly: true,
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Polls for a query. Returns `null` if there was none in time; the agent polls again. */
  takeQuery: leaderCall<[request: QueryPoll], ClaimedQuery | null>(
    tuple(object<QueryPoll>({ agentId: text, waitMs: whole })),
    { onRetry: 'dedupe-in-process', deadlineMs: 60_000, waits: true },
  ),
  /**
   * Reports the progress of a query; agents send it every `queryReportIntervalMs`. After `querySilenceMsMax` without a
   * report the agent is considered to have abandoned the query. Returns whether the result is still needed; if not, the
   * agent stops working on it.
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
   * Requests a job that one agent at a time runs for the whole cluster. Returns whether the agent holds it, for
   * `jobLeaseMs` from now; repeating the request renews it.
   */
  holdJob: leaderCall<[request: JobHold], boolean>(
    tuple(object<JobHold>({ agentId: text, job: text, hasIt: flag })),
    { onRetry: 'reexecute', deadlineMs: 6_000 },
  ),
};

export type QueriesPort = PortOf<typeof queryCalls>;
