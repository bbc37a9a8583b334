export interface QueryToRun {
  /** Chosen by whoever asks; nobody else ever has it. */
  readonly queryId: string;
  /** JSON that the engine understands. */
  readonly request: Uint8Array;
  /** How long it may take. What was found by then is the answer. */
  readonly limitMs: number;
}

const queryRefusals = [
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

export interface QueryPoll {
  readonly agentId: string;
  readonly waitMs: number;
}

export interface ClaimedQuery {
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
