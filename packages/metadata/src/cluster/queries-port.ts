/**
 * How the control plane has questions about events answered. Agents connect to it and never the other way round, so that those with a
 * query engine ask for work, and tell what came out of it. What is asked and answered is text to everybody in between.
 */
export interface QueriesPort {
  /**
   * Has an agent work on a query and waits for its answer. Whoever asks again under the same id, because a connection was lost, waits for the
   * same answer.
   */
  runQuery(query: QueryToRun): Promise<QueryOutcome>;

  /** Says that nobody waits for the answer any more. A query that is not known, because it has ended, stays so. */
  cancelQuery(queryId: string): Promise<void>;

  /** Waits for work. `null` when there was none in time; the agent asks again. */
  takeQuery(request: QueryWish): Promise<TakenQuery | null>;

  /**
   * Tells how a query goes: at least every `queryReportIntervalMs`, or the agent counts as dead to it. Says whether somebody still waits for the
   * answer; otherwise the agent stops working on it.
   */
  reportQuery(report: QueryReport): Promise<boolean>;

  /**
   * Asks for a job that one agent at a time does for the whole cluster. The answer is whether the agent has it, for `jobLeaseMs` from now on; asking
   * again keeps it.
   */
  holdJob(request: JobHold): Promise<boolean>;
}

export interface QueryToRun {
  /** Chosen by whoever asks; nobody else ever has it. */
  readonly queryId: string;
  /** JSON that the engine understands. */
  readonly request: Uint8Array;
  /** How long it may take. What was found by then is the answer. */
  readonly limitMs: number;
}

export const queryRefusals = [
  /** No living agent has a query engine. */
  'noEngine',
  /** All engines have as much to do as they may. */
  'tooMany',
  /** The request is too long. */
  'tooLarge',
  /** Whoever asked said so. */
  'cancelled',
  /** An agent could not answer, and says why. */
  'failed',
  /** Nobody answered in time, or those who should have fell silent. */
  'noAnswer',
] as const;

export type QueryRefusal = (typeof queryRefusals)[number];

export type QueryOutcome =
  | {
      readonly kind: 'answered';
      readonly agentId: string;
      readonly answer: Uint8Array;
      /** False for what an agent had found before it fell silent or the time was over. */
      readonly isLast: boolean;
    }
  | { readonly kind: 'refused'; readonly refusal: QueryRefusal; readonly message: string };

export interface QueryWish {
  readonly agentId: string;
  readonly waitMs: number;
}

export interface TakenQuery {
  readonly queryId: string;
  readonly request: Uint8Array;
  /** How much of its time is left. */
  readonly limitMs: number;
}

export const queryStates = [
  'running',
  'done',
  /** It cannot be answered, here or elsewhere. */
  'failed',
  /** This agent cannot go on with it; another may. */
  'givenUp',
] as const;

export interface QueryReport {
  readonly agentId: string;
  readonly queryId: string;
  readonly state: (typeof queryStates)[number];
  /** What was found so far; with `done` the answer. `null` when there is nothing new. */
  readonly answer: Uint8Array | null;
  /** Why it failed, for whoever asked. */
  readonly message: string;
}

export interface JobHold {
  readonly agentId: string;
  readonly job: string;
  /** The agent was given the job before and keeps it. */
  readonly hasIt: boolean;
}

/** Agents say this often how their queries go. */
export const queryReportIntervalMs = 1_000;
/** An agent that said nothing of a query for this long does not work on it any more. */
export const querySilenceMsMax = 5_000;
/** What a query may take, whatever whoever asks wants. */
export const queryLimitMsMax = 30_000;
/** A job of an agent that was not heard of for this long is free. */
export const jobLeaseMs = 15_000;
