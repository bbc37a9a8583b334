import * as s from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

const queryToRun = s.struct({
  /** Chosen by the caller; globally unique. */
  queryId: s.text,
  /** Query as JSON, for the engine. */
  request: s.column(Uint8Array),
  /** Time limit. The answer is what was found within it. */
  limitMs: s.whole,
});
export type QueryToRun = s.TypeOf<typeof queryToRun>;

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

const queryPoll = s.struct({
  agentId: s.text,
  waitMs: s.whole,
});
export type QueryPoll = s.TypeOf<typeof queryPoll>;

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

const queryReport = s.struct({
  agentId: s.text,
  queryId: s.text,
  state: s.oneOf(...queryStates),
  /** The result so far; with `done`, the complete answer. `null` if there is nothing new. */
  answer: s.nullable(s.column(Uint8Array)),
  /** Why it failed, for the caller. */
  message: s.text,
});
export type QueryReport = s.TypeOf<typeof queryReport>;

const jobHold = s.struct({
  agentId: s.text,
  job: s.text,
  /** The agent already holds the job and renews it. */
  hasIt: s.flag,
});
export type JobHold = s.TypeOf<typeof jobHold>;

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
  runQuery: leaderCall<[query: QueryToRun], QueryOutcome>(s.tuple(queryToRun), {
    membersOnly: true,
    onRetry: 'reexecute',
    deadlineMs: queryLimitMsMax + 30_000,
    waits: true,
  }),
  /** Cancels a query. An unknown query, for example one that has ended, is ignored. */
  cancelQuery: leaderCall<[queryId: string], void>(s.tuple(s.text), {
    membersOnly: true,
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /** Polls for a query. Returns `null` if there was none in time; the agent polls again. */
  takeQuery: leaderCall<[request: QueryPoll], ClaimedQuery | null>(s.tuple(queryPoll), {
    onRetry: 'dedupe-in-process',
    deadlineMs: 60_000,
    waits: true,
  }),
  /**
   * Reports the progress of a query; agents send it every `queryReportIntervalMs`. After `querySilenceMsMax` without a
   * report the agent is considered to have abandoned the query. Returns whether the result is still needed; if not, the
   * agent stops working on it.
   */
  reportQuery: leaderCall<[report: QueryReport], boolean>(s.tuple(queryReport), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
  /**
   * Requests a job that one agent at a time runs for the whole cluster. Returns whether the agent holds it, for
   * `jobLeaseMs` from now; repeating the request renews it.
   */
  holdJob: leaderCall<[request: JobHold], boolean>(s.tuple(jobHold), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
  }),
};

export type QueriesPort = PortOf<typeof queryCalls>;
