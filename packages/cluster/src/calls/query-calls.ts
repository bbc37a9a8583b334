import { column, flag, nullable, object, oneOf, text, tuple, whole } from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

export interface QueryToRun {
  /** Chosen by the caller; globally unique. */
  readonly queryId: string;
  /** Query as JSON, for the engine. */
  readonly request: Uint8Array;
  /** Time limit. The answer is what was found within it. */
  readonly limitMs: number;
}

const queryRefusals = [
  /** No live agent has a query engine. */
  'noEngine',
  /** All engines are at their limit of queries. */
  'tooMany',
  /** The request is too long. */
  'tooLarge',
  /** The caller cancelled the query. */
  'cancelled',
  /** An agent could not answer; `message` has its reason. */
  'failed',
  /** No agent answered in time, or the agents that worked on the query fell silent. */
  'noAnswer',
] as const;

export type QueryRefusal = (typeof queryRefusals)[number];

export type QueryOutcome =
  | {
      readonly kind: 'answered';
      readonly agentId: string;
      readonly answer: Uint8Array;
      /** False for a partial answer: the agent fell silent or the time limit passed. */
      readonly isLast: boolean;
    }
  | { readonly kind: 'refused'; readonly refusal: QueryRefusal; readonly message: string };

export interface QueryPoll {
  readonly agentId: string;
  readonly waitMs: number;
}

export interface ClaimedQuery {
  readonly queryId: string;
  readonly request: Uint8Array;
  /** Remaining time. */
  readonly limitMs: number;
}

const queryStates = [
  'running',
  'done',
  /** No agent can answer the query. */
  'failed',
  /** This agent cannot continue; another one may. */
  'givenUp',
] as const;

export interface QueryReport {
  readonly agentId: string;
  readonly queryId: string;
  readonly state: (typeof queryStates)[number];
  /** The result so far; with `done`, the complete answer. `null` if there is nothing new. */
  readonly answer: Uint8Array | null;
  /** Why it failed, for the caller. */
  readonly message: string;
}

export interface JobHold {
  readonly agentId: string;
  readonly job: string;
  /** The agent already holds the job and renews it. */
  readonly hasIt: boolean;
}

/** Interval between an agent's reports about a query. */
export const queryReportIntervalMs = 1_000;

/** An agent without a report about a query for this long is considered to have abandoned it. */
export const querySilenceMsMax = 5_000;

/** Upper bound on a query's time limit, whatever the caller requests. */
export const queryLimitMsMax = 30_000;

/** A job is released when its agent is silent for this long. */
export const jobLeaseMs = 15_000;

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
